// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A person as the index knows them: one who signed in, or the visitor of an installation who did not.
public struct StoredUser: Sendable, Hashable {
    /// One thing the app said about the person.
    public struct Attribute: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// Its value, JSON.
        public var value: [UInt8]
        /// When it was set.
        public var set: Timestamp
        /// The installation it was set on; nil for clients that tell none.
        public var installation: InstallationID?
        /// Elements that were to be appended to a list that is as long as one may be.
        public var omitted: UInt64

        /// An attribute of these parts.
        public init(
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
    public var id: String?
    /// What tells people apart on one device.
    public var uniqueID: String?
    /// The device's anonymous visitor.
    public var anonymousID: String?
    /// When the person first opened the app, as the app says.
    public var firstTouch: Timestamp?
    /// The time of the first event.
    public var first: Timestamp
    /// The time of the latest event.
    public var last: Timestamp
    /// How many events.
    public var events: UInt64
    /// In how many sessions.
    public var sessions: UInt64
    /// The installations, the one used last first.
    public var installations: [InstallationID] = []
    /// What the app said, in the order of names.
    public var attributes: [Attribute] = []
    /// Whether there is more than that.
    public var hasMoreAttributes = false
    /// The person's number, which tells apart who was seen at once: the same in every store.
    public var number: Int64 = 0

    /// The most installations in one answer.
    public static let maxInstallations = 20

    /// The person's place among those seen last.
    public var place: TimedPlace { TimedPlace(time: last, number: number) }

    /// A person without installations and attributes.
    public init(
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
public struct UserQuery: Sendable, Hashable {
    /// The one with this id.
    public var id: String?
    /// Those who used this installation.
    public var installation: InstallationID?
    /// Those last seen before this time.
    public var before: Timestamp?
    /// The last one already seen; the answer goes on behind it.
    public var after: TimedPlace?
    /// The most people in one answer.
    public var limit: Int
    /// Whether the answer has what the app said about them.
    public var withAttributes: Bool

    /// A query for everybody.
    public init(
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
    public var answerBytes: Int {
        256 + 40 * installations.count + attributes.reduce(0) { $0 + 96 + $1.name.utf8.count + $1.value.count }
    }

    /// Writes the person with what the app said about them; what is not known is left out.
    public func write(to writer: inout JSONWriter) {
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
