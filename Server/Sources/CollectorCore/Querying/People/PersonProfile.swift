// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Identifies a person.
public enum PersonKey: Sendable, Hashable {
    /// A signed-in user, by the id set by the app.
    case user(String)
    /// A visitor who did not sign in, identified by the installation.
    case visitor(InstallationID)
}

/// A query for one person.
public struct ProfileQuery: Sendable, Hashable {
    /// The person.
    public var person: PersonKey
    /// The attribute after which the results continue, in name order.
    public var afterAttribute: String?
    /// The maximum number of attributes in one response.
    public var attributes: Int

    /// Creates a query for the first attributes of a person.
    public init(_ person: PersonKey, afterAttribute: String? = nil, attributes: Int = 200) {
        self.person = person
        self.afterAttribute = afterAttribute
        self.attributes = attributes
    }
}

/// A person's full profile, without the person's events.
public struct PersonProfile: Sendable, Hashable {
    /// One installation that the person used.
    public struct Device: Sendable, Hashable {
        /// The installation.
        public var installation: InstallationID
        /// The time of the person's first event on the installation.
        public var first: Timestamp
        /// The time of the person's latest event on the installation.
        public var last: Timestamp
        /// The number of the person's events on the installation.
        public var events: UInt64
        /// The number of sessions in which these events occurred.
        public var sessions: UInt64
        /// The known facts about the device.
        public var facts: DeviceFacts

        /// Creates a device with the person's activity on it.
        public init(
            installation: InstallationID,
            first: Timestamp,
            last: Timestamp,
            events: UInt64,
            sessions: UInt64,
            facts: DeviceFacts = DeviceFacts()
        ) {
            self.installation = installation
            self.first = first
            self.last = last
            self.events = events
            self.sessions = sessions
            self.facts = facts
        }
    }

    /// The person, with the requested number of attributes.
    public var person: StoredUser
    /// The installations, most recently used first; at most ``maxDevices``.
    public var devices: [Device]
    /// Whether there are more installations.
    public var hasMoreDevices: Bool
    /// The known facts about the person's first events.
    public var firstTouch: [FirstTouch: QueryValue] = [:]

    /// The latest statements about merges of the person's users, earliest first; at most ``StoredMerge/maximumCount``.
    public var merges: [StoredMerge] = []

    /// The maximum number of installations in one response.
    public static let maxDevices = 100

    /// Creates a profile.
    public init(person: StoredUser, devices: [Device], hasMoreDevices: Bool = false) {
        self.person = person
        self.devices = devices
        self.hasMoreDevices = hasMoreDevices
    }

    /// Writes the person as in a list of people, and the devices.
    ///
    /// The member `next` is the attribute after which the next page continues.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        person.writeMembers(to: &writer)
        if person.hasMoreAttributes, let last = person.attributes.last { writer.member("next", last.name) }
        for fact in FirstTouch.allCases {
            guard let value = firstTouch[fact] else { continue }
            writer.key(fact.rawValue)
            value.write(to: &writer)
        }
        writer.list("devices", devices) { device, writer in
            writer.beginObject()
            writer.member("installation", device.installation)
            writer.member("first", device.first)
            writer.member("last", device.last)
            writer.member("events", device.events)
            writer.member("sessions", device.sessions)
            device.facts.writeMembers(to: &writer)
            writer.endObject()
        }
        if hasMoreDevices { writer.member("more_devices", true) }
        if !merges.isEmpty { writer.list("merges", merges) { $0.write(to: &$1) } }
        writer.endObject()
    }
}

/// Facts about an installation, from contexts; unknown facts are nil.
public struct DeviceFacts: Sendable, Hashable {
    /// The app's id.
    public var app: String?
    /// The app's version.
    public var version: String?
    /// The device model.
    public var model: String?
    /// The operating system with its version.
    public var system: String?

    /// Creates facts, each nil by default.
    public init(app: String? = nil, version: String? = nil, model: String? = nil, system: String? = nil) {
        self.app = app
        self.version = version
        self.model = model
        self.system = system
    }

    /// Writes the facts as members of an open object.
    ///
    /// Unknown facts are null.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("app", app)
        writer.member("version", version)
        writer.member("model", model)
        writer.member("system", system)
    }
}
