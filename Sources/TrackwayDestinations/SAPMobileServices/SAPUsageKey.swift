// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The format's vocabulary, and the attributes that control encoding.
///
/// A compatibility module that uses the format's own vocabulary records an event whose name is the record's key. The
/// properties of the format (``SAPUsageField``) are attributes with their wire names. Every record of a session also
/// has the attributes defined here, because a report may begin after the session's start.
package enum SAPUsageKey {
    /// The record's key, if it cannot be the event's name.
    ///
    /// A key can be any string of any length.
    package static let key = "_sap_key"
    /// The session that the record belongs to, a string; empty for none.
    ///
    /// An event with this attribute is written unchanged: global attributes and the screen are not added.
    package static let session = "_sap_session"
    /// The application's id, as specified at the session's start.
    ///
    /// The default is the destination's application.
    package static let application = "_sap_application"
    /// The application's version; the default is the context's version.
    package static let applicationVersion = "_sap_application_version"
    /// The device's id; the default is the context's device id.
    package static let device = "_sap_device"
    /// The device's model; the default is the context's device model.
    package static let deviceModel = "_sap_device_model"
    /// The name of the operating system; the default is the context's system name.
    package static let platform = "_sap_platform"
    /// The version of the operating system; the default is the context's system version.
    package static let platformVersion = "_sap_platform_version"

    /// Whether an attribute only controls encoding, and is not content.
    package static func isReserved(_ name: String) -> Bool {
        switch name {
        case key, session, application, applicationVersion, device, deviceModel, platform, platformVersion: true
        default: false
        }
    }

    /// The key of a session's start.
    package static let sessionStart = "SessionStart"
    /// The key of a session's end, which contains the session's duration.
    package static let sessionEnd = "SessionEnd"
    /// The key of a view or an interaction; ``SAPUsageField/type`` distinguishes them.
    package static let behaviorEvent = "BehaviorEvent"
    /// The type of a behavior event for a displayed view.
    package static let viewDisplayed = "viewDisplayed"
    /// The type of a behavior event for a user interaction.
    package static let userInteraction = "userInteraction"
    /// The key for the app entering or leaving the foreground.
    package static let lifecycle = "OSLifecycle"
    /// The value of a lifecycle record: the app came to the foreground.
    package static let enterApplication = "EnterApplication"
    /// The value of a lifecycle record: the app left the foreground.
    package static let enterBackground = "EnterBackground"
    /// The key of an event that has no name.
    package static let other = "Other"
}

/// The properties of a record, in the order in which they are written.
///
/// The key and the time are not included. The raw value is the wire name.
package enum SAPUsageField: String, Sendable, Hashable, CaseIterable {
    /// The type of the record within its key.
    case type
    /// The duration in seconds.
    case duration
    /// The location in the app, in the three recommended parts.
    case screen, view, element
    /// The action, and how it was performed.
    case action, behavior
    /// Values by which reports can be filtered.
    case cases, category
    /// The result: its name, unit, and value.
    case result, unit, measurement, value
    /// All other data, as one string.
    case others

    /// Creates the field for an attribute's name; nil if none exists.
    ///
    /// For two of the fields, the format's clients use different names than the wire format.
    init?(attribute name: String) {
        switch name {
        case "behaviour": self = .behavior
        case "case": self = .cases
        default: self.init(rawValue: name)
        }
    }
}
