// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A person as known to the index.
///
/// The person is a signed-in user, or a visitor on an installation who did not sign in.
public struct StoredUser: Sendable, Hashable {
    /// One attribute that the app set for the person.
    public struct Attribute: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value as JSON.
        public var value: [UInt8]
        /// When the attribute was set.
        public var set: Timestamp
        /// The installation on which the attribute was set; nil if not reported.
        public var installation: InstallationID?
        /// The number of elements not appended because the list was full.
        public var omitted: UInt64

        /// Creates an attribute.
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

    /// The id set by the app.
    ///
    /// Nil for a visitor who did not sign in.
    public var id: String?
    /// The ids of the users who are merged into this one.
    public var mergedIDs: [String] = []
    /// An id that distinguishes people on one device.
    public var uniqueID: String?
    /// The id of the device's anonymous visitor.
    public var anonymousID: String?
    /// When the person first opened the app, as reported by the app.
    public var firstTouch: Timestamp?
    /// The time of the first event.
    public var first: Timestamp
    /// The time of the latest event.
    public var last: Timestamp
    /// The number of events.
    public var events: UInt64
    /// The number of sessions.
    public var sessions: UInt64
    /// The installations, most recently used first.
    public var installations: [InstallationID] = []
    /// The attributes set by the app, sorted by name.
    public var attributes: [Attribute] = []
    /// Whether there are further attributes.
    public var hasMoreAttributes = false
    /// The tiebreaker for people last seen at the same time.
    ///
    /// The number is the same in every store.
    public var number: Int64 = 0

    /// The maximum number of installations in one response.
    public static let maxInstallations = 20

    /// The person's cursor when people are ordered by last activity.
    public var place: TimeCursor { TimeCursor(time: last, number: number) }

    /// Creates a person without installations or attributes.
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

/// A query for people, most recently seen first.
public struct UserQuery: Sendable, Hashable {
    /// Only the person with this id.
    public var id: String?
    /// Only people who used this installation.
    public var installation: InstallationID?
    /// Only people last seen before this time.
    public var before: Timestamp?
    /// The cursor after which the results continue.
    public var after: TimeCursor?
    /// The maximum number of people in one response.
    public var limit: Int
    /// Whether the response includes attributes.
    public var includesAttributes: Bool

    /// Creates a query for all people.
    public init(
        id: String? = nil,
        installation: InstallationID? = nil,
        before: Timestamp? = nil,
        after: TimeCursor? = nil,
        limit: Int = 50,
        includesAttributes: Bool = true
    ) {
        self.id = id
        self.installation = installation
        self.before = before
        self.after = after
        self.limit = limit
        self.includesAttributes = includesAttributes
    }
}

extension StoredUser: BudgetedRow {
    public var responseBytes: Int {
        256 + 40 * installations.count + attributes.reduce(0) { $0 + 96 + $1.name.utf8.count + $1.value.count }
    }

    /// Writes the person with all attributes; unknown values are omitted.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    /// Writes the person as members of an open object.
    func writeMembers(to writer: inout JSONWriter) {
        for (key, value) in [("id", id), ("unique_id", uniqueID), ("anonymous_id", anonymousID)] {
            guard let value else { continue }
            writer.member(key, value)
        }
        if let firstTouch {
            writer.member("first_touch", firstTouch)
        }
        if !mergedIDs.isEmpty { writer.list("merged", mergedIDs) { $1.string($0) } }
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
