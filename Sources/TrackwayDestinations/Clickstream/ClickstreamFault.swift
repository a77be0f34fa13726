// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
