// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The rules of the Clickstream document, as pure functions: nil when all is well, else the code that says what is not.
///
/// For names the length is judged before the form, as the format's own clients do, so a name of 51 Chinese characters is
/// too long rather than invalid.
package enum ClickstreamRules {
    /// Judges an event's name.
    package static func fault(inEventName name: String) -> ClickstreamFault? {
        if name.hasMoreCharacters(than: ClickstreamLimits.eventName) {
            return ClickstreamFault(
                .eventNameTooLong,
                "An event name has at most \(ClickstreamLimits.eventName) characters. event name: \(name)"
            )
        }
        if !name.isClickstreamName {
            return ClickstreamFault(
                .eventNameInvalid,
                "An event name holds letters, digits and underscores only, and begins with no digit. event name: \(name)"
            )
        }
        return nil
    }

    /// Judges one attribute of an event, or a global one.
    package static func fault(inAttribute name: String, _ value: AttributeValue) -> ClickstreamFault? {
        if name.hasMoreCharacters(than: ClickstreamLimits.attributeName) {
            return ClickstreamFault(
                .attributeNameTooLong,
                "attribute name length is:(\(name.count)) name is: \(name)"
            )
        }
        if !name.isClickstreamName { return ClickstreamFault(.attributeNameInvalid, name) }
        if let text = value.clickstreamText, text.hasMoreCharacters(than: ClickstreamLimits.attributeValue) {
            return ClickstreamFault(
                .attributeValueTooLong,
                "attribute name: \(name), attribute value: \(text.prefix(ClickstreamLimits.errorMessage))"
            )
        }
        if case .double(let number) = value, !number.isFinite {
            return ClickstreamFault(.attributeNotFinite, "the value for attribute name: \(name) is infinite")
        }
        return nil
    }

    /// The fault of an attribute that comes when an event already has as many as it may.
    package static func tooManyAttributes(_ name: String) -> ClickstreamFault {
        ClickstreamFault(.tooManyAttributes, "attribute name: \(name)")
    }

    /// Judges one attribute of a user.
    package static func fault(inUserAttribute name: String, _ value: AttributeValue) -> ClickstreamFault? {
        if name.hasMoreCharacters(than: ClickstreamLimits.userAttributeName) {
            return ClickstreamFault(
                .userAttributeNameTooLong,
                "user attribute name length is:(\(name.count)) name is: \(name)"
            )
        }
        if !name.isClickstreamName { return ClickstreamFault(.userAttributeNameInvalid, name) }
        if let text = value.clickstreamText, text.hasMoreCharacters(than: ClickstreamLimits.userAttributeValue) {
            return ClickstreamFault(
                .userAttributeValueTooLong,
                "attribute name: \(name), attribute value: \(text.prefix(ClickstreamLimits.errorMessage))"
            )
        }
        if case .double(let number) = value, !number.isFinite {
            // There is no code for users' numbers; this is what the format says of all others.
            return ClickstreamFault(.attributeNotFinite, "the value for user attribute name: \(name) is infinite")
        }
        return nil
    }

    /// The fault of a user attribute that comes when the user already has as many as a user may.
    package static func tooManyUserAttributes(_ name: String) -> ClickstreamFault {
        ClickstreamFault(.tooManyUserAttributes, "attribute name: \(name)")
    }

    /// The fault of a screen view that does not say which screen.
    package static var screenNameMissing: ClickstreamFault {
        ClickstreamFault(
            .screenNameMissing,
            "record an screen view event without the required screen name attribute"
        )
    }
}
