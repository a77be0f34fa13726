// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Whom something is about.
package enum PersonKey: Sendable, Hashable {
    /// Somebody who signed in, by the id that the app gave.
    case user(String)
    /// The visitor of an installation who did not sign in.
    case visitor(InstallationID)
}

/// What is asked about one person.
package struct ProfileQuery: Sendable, Hashable {
    /// Whom it is about.
    package var person: PersonKey
    /// The last attribute already seen; the answer goes on behind it, in the order of names.
    package var afterAttribute: String?
    /// The most attributes in one answer.
    package var attributes: Int

    /// A query for the first attributes of a person.
    package init(_ person: PersonKey, afterAttribute: String? = nil, attributes: Int = 200) {
        self.person = person
        self.afterAttribute = afterAttribute
        self.attributes = attributes
    }
}

/// A person in full, but for what they did.
package struct PersonProfile: Sendable, Hashable {
    /// One installation as the person used it.
    package struct Device: Sendable, Hashable {
        /// The installation.
        package var installation: InstallationID
        /// The time of the person's first event there.
        package var first: Timestamp
        /// The time of their latest.
        package var last: Timestamp
        /// How many events they have there.
        package var events: UInt64
        /// In how many sessions.
        package var sessions: UInt64
        /// What is known of the device.
        package var facts: DeviceFacts

        /// An installation with what the person did there.
        package init(
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
    package var person: StoredUser
    /// The installations, the one used last first; at most ``maxDevices``.
    package var devices: [Device]
    /// Whether there are more.
    package var hasMoreDevices: Bool

    /// The most installations in one answer.
    package static let maxDevices = 100

    /// A profile of these parts.
    package init(person: StoredUser, devices: [Device], hasMoreDevices: Bool = false) {
        self.person = person
        self.devices = devices
        self.hasMoreDevices = hasMoreDevices
    }

    /// Writes the person, as a list of people does, with the devices; `next` is the attribute to go on behind.
    package func write(to writer: inout JSONWriter) {
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
package struct DeviceFacts: Sendable, Hashable {
    /// The app's id.
    package var app: String?
    /// The app's version.
    package var version: String?
    /// What kind of device it is.
    package var model: String?
    /// Its operating system, with the version.
    package var system: String?

    /// Facts; none without any.
    package init(app: String? = nil, version: String? = nil, model: String? = nil, system: String? = nil) {
        self.app = app
        self.version = version
        self.model = model
        self.system = system
    }

    /// Writes the facts as members of an object that is open; what is not known is null.
    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("app", app)
        writer.member("version", version)
        writer.member("model", model)
        writer.member("system", system)
    }
}
