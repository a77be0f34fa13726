// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The hard limits of the Clickstream document. Lengths count characters, the same for every script.
package enum ClickstreamLimits {
    /// The longest event name.
    package static let eventName = 50
    /// The longest name of an event attribute.
    package static let attributeName = 50
    /// The longest text value of an event attribute.
    package static let attributeValue = 1024
    /// The most attributes of an event, those the SDK adds included.
    package static let attributes = 500
    /// The attributes that every event has beside its `attributes`, which the document counts too.
    package static let commonAttributes = 25
    /// The most attributes of a user.
    package static let userAttributes = 100
    /// The longest name of a user attribute.
    package static let userAttributeName = 50
    /// The longest text value of a user attribute.
    package static let userAttributeValue = 256
    /// The most items of an event.
    package static let items = 100
    /// The longest value of an item, as text.
    package static let itemValue = 256
    /// The most attributes of an item that are not predefined.
    package static let customItemAttributes = 10
    /// The longest name of an item's attribute.
    package static let itemAttributeName = 50
    /// The longest error message an event carries.
    package static let errorMessage = 256
}
