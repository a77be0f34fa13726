// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A person as the index knows them: one who signed in, or the visitor of an installation who did not.
package struct StoredUser: Sendable, Hashable {
    /// One thing the app said about the person.
    package struct Attribute: Sendable, Hashable {
        /// Its name.
        package var name: String
        /// Its value, JSON.
        package var value: [UInt8]
        /// When it was set.
        package var set: Timestamp
        /// The installation it was set on; nil for clients that tell none.
        package var installation: InstallationID?
        /// Elements that were to be appended to a list that is as long as one may be.
        package var omitted: UInt64

        /// An attribute of these parts.
        package init(
            name: String,
            value: [UInt8],
            set: Timestamp,
            installation: InstallationID? = nil,
            omitted: UInt64 = 0
        ) {
            self.name = name
            self.value = value
            self.set = set
            self.installation = installation
            self.omitted = omitted
        }
    }

    /// The id the app gave; nil for a visitor who did not sign in.
    package var id: String?
    /// What tells people apart on one device.
    package var uniqueID: String?
    /// The device's anonymous visitor.
    package var anonymousID: String?
    /// When the person first opened the app, as the app says.
    package var firstTouch: Timestamp?
    /// The time of the first event.
    package var first: Timestamp
    /// The time of the latest event.
    package var last: Timestamp
    /// How many events.
    package var events: UInt64
    /// In how many sessions.
    package var sessions: UInt64
    /// The installations, the one used last first.
    package var installations: [InstallationID] = []
    /// What the app said, in the order of names.
    package var attributes: [Attribute] = []
    /// Whether there is more than that.
    package var hasMoreAttributes = false
    /// The person's number, which tells apart who was seen at once: the same in every store.
    package var number: Int64 = 0

    /// The most installations in one answer.
    package static let maxInstallations = 20

    /// The person's place among those seen last.
    package var place: TimedPlace { TimedPlace(time: last, number: number) }

    /// A person without installations and attributes.
    package init(
        id: String?,
        uniqueID: String?,
        anonymousID: String?,
        firstTouch: Timestamp?,
        first: Timestamp,
        last: Timestamp,
        events: UInt64,
        sessions: UInt64
    ) {
        self.id = id
        self.uniqueID = uniqueID
        self.anonymousID = anonymousID
        self.firstTouch = firstTouch
        self.first = first
        self.last = last
        self.events = events
        self.sessions = sessions
    }
}

/// Which people a reader wants, those seen last first.
package struct UserQuery: Sendable, Hashable {
    /// The one with this id.
    package var id: String?
    /// Those who used this installation.
    package var installation: InstallationID?
    /// Those last seen before this time.
    package var before: Timestamp?
    /// The last one already seen; the answer goes on behind it.
    package var after: TimedPlace?
    /// The most people in one answer.
    package var limit: Int
    /// Whether the answer has what the app said about them.
    package var withAttributes: Bool

    /// A query for everybody.
    package init(
        id: String? = nil,
        installation: InstallationID? = nil,
        before: Timestamp? = nil,
        after: TimedPlace? = nil,
        limit: Int = 50,
        withAttributes: Bool = true
    ) {
        self.id = id
        self.installation = installation
        self.before = before
        self.after = after
        self.limit = limit
        self.withAttributes = withAttributes
    }
}

extension StoredUser: BudgetedRow {
    package var answerBytes: Int {
        256 + 40 * installations.count + attributes.reduce(0) { $0 + 96 + $1.name.utf8.count + $1.value.count }
    }

    /// Writes the person with what the app said about them; what is not known is left out.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    /// The same as members of an object that is open.
    func writeMembers(to writer: inout JSONWriter) {
        for (key, value) in [("id", id), ("unique_id", uniqueID), ("anonymous_id", anonymousID)] {
            guard let value else { continue }
            writer.member(key, value)
        }
        if let firstTouch {
            writer.member("first_touch", firstTouch)
        }
        writer.member("first", first)
        writer.member("last", last)
        writer.member("events", events)
        writer.member("sessions", sessions)
        writer.list("installations", installations) { $1.id($0) }
        writer.object("attributes") { writer in
            for attribute in attributes {
                writer.object(attribute.name) { writer in
                    writer.key("value")
                    writer.raw(attribute.value)
                    writer.member("set", attribute.set)
                    if let installation = attribute.installation { writer.member("installation", installation) }
                    if attribute.omitted > 0 { writer.member("omitted", attribute.omitted) }
                }
            }
        }
        if hasMoreAttributes {
            writer.member("more_attributes", true)
        }
    }
}
