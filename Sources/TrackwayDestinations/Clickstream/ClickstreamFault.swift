// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A broken limit of the Clickstream document: its code, and what an event says about it.
package struct ClickstreamFault: Error, Sendable, Hashable {
    /// The documented codes.
    package enum Code: Int64, Sendable, Hashable, CaseIterable {
        /// The event's name is empty, begins with a digit, or holds something else than letters, digits and underscores.
        case eventNameInvalid = 1001
        /// The event's name is too long.
        case eventNameTooLong = 1002
        /// An attribute's name is too long.
        case attributeNameTooLong = 2001
        /// An attribute's name is invalid.
        case attributeNameInvalid = 2002
        /// An attribute's text is too long.
        case attributeValueTooLong = 2003
        /// An event has too many attributes.
        case tooManyAttributes = 2004
        /// An attribute's number is infinite or not a number.
        case attributeNotFinite = 2005
        /// A user has too many attributes.
        case tooManyUserAttributes = 3001
        /// A user attribute's name is too long.
        case userAttributeNameTooLong = 3002
        /// A user attribute's name is invalid.
        case userAttributeNameInvalid = 3003
        /// A user attribute's text is too long.
        case userAttributeValueTooLong = 3004
        /// An event has too many items.
        case tooManyItems = 4001
        /// An item's value is too long.
        case itemValueTooLong = 4002
        /// An item has too many attributes that are not predefined.
        case tooManyCustomItemAttributes = 4003
        /// The name of an item's attribute is too long.
        case itemAttributeNameTooLong = 4004
        /// The name of an item's attribute is invalid.
        case itemAttributeNameInvalid = 4005
        /// A screen view without a screen's name.
        case screenNameMissing = 5001
    }

    /// Which limit.
    package let code: Code
    /// What broke it, at most ``ClickstreamLimits/errorMessage`` characters.
    package let message: String

    /// A broken limit. A long message is cut.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message =
            message.hasMoreCharacters(than: ClickstreamLimits.errorMessage)
            ? String(message.prefix(ClickstreamLimits.errorMessage)) : message
    }
}

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
