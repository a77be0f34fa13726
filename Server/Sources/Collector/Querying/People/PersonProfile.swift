// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Whom something is about.
public enum PersonKey: Sendable, Hashable {
    /// Somebody who signed in, by the id that the app gave.
    case user(String)
    /// The visitor of an installation who did not sign in.
    case visitor(InstallationID)
}

/// What is asked about one person.
public struct ProfileQuery: Sendable, Hashable {
    /// Whom it is about.
    public var person: PersonKey
    /// The last attribute already seen; the answer goes on behind it, in the order of names.
    public var afterAttribute: String?
    /// The most attributes in one answer.
    public var attributes: Int

    /// A query for the first attributes of a person.
    public init(_ person: PersonKey, afterAttribute: String? = nil, attributes: Int = 200) {
        self.person = person
        self.afterAttribute = afterAttribute
        self.attributes = attributes
    }
}

/// A person in full, but for what they did.
public struct PersonProfile: Sendable, Hashable {
    /// One installation as the person used it.
    public struct Device: Sendable, Hashable {
        /// The installation.
        public var installation: InstallationID
        /// The time of the person's first event there.
        public var first: Timestamp
        /// The time of their latest.
        public var last: Timestamp
        /// How many events they have there.
        public var events: UInt64
        /// In how many sessions.
        public var sessions: UInt64
        /// What is known of the device.
        public var facts: DeviceFacts

        /// An installation with what the person did there.
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

    /// The person, with as many attributes as were asked for.
    public var person: StoredUser
    /// The installations, the one used last first; at most ``maxDevices``.
    public var devices: [Device]
    /// Whether there are more.
    public var hasMoreDevices: Bool

    /// The most installations in one answer.
    public static let maxDevices = 100

    /// A profile of these parts.
    public init(person: StoredUser, devices: [Device], hasMoreDevices: Bool = false) {
        self.person = person
        self.devices = devices
        self.hasMoreDevices = hasMoreDevices
    }

    /// Writes the person, as a list of people does, with the devices; `next` is the attribute to go on behind.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        person.writeMembers(to: &writer)
        if person.hasMoreAttributes, let last = person.attributes.last { writer.member("next", last.name) }
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
        writer.endObject()
    }
}

/// What contexts say about an installation; nil is not known.
public struct DeviceFacts: Sendable, Hashable {
    /// The app's id.
    public var app: String?
    /// The app's version.
    public var version: String?
    /// What kind of device it is.
    public var model: String?
    /// Its operating system, with the version.
    public var system: String?

    /// Facts; none without any.
    public init(app: String? = nil, version: String? = nil, model: String? = nil, system: String? = nil) {
        self.app = app
        self.version = version
        self.model = model
        self.system = system
    }

    /// Writes the facts as members of an object that is open; what is not known is null.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("app", app)
        writer.member("version", version)
        writer.member("model", model)
        writer.member("system", system)
    }
}
