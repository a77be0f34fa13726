// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What the front door noted in an event whose parts broke its own limits, in this dialect's codes.
struct ClickstreamNativeFault: Sendable, Hashable {
    /// The fault that costs the event its name; nil when the name is as the app gave it.
    private(set) var nameFault: ClickstreamFault?
    /// The fault of a part that was left out; nil when this dialect has no code for it.
    private(set) var fault: ClickstreamFault?

    /// Reads the note; nil when the event has none, or one of the app's own.
    init?(_ event: Event) {
        // What is none of the SDK's notes is the app's own text under the same keys.
        guard let note = EventNote(event.attributes) else { return nil }
        let message = note.message
        let isItem = message.hasPrefix("items")
        switch note.code {
        case .nameEmpty: nameFault = ClickstreamRules.fault(inEventName: "")
        case .nameInvalid: nameFault = ClickstreamFault(.eventNameInvalid, "event name: \(event.name)")
        case .nameTooLong: nameFault = ClickstreamFault(.eventNameTooLong, "event name: \(event.name)")
        case .keyTooLong: fault = ClickstreamFault(isItem ? .itemAttributeNameTooLong : .attributeNameTooLong, message)
        case .keyEmpty: fault = ClickstreamFault(isItem ? .itemAttributeNameInvalid : .attributeNameInvalid, message)
        case .valueTooLong: fault = ClickstreamFault(isItem ? .itemValueTooLong : .attributeValueTooLong, message)
        case .tooManyAttributes:
            fault = ClickstreamFault(isItem ? .tooManyCustomItemAttributes : .tooManyAttributes, message)
        case .numberNotFinite where !isItem: fault = ClickstreamFault(.attributeNotFinite, message)
        case .tooManyItems: fault = ClickstreamFault(.tooManyItems, message)
        // The format has no code for a size; what did not fit were attributes, or items, beyond what fits.
        case .eventTooLarge: fault = ClickstreamFault(isItem ? .tooManyItems : .tooManyAttributes, message)
        default:
            break  // Known, and without a code here.
        }
    }

    /// True for the keys the note stands under; they are written anew.
    func isNote(_ key: String) -> Bool { EventNote.holds(key) }
}
