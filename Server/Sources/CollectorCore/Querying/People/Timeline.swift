// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A query for one person's events, latest first by device time.
///
/// The query covers all devices and sessions. A user's events include those recorded before the user signed in.
public struct TimelineQuery: Sendable, Hashable {
    /// The person.
    public var person: PersonKey
    /// The event names to match; empty for any name.
    public var names: [String]
    /// The conditions on attributes and context; all must hold.
    public var conditions: [QueryCondition]
    /// The strings that events must contain, as in ``EventSearch``.
    public var words: [String]
    /// The installation that recorded the events.
    public var installation: InstallationID?
    /// The session of the events.
    public var session: String?
    /// The earliest event time, inclusive.
    public var from: Timestamp?
    /// The end of the range of event times, exclusive.
    public var to: Timestamp?
    /// The cursor after which the results continue.
    public var after: TimelineCursor?
    /// The maximum number of events in one response.
    public var limit: Int
    /// The maximum number of visits.
    ///
    /// Each is on another installation, or before another sign-in.
    ///
    /// For a user with more visits, those of the most recently used installations are returned.
    public var maximumVisits = 1_000

    /// Creates a query for all events of a person.
    public init(_ person: PersonKey, after: TimelineCursor? = nil, limit: Int = 100) {
        self.person = person
        names = []
        conditions = []
        words = []
        self.after = after
        self.limit = limit
    }

    private static let known: Set<String> = [
        "name", "where", "text", "installation", "session", "from", "to", "after", "limit",
    ]

    /// Parses a query from URL parameters.
    ///
    /// `name`, `where` and `text` may occur several times.
    ///
    /// - Throws: ``InvalidQueryError`` with the parameter, its value, and a hint.
    public init(_ person: PersonKey, parameters: [(name: String, value: String)]) throws(InvalidQueryError) {
        let reader = QueryParameterReader(parameters)
        try reader.allow(only: Self.known)
        self.init(person, limit: try reader.number("limit", in: 1...1_000) ?? 100)
        let filter = try reader.filter(names: "name", conditions: ["where"])
        (names, conditions, installation) = (filter.names, filter.conditions, filter.installation)
        words = try reader.words("text")
        session = try reader.text("session").map { text throws(InvalidQueryError) in
            try reader.limitedText(text, "session", QueryLimits.valueBytes)
        }
        (from, to) = (try reader.moment("from"), try reader.moment("to"))
        if let text = try reader.text("after") {
            guard let place = TimelineCursor(text) else {
                throw InvalidQueryError(
                    "after",
                    "“\(text.prefix(64))” is not a cursor such as 1718000000000.3.88213.7."
                )
            }
            after = place
        }
    }

    /// Whether the query has filters that require reading the events.
    public var isFiltered: Bool {
        !names.isEmpty || !conditions.isEmpty || !words.isEmpty || installation != nil || session != nil
    }
}

/// The position of an event in a person's timeline.
///
/// Events are in time order. Of two events in the same millisecond, the one that arrived first is earlier.
public struct TimelineCursor: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// The event's time.
    public var time: Timestamp
    /// The event's position in the intake log.
    public var position: EventPosition

    /// Creates a cursor.
    public init(time: Timestamp, position: EventPosition) {
        self.time = time
        self.position = position
    }

    /// Parses a cursor such as `1718000000000.3.88213.7`.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let position = EventPosition(String(parts[1])) else {
            return nil
        }
        self.init(time: Timestamp(milliseconds: time), position: position)
    }

    public var description: String { "\(time.milliseconds).\(position)" }

    public static func < (left: TimelineCursor, right: TimelineCursor) -> Bool {
        (left.time.milliseconds, left.position) < (right.time.milliseconds, right.position)
    }
}

/// A page of a person's events, latest first.
public struct Timeline: Sendable, Hashable {
    /// One event of the timeline.
    public struct Entry: Sendable, Hashable {
        /// The event.
        public var event: StoredEvent
        /// Whether the event was recorded before the user signed in.
        public var isVisit: Bool

        /// Creates an entry.
        public init(_ event: StoredEvent, isVisit: Bool = false) {
            self.event = event
            self.isVisit = isVisit
        }
    }

    /// The events.
    public var entries: [Entry]
    /// The number of events scanned.
    public var searched: Int
    /// The number of the person's events in the query's time range.
    ///
    /// Events recorded before sign-in are included.
    public var total: UInt64
    /// The cursor for the next page; nil when all events were scanned.
    public var next: TimelineCursor?

    /// Creates a page of a timeline.
    public init(entries: [Entry], searched: Int, total: UInt64, next: TimelineCursor?) {
        self.entries = entries
        self.searched = searched
        self.total = total
        self.next = next
    }

    /// Writes the response.
    ///
    /// Each event has the usual format, plus the member `visit` if it was recorded before the user signed in.
    ///
    /// - Parameter retainedSince: The arrival time before which events are missing; nil when none are missing.
    public func write(retainedSince: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("events", entries) { entry, writer in
            writer.beginObject()
            if entry.isVisit { writer.member("visit", true) }
            entry.event.writeMembers(to: &writer)
            writer.endObject()
        }
        writer.member("searched", Int64(searched))
        writer.member("of", total)
        if let next { writer.member("next", next.description) }
        writer.writeRetainedSince(retainedSince)
        writer.endObject()
    }
}
