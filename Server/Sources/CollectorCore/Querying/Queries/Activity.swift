// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A query for the lifecycle or the stickiness of people.
public struct ActivityQuery: Sendable, Hashable {
    /// The events that count as activity.
    public var filter: QueryFilter
    /// The intervals.
    public var time: QueryTimeRange
    /// What is counted.
    public var unit: QueryUnit

    /// Creates a query.
    public init(_ filter: QueryFilter = QueryFilter(), in time: QueryTimeRange, unit: QueryUnit = .person) {
        self.filter = filter
        self.time = time
        self.unit = unit
    }

    private static let known: Set<String> = [
        "name", "where", "user", "installation", "run", "last", "from", "to", "zone", "week_start", "interval",
        "unit",
    ]

    /// Parses a query from URL parameters.
    ///
    /// - Parameters:
    ///   - parameters: names and values, unescaped.
    ///   - now: the default end of the time range.
    ///   - zones: a function that returns the offsets of time zones.
    /// - Throws: ``InvalidQueryError`` with the parameter, its value, and a hint.
    public init(
        parameters: [(name: String, value: String)],
        now: Timestamp,
        zones: ZoneDirectory
    ) throws(InvalidQueryError) {
        let reader = QueryParameterReader(parameters)
        try reader.allow(only: Self.known)
        self.init(
            try reader.filter(names: "name", conditions: ["where"]),
            in: try reader.time(now: now, zones, atMost: QueryLimits.intervals),
            unit: try reader.unit()
        )
    }
}

/// The numbers of new, returning, resurrected and dormant people by interval.
public struct Lifecycle: Sendable, Hashable {
    /// The numbers of people in one interval.
    ///
    /// The first three counts are of people who were active in the interval.
    public struct Counts: Sendable, Hashable {
        /// People active for the first time.
        public var new: Int64 = 0
        /// People active in this interval and in the previous interval.
        public var returning: Int64 = 0
        /// People active in this interval and earlier, but not the previous one.
        public var resurrected: Int64 = 0
        /// People active in the previous interval but not in this one.
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
    /// - Parameter retainedSince: The arrival time before which events are missing; nil when none are missing.
    public func write(for query: ActivityQuery, retainedSince: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        query.time.writeMembers(to: &writer)
        writer.list("new", intervals) { $1.integer($0.new) }
        writer.list("returning", intervals) { $1.integer($0.returning) }
        writer.list("resurrected", intervals) { $1.integer($0.resurrected) }
        writer.list("dormant", intervals) { $1.integer($0.dormant) }
        writer.member("read", Int64(events))
        writer.writeRetainedSince(retainedSince)
        writer.endObject()
    }
}

/// The distribution of people by number of active intervals.
public struct Stickiness: Sendable, Hashable {
    /// The number of people for each number of active intervals.
    ///
    /// The first element is for exactly one interval, the last for all intervals.
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
    /// - Parameter retainedSince: The arrival time before which events are missing; nil when none are missing.
    public func write(for query: ActivityQuery, retainedSince: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        query.time.writeMembers(to: &writer)
        writer.list("people", people) { $1.integer($0) }
        writer.member("read", Int64(events))
        writer.writeRetainedSince(retainedSince)
        writer.endObject()
    }
}
