// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A query for the events of one person, over all devices and sessions, the latest by device time first.
///
/// A user's events include those recorded before the sign-in.
public struct TimelineQuery: Sendable, Hashable {
    /// Whose events.
    public var person: PersonKey
    /// Names, one of which the event has; empty for any.
    public var names: [String]
    /// What must hold of attributes and context, all of it.
    public var conditions: [QuestionCondition]
    /// What must occur in the event or its context, as in ``EventSearch``.
    public var words: [String]
    /// The installation that recorded it.
    public var installation: InstallationID?
    /// The session it belongs to.
    public var session: String?
    /// The earliest event time, inclusive.
    public var from: Timestamp?
    /// The latest event time, exclusive.
    public var to: Timestamp?
    /// The last event already seen; the answer goes on behind it.
    public var after: TimelinePlace?
    /// The most events in one answer.
    public var limit: Int

    /// Every event of a person.
    public init(_ person: PersonKey, after: TimelinePlace? = nil, limit: Int = 100) {
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

    /// Reads a query from the parameters of an address. `name`, `where` and `text` may be given several times.
    ///
    /// - Throws: ``QuestionError`` with the parameter, its value, and what helps.
    public init(_ person: PersonKey, parameters: [(name: String, value: String)]) throws(QuestionError) {
        let reader = QuestionParameters(parameters)
        try reader.sees(only: Self.known)
        self.init(person, limit: try reader.number("limit", in: 1...1_000) ?? 100)
        let filter = try reader.filter(names: "name", conditions: ["where"])
        (names, conditions, installation) = (filter.names, filter.conditions, filter.installation)
        words = try reader.words("text")
        session = try reader.text("session").map { text throws(QuestionError) in
            try reader.short(text, "session", QuestionLimits.valueBytes)
        }
        (from, to) = (try reader.moment("from"), try reader.moment("to"))
        if let text = reader.text("after") {
            guard let place = TimelinePlace(text) else {
                throw QuestionError("after", "“\(text.prefix(64))” is not a place such as 1718000000000.3.88213.7.")
            }
            after = place
        }
    }

    /// Whether events have to be looked at to decide whether they belong to the answer.
    public var isFiltered: Bool {
        !names.isEmpty || !conditions.isEmpty || !words.isEmpty || installation != nil || session != nil
    }
}

/// An event's place among those of a person, in the order of time; of two in one millisecond the one that arrived first is earlier.
public struct TimelinePlace: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// The event's time.
    public var time: Timestamp
    /// Where it lies in the intake log.
    public var position: EventPosition

    /// A place.
    public init(time: Timestamp, position: EventPosition) {
        self.time = time
        self.position = position
    }

    /// Reads `1718000000000.3.88213.7`.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let position = EventPosition(String(parts[1])) else {
            return nil
        }
        self.init(time: Timestamp(milliseconds: time), position: position)
    }

    public var description: String { "\(time.milliseconds).\(position)" }

    public static func < (left: TimelinePlace, right: TimelinePlace) -> Bool {
        (left.time.milliseconds, left.position) < (right.time.milliseconds, right.position)
    }
}

/// A part of what one person did, the latest first.
public struct Timeline: Sendable, Hashable {
    /// One event of it.
    public struct Entry: Sendable, Hashable {
        /// The event.
        public var event: StoredEvent
        /// Whether it was recorded before the user signed in.
        public var isVisit: Bool

        /// An event.
        public init(_ event: StoredEvent, isVisit: Bool = false) {
            self.event = event
            self.isVisit = isVisit
        }
    }

    /// The events.
    public var entries: [Entry]
    /// How many were gone through for them.
    public var searched: Int
    /// The number of the person's events within the query's times, those before the sign-in included.
    public var of: UInt64
    /// Where to go on; nil when all were gone through.
    public var next: TimelinePlace?

    /// A part of a timeline.
    public init(entries: [Entry], searched: Int, of: UInt64, next: TimelinePlace?) {
        self.entries = entries
        self.searched = searched
        self.of = of
        self.next = next
    }

    /// Writes the answer; events as everywhere, with `visit` where one was recorded before the user signed in.
    ///
    /// - Parameter keptFrom: Events that arrived before this moment are missing; nil when none are.
    public func write(keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("events", entries) { entry, writer in
            writer.beginObject()
            if entry.isVisit { writer.member("visit", true) }
            entry.event.writeMembers(to: &writer)
            writer.endObject()
        }
        writer.member("searched", Int64(searched))
        writer.member("of", of)
        if let next { writer.member("next", next.description) }
        writer.keptFrom(keptFrom)
        writer.endObject()
    }
}
