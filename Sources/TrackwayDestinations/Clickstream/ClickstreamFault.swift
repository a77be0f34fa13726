// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The code and message of a violated rule of the Clickstream documentation.
package struct ClickstreamFault: Error, Sendable, Hashable {
    /// The documented codes.
    package enum Code: Int64, Sendable, Hashable, CaseIterable {
        /// The event's name is invalid.
        ///
        /// It is empty, begins with a digit, or contains characters other than letters, digits and underscores.
        case eventNameInvalid = 1001
        /// The event's name is too long.
        case eventNameTooLong = 1002
        /// An attribute's name is too long.
        case attributeNameTooLong = 2001
        /// An attribute's name is invalid.
        case attributeNameInvalid = 2002
        /// An attribute's string is too long.
        case attributeValueTooLong = 2003
        /// An event has too many attributes.
        case tooManyAttributes = 2004
        /// An attribute's number is infinite or NaN.
        case attributeNotFinite = 2005
        /// A user has too many attributes.
        case tooManyUserAttributes = 3001
        /// A user attribute's name is too long.
        case userAttributeNameTooLong = 3002
        /// A user attribute's name is invalid.
        case userAttributeNameInvalid = 3003
        /// A user attribute's string is too long.
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
        /// A screen view has no screen name.
        case screenNameMissing = 5001
    }

    /// The documented code of the violated rule.
    package let code: Code
    /// The message, of at most ``ClickstreamLimits/errorMessage`` characters.
    package let message: String

    /// Creates a fault; a long message is truncated.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message =
            message.hasMoreCharacters(than: ClickstreamLimits.errorMessage)
            ? String(message.prefix(ClickstreamLimits.errorMessage)) : message
    }
}

/// The fault noted when an event was recorded, in this format's codes.
///
/// Parts of the event exceeded the SDK's own limits.
struct ClickstreamNativeFault: Sendable, Hashable {
    /// The fault of the event's name; nil if the name is unchanged.
    private(set) var nameFault: ClickstreamFault?
    /// The fault of a part that was left out.
    ///
    /// Nil if this format has no code for it.
    private(set) var fault: ClickstreamFault?

    /// Creates the fault from the event's recorded limit note.
    ///
    /// Nil if the event has none, or if the app set these attributes.
    init?(_ event: Event) {
        // If this fails, there is no note: any attributes with its keys were set by the app.
        guard let note = RecordedLimitNote(event.attributes) else { return nil }
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
        // The format has no code for the size of an event. The parts left out were the attributes or items that no
        // longer fit.
        case .eventTooLarge: fault = ClickstreamFault(isItem ? .tooManyItems : .tooManyAttributes, message)
        default:
            break  // The format has no code for it.
        }
    }

    /// Whether a key belongs to the note.
    ///
    /// Such attributes are not copied, because the fault is written in this format.
    func isLimitNote(_ key: String) -> Bool { RecordedLimitNote.isNoteKey(key) }
}
