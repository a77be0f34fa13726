// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A query for a trend.
///
/// The query consists of a filter, a time range, a measure and a grouping. It contains everything the result depends
/// on, but no calendar, clock or SQL, so all stores return the same result.
public struct TrendQuery: Sendable, Hashable {
    /// The number to compute.
    public enum Measure: Sendable, Hashable {
        /// The number of events.
        case events
        /// The number of people: signed-in users, or else installations.
        ///
        /// Events with neither do not count.
        case users
        /// The number of installations.
        ///
        /// Events from clients that report no installation do not count.
        case installations
        /// The number of groups of one type, such as `company`.
        ///
        /// Events whose context names no such group do not count.
        case groups(String)
        /// The sum of a field's numbers.
        case sum(QueryField)
        /// The mean of a field's numbers.
        case average(QueryField)
        /// The exact 95th percentile of a field's numbers (nearest rank).
        ///
        /// This is the smallest of the numbers that at least 95% of them do not exceed.
        case p95(QueryField)

        /// The field whose numbers are used; nil for counts.
        public var field: QueryField? {
            switch self {
            case .events, .users, .installations, .groups: nil
            case .sum(let field), .average(let field), .p95(let field): field
            }
        }
    }

    /// A grouping of events by value.
    ///
    /// Each of the values with the most events forms a group; all other values form one group together.
    public struct Grouping: Sendable, Hashable {
        /// The field whose values form the groups.
        public var field: QueryField
        /// Further fields, at most two.
        ///
        /// With further fields, each combination of values forms a group.
        public var furtherFields: [QueryField]
        /// Limits, in ascending order, between ranges of numbers of ``field``; empty for groups of equal values.
        ///
        /// Each range includes its lower limit and excludes its upper one.
        public var buckets: [JSONNumber]
        /// The number of groups, from 1 to ``QueryLimits/groups``.
        public var top: Int
        /// Whether values with equal text form one group.
        ///
        /// Examples are `1` and `"1"`, or the composed and decomposed forms of `é`.
        public var readsValuesAsTexts: Bool

        /// Creates a grouping.
        public init(
            by field: QueryField,
            and furtherFields: [QueryField] = [],
            buckets: [JSONNumber] = [],
            top: Int = QueryLimits.defaultGroups,
            readsValuesAsTexts: Bool = false
        ) {
            self.field = field
            self.furtherFields = furtherFields
            self.buckets = buckets
            self.top = top
            self.readsValuesAsTexts = readsValuesAsTexts
        }
    }

    /// The filter for events.
    public var filter: QueryFilter
    /// The time range and its intervals.
    public var time: QueryTimeRange
    /// The number to compute.
    public var measure: Measure
    /// The grouping; nil for none.
    public var grouping: Grouping?
    /// Whether strings such as "12.50" count as the numbers they spell.
    public var readsTextsAsNumbers: Bool

    /// Creates a query.
    public init(
        _ filter: QueryFilter = QueryFilter(),
        in time: QueryTimeRange,
        measure: Measure = .events,
        grouping: Grouping? = nil,
        readsTextsAsNumbers: Bool = false
    ) {
        self.filter = filter
        self.time = time
        self.measure = measure
        self.grouping = grouping
        self.readsTextsAsNumbers = readsTextsAsNumbers
    }
}

/// A filter for events; all members that are set must match.
public struct QueryFilter: Sendable, Hashable {
    /// The event names to match; empty for any name.
    public var names: [String]
    /// The conditions on attributes and context; all must hold.
    public var conditions: [QueryCondition]
    /// The signed-in user.
    public var user: String?
    /// The installation that recorded the events.
    public var installation: InstallationID?

    /// Creates a filter.
    public init(
        names: [String] = [],
        conditions: [QueryCondition] = [],
        user: String? = nil,
        installation: InstallationID? = nil
    ) {
        self.names = names
        self.conditions = conditions
        self.user = user
        self.installation = installation
    }

    /// The fields of the conditions, without duplicates.
    public var fields: [QueryField] {
        conditions.flatMap(\.fields).reduce(into: []) { fields, field in
            if !fields.contains(field) { fields.append(field) }
        }
    }
}

/// Limits on queries.
public enum QueryLimits {
    /// The maximum number of event names.
    public static let names = 10
    /// The maximum number of conditions, and of alternatives in each.
    public static let conditions = 10
    /// The maximum size of a name, in bytes.
    ///
    /// The limit applies to event names, field names, and each part of a path.
    public static let nameBytes = 128
    /// The maximum number of parts in a context path.
    public static let pathParts = 8
    /// The maximum size of a compared value or user id, in bytes.
    public static let valueBytes = 1_024
    /// The maximum number of values in a list of a condition.
    public static let listedValues = 100
    /// The maximum number of intervals.
    ///
    /// The limit slightly exceeds the number of minutes in a day.
    public static let intervals = 1_500
    /// The default number of groups.
    public static let defaultGroups = 10
    /// The maximum number of groups.
    public static let groups = 100
    /// The maximum number of fields of a grouping.
    public static let groupingFields = 3
    /// The maximum number of limits between buckets.
    public static let bucketLimits = 50
    /// The maximum number of steps of a funnel or a path.
    public static let steps = 10
    /// The maximum number of intervals of a retention query.
    public static let cohorts = 100
    /// The maximum number of names per step of a path.
    public static let pathNames = 20
}

/// An error in a query.
public struct InvalidQueryError: Error, Hashable {
    /// The invalid parameter.
    public var field: String
    /// The value and a hint, in one sentence.
    public var message: String

    /// Creates an error.
    public init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }
}

/// The maximum cost of one query.
///
/// A query that exceeds its budget fails with an error that states what to narrow.
public struct QueryBudget: Sendable, Hashable {
    /// The maximum number of events read.
    public var events = 5_000_000
    /// The maximum duration.
    public var time = Duration.seconds(10)
    /// The maximum number of sums, one per group and interval with events.
    public var sums = 250_000
    /// The maximum number of distinct people or installations.
    ///
    /// Each person or installation counts once per sum that includes it.
    public var people = 2_000_000
    /// The maximum number of events held for sorting by person or session.
    public var kept = 3_000_000
    /// The maximum number of numbers held for sorting.
    public var numbers = 1_000_000
    /// The maximum number of events a search scans before it returns.
    public var searched = 200_000
    /// The maximum duration of a search before it returns.
    public var searchTime = Duration.seconds(1)
    /// The maximum total size of group values, in bytes.
    public var groupBytes = 16 << 20

    /// Creates the default budget.
    public init() {}
}
