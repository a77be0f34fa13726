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
        guard case .string(let code)? = event.attributes[CapturedKey.errorCode],
            case .string(let message)? = event.attributes[CapturedKey.errorMessage]
        else { return nil }
        let isItem = message.hasPrefix("items")
        switch Diagnostic.Code(rawValue: code) {
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
        case .keyDuplicate, .dateOutOfRange, .tooDeep, .itemInvalid, .eventTooLarge, .notEncodable, .numberNotFinite:
            break  // Known, and without a code here.
        default:
            return nil  // The app's own text under the same key.
        }
    }

    /// True for the keys the note stands under; they are written anew.
    func isNote(_ key: String) -> Bool { key == CapturedKey.errorCode || key == CapturedKey.errorMessage }
}
