// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The words of the format, and the attributes by which an event says exactly how it is to be written.
///
/// A record of a compatibility module that speaks the format's own words arrives as an event with the record's key for a
/// name; the properties of the format (``SAPUsageField``) as attributes of their wire names; and the attributes named here,
/// which every record of a session carries, as a report may begin behind the session's start.
package enum SAPUsageKey {
    /// The record's key, where the event's name cannot say it: a key is any text of any length.
    package static let key = "_sap_key"
    /// The session it belongs to, a text; an empty one says none. With it, the event is written as it is: no
    /// global attribute is added, and no screen.
    package static let session = "_sap_session"
    /// The application, as the session's start named it; without the attribute it is the destination's.
    package static let application = "_sap_application"
    /// The application's version; without the attribute it is the context's.
    package static let applicationVersion = "_sap_application_version"
    /// The device's id; without the attribute it is the context's.
    package static let device = "_sap_device"
    /// The device's model; without the attribute it is the context's.
    package static let deviceModel = "_sap_device_model"
    /// The name of the operating system; without the attribute it is the context's.
    package static let platform = "_sap_platform"
    /// The version of the operating system; without the attribute it is the context's.
    package static let platformVersion = "_sap_platform_version"

    /// Whether an attribute of this name says how an event is to be written, and is no content of its own.
    package static func isReserved(_ name: String) -> Bool {
        switch name {
        case key, session, application, applicationVersion, device, deviceModel, platform, platformVersion: true
        default: false
        }
    }

    /// The key of a session's start.
    package static let sessionStart = "SessionStart"
    /// The key of a session's end, which says how long the session was.
    package static let sessionEnd = "SessionEnd"
    /// The key of what a person saw or did; ``SAPUsageField/type`` says which.
    package static let behaviorEvent = "BehaviorEvent"
    /// The type of a behaviour event that tells of a view.
    package static let viewDisplayed = "viewDisplayed"
    /// The type of a behaviour event that tells what a person did.
    package static let userInteraction = "userInteraction"
    /// The key of the app's coming to the foreground, and leaving it.
    package static let lifecycle = "OSLifecycle"
    /// The value of a life-cycle record: the app came to the foreground.
    package static let enterApplication = "EnterApplication"
    /// The value of a life-cycle record: the app left the foreground.
    package static let enterBackground = "EnterBackground"
    /// The key of an event whose app gave none.
    package static let other = "Other"
}

/// The properties of a record beside its key and time, in the order they are written. The raw value is the wire's name.
package enum SAPUsageField: String, Sendable, Hashable, CaseIterable {
    /// What kind of record of its key it is.
    case type
    /// How long it took, in seconds.
    case duration
    /// A recommended trio: where in the app.
    case screen, view, element
    /// What was done, and how.
    case action, behavior
    /// What to filter by.
    case cases, category
    /// What came of it.
    case result, unit, measurement, value
    /// Anything else, as one text.
    case others

    /// The field that an attribute of this name fills; nil when it is none of the format's. The format's clients call two
    /// of them otherwise than the wire does.
    init?(attribute name: String) {
        switch name {
        case "behaviour": self = .behavior
        case "case": self = .cases
        default: self.init(rawValue: name)
        }
    }
}
