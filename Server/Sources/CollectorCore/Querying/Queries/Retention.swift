// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A query for the people who return after a first event.
public struct RetentionQuery: Sendable, Hashable {
    /// The rule that assigns people to cohorts.
    public enum Cohort: String, Sendable, Hashable, CaseIterable {
        /// Assigns people to the cohort of their first matching event.
        ///
        /// A person whose first matching event precedes the time range is in no cohort.
        case first
        /// Assigns people to the cohort of every interval with a matching event.
        case each
    }

    /// The events that put a person into a cohort.
    public var first: QueryFilter
    /// The events that count as a return.
    public var returning: QueryFilter
    /// The intervals of cohorts and returns; at most ``QueryLimits/cohorts``.
    public var time: QueryTimeRange
    /// The rule that assigns people to cohorts.
    public var cohort: Cohort
    /// What is counted.
    public var unit: QueryUnit

    /// Creates a query.
    public init(
        first: QueryFilter = QueryFilter(),
        returning: QueryFilter = QueryFilter(),
        in time: QueryTimeRange,
        cohort: Cohort = .first,
        unit: QueryUnit = .person
    ) {
        self.first = first
        self.returning = returning
        self.time = time
        self.cohort = cohort
        self.unit = unit
    }
}

/// The result of a ``RetentionQuery``.
public struct Retention: Sendable, Hashable {
    /// One cohort: its size and its numbers of returning people.
    public struct Cohort: Sendable, Hashable {
        /// The number of people in the cohort.
        public var people: Int64
        /// The number of people who returned, by interval.
        ///
        /// The first number is for the cohort's own interval, after the event that put a person into the cohort; each
        /// further number is for a later interval of the time range, in order.
        public var returned: [Int64]

        /// Creates a cohort.
        public init(people: Int64, returned: [Int64]) {
            self.people = people
            self.returned = returned
        }
    }

    /// The cohorts, one per interval.
    public var cohorts: [Cohort]
    /// The number of events read.
    public var events: Int

    /// Creates a result.
    public init(cohorts: [Cohort], events: Int) {
        self.cohorts = cohorts
        self.events = events
    }
}

extension RetentionQuery {
    private static let known: Set<String> = [
        "first", "return", "where", "where.first", "where.return", "user", "installation", "run", "last", "from", "to",
        "zone", "week_start", "interval", "cohort", "unit",
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
            first: try reader.filter(names: "first", conditions: ["where", "where.first"]),
            returning: try reader.filter(names: "return", conditions: ["where", "where.return"]),
            in: try reader.time(now: now, zones, atMost: QueryLimits.cohorts),
            cohort: try reader.choice("cohort", Cohort.self) ?? .first,
            unit: try reader.unit()
        )
    }
}

extension Retention {
    /// Writes the result with the query's time range.
    ///
    /// - Parameter retainedSince: The arrival time before which events are missing; nil when none are missing.
    public func write(for query: RetentionQuery, retainedSince: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        query.time.writeMembers(to: &writer)
        writer.list("cohorts", cohorts) { cohort, writer in
            writer.beginObject()
            writer.member("people", cohort.people)
            writer.list("returned", cohort.returned) { $1.integer($0) }
            writer.endObject()
        }
        writer.member("read", Int64(events))
        writer.writeRetainedSince(retainedSince)
        writer.endObject()
    }
}
