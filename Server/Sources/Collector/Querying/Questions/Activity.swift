// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A query for the lifecycle or the stickiness of people.
public struct ActivityQuery: Sendable, Hashable {
    /// The events that count as activity.
    public var filter: QueryFilter
    /// The intervals.
    public var time: QueryTimeRange

    /// Creates a query.
    public init(_ filter: QueryFilter = QueryFilter(), in time: QueryTimeRange) {
        self.filter = filter
        self.time = time
    }

    private static let known: Set<String> = [
        "name", "where", "user", "installation", "run", "last", "from", "to", "zone", "interval",
    ]

    /// Parses a query from URL parameters.
    ///
    /// - Parameters:
    ///   - parameters: names and values, unescaped.
    ///   - now: the default end of the time range.
    ///   - zones: returns the offsets of time zones.
    /// - Throws: ``InvalidQueryError`` with the parameter, its value, and a hint.
    public init(
        parameters: [(name: String, value: String)],
        now: Timestamp,
        zones: ZoneDirectory
    ) throws(InvalidQueryError) {
        let reader = QueryParameterReader(parameters)
        try reader.sees(only: Self.known)
        self.init(
            try reader.filter(names: "name", conditions: ["where"]),
            in: try reader.time(now: now, zones, atMost: QueryLimits.intervals)
        )
    }
}

/// The numbers of new, returning, resurrected and dormant people by interval.
public struct Lifecycle: Sendable, Hashable {
    /// The people of one interval.
    ///
    /// The first three counts are of people active in it.
    public struct Counts: Sendable, Hashable {
        /// Active for the first time.
        public var new: Int64 = 0
        /// Active in this interval and in the previous one.
        public var returning: Int64 = 0
        /// Active in this interval, not in the previous one, but earlier.
        public var resurrected: Int64 = 0
        /// Active in the previous interval but not in this one.
        public var dormant: Int64 = 0

        /// Creates counts.
        public init(new: Int64 = 0, returning: Int64 = 0, resurrected: Int64 = 0, dormant: Int64 = 0) {
            self.new = new
            self.returning = returning
            self.resurrected = resurrected
            self.dormant = dormant
        }
    }

    /// The counts of each interval.
    public var intervals: [Counts]
    /// The number of events read.
    public var events: Int

    /// Creates a result.
    public init(intervals: [Counts], events: Int) {
        self.intervals = intervals
        self.events = events
    }

    /// Writes the result with the query's time range.
    ///
    /// - Parameter keptFrom: Events that arrived before this time are missing; nil when none are.
    public func write(for question: ActivityQuery, keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        question.time.writeMembers(to: &writer)
        writer.list("new", intervals) { $1.integer($0.new) }
        writer.list("returning", intervals) { $1.integer($0.returning) }
        writer.list("resurrected", intervals) { $1.integer($0.resurrected) }
        writer.list("dormant", intervals) { $1.integer($0.dormant) }
        writer.member("read", Int64(events))
        writer.keptFrom(keptFrom)
        writer.endObject()
    }
}

/// The number of intervals in which people are active.
public struct Stickiness: Sendable, Hashable {
    /// The number of people by their number of active intervals.
    ///
    /// The first element is for exactly one interval, the last for all of them.
    public var people: [Int64]
    /// The number of events read.
    public var events: Int

    /// Creates a result.
    public init(people: [Int64], events: Int) {
        self.people = people
        self.events = events
    }

    /// Writes the result with the query's time range.
    ///
    /// - Parameter keptFrom: Events that arrived before this time are missing; nil when none are.
    public func write(for question: ActivityQuery, keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        question.time.writeMembers(to: &writer)
        writer.list("people", people) { $1.integer($0) }
        writer.member("read", Int64(events))
        writer.keptFrom(keptFrom)
        writer.endObject()
    }
}
