// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A query for the conversion of people through a sequence of steps.
public struct FunnelQuery: Sendable, Hashable {
    /// The filters for each step's events, in order; 1 to ``QueryLimits/steps``.
    public var steps: [QueryFilter]
    /// The earliest time of the first step, inclusive.
    public var from: Timestamp
    /// The end of the time range of the first step, exclusive.
    ///
    /// Later steps may occur after this time.
    public var to: Timestamp
    /// The maximum time from the first step to the last, in milliseconds.
    public var window: Int64
    /// The grouping by a value of the first step's event.
    ///
    /// Nil for no grouping.
    public var grouping: TrendQuery.Grouping?
    /// The step, from 1, whose drop-offs are listed; nil for no list.
    ///
    /// The list contains people who reached this step but no later one.
    public var lastStep: Int?
    /// What is counted.
    ///
    /// Groups are not listed by ``lastStep``.
    public var unit: QueryUnit

    /// Creates a query.
    public init(
        steps: [QueryFilter],
        from: Timestamp,
        to: Timestamp,
        window: Int64 = FunnelQuery.defaultWindow,
        grouping: TrendQuery.Grouping? = nil,
        lastStep: Int? = nil,
        unit: QueryUnit = .person
    ) {
        self.steps = steps
        self.from = from
        self.to = to
        self.window = window
        self.grouping = grouping
        self.lastStep = lastStep
        self.unit = unit
    }

    /// The default window: seven days.
    public static let defaultWindow: Int64 = 7 * 86_400_000
    /// The maximum number of people listed.
    public static let listedPeople = 100
}

/// The result of a ``FunnelQuery``.
public struct Funnel: Sendable, Hashable {
    /// One step of one series.
    public struct Step: Sendable, Hashable {
        /// The number of people who reached this step.
        public var people: Int64
        /// The median time from the previous step, in milliseconds (nearest rank).
        ///
        /// Nil for the first step, and for a step that no one reached.
        public var median: Int64?
        /// The median time from the first step, in milliseconds.
        ///
        /// Nil for the first step, and for a step that no one reached.
        public var medianTotal: Int64?

        /// Creates a step.
        public init(people: Int64, median: Int64? = nil, medianTotal: Int64? = nil) {
            self.people = people
            self.median = median
            self.medianTotal = medianTotal
        }
    }

    /// The numbers for one group of people, by step.
    public struct Series: Sendable, Hashable {
        /// The group, by the value of the first step's event.
        public var group: Trend.Group
        /// The steps, in order.
        public var steps: [Step]

        /// Creates a series.
        public init(group: Trend.Group, steps: [Step]) {
            self.group = group
            self.steps = steps
        }
    }

    /// A person who reached a step but no later one.
    public struct Person: Sendable, Hashable {
        /// The user; nil for a visitor who did not sign in.
        public var user: String?
        /// The visitor's installation; nil for a user.
        public var installation: InstallationID?
        /// The time of the person's last step.
        public var at: Timestamp

        /// Creates a person.
        public init(user: String?, installation: InstallationID?, at: Timestamp) {
            self.user = user
            self.installation = installation
            self.at = at
        }
    }

    /// The series, one per group, most people first.
    ///
    /// The group of all other values is last.
    public var series: [Series]
    /// The people who reached the requested step but no later one.
    ///
    /// The person who reached the step last comes first. Nil when no step was requested.
    public var people: [Person]?
    /// The number of events read.
    public var events: Int

    /// Creates a result.
    public init(series: [Series], people: [Person]? = nil, events: Int) {
        self.series = series
        self.people = people
        self.events = events
    }
}

extension FunnelQuery {
    private static let known: Set<String> = [
        "step", "where", "user", "installation", "run", "last", "from", "to", "zone", "week_start", "window", "by",
        "buckets", "values", "top", "people", "unit",
    ]

    /// Parses a query from URL parameters.
    ///
    /// Each `step` gives the event name of one step. `where` is a condition on every step, and `where.2` a condition on
    /// the second step.
    ///
    /// - Parameters:
    ///   - parameters: names and values, unescaped.
    ///   - now: the default end of the time range.
    ///   - zones: a function that returns the offsets of the zone in which the days of `last` begin.
    /// - Throws: ``InvalidQueryError`` with the parameter, its value, and a hint.
    public init(
        parameters: [(name: String, value: String)],
        now: Timestamp,
        zones: ZoneDirectory
    ) throws(InvalidQueryError) {
        let reader = QueryParameterReader(parameters)
        let names = reader.all("step")
        try reader.checkCount(names.count, "step", QueryLimits.steps)
        guard !names.isEmpty else {
            throw InvalidQueryError("step", "A funnel needs steps: write “step” with an event's name for each one.")
        }
        try reader.allow(only: Self.known.union(names.indices.map { "where.\($0 + 1)" }))
        var steps: [QueryFilter] = []
        for (index, name) in names.enumerated() {
            var step = try reader.filter(conditions: ["where", "where.\(index + 1)"])
            step.names = [try reader.limitedText(name, "step", QueryLimits.nameBytes)]
            steps.append(step)
        }
        let (from, to) = try reader.range(now: now, zones)
        let (unit, lastStep) = (try reader.unit(), try reader.number("people", in: 1...names.count))
        guard lastStep == nil || unit == .person else {
            throw InvalidQueryError("people", "“people” lists people, and “unit” counts groups: omit one of them.")
        }
        self.init(
            steps: steps,
            from: from,
            to: to,
            window: try reader.duration("window", upTo: 366 * 86_400_000) ?? Self.defaultWindow,
            grouping: try reader.grouping(),
            lastStep: lastStep,
            unit: unit
        )
    }
}

extension Funnel {
    /// Writes the result with the query's time range and steps.
    ///
    /// - Parameter retainedSince: The arrival time before which events are missing; nil when none are missing.
    public func write(for query: FunnelQuery, retainedSince: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("from", query.from.milliseconds)
        writer.member("to", query.to.milliseconds)
        writer.member("window", query.window)
        writer.list("steps", query.steps) { step, writer in writer.string(step.names.first ?? "") }
        writer.list("series", series) { series, writer in
            writer.beginObject()
            series.group.writeMembers(to: &writer)
            writer.list("steps", series.steps) { $0.write(to: &$1) }
            writer.endObject()
        }
        if let people {
            writer.list("people", people) { person, writer in
                writer.beginObject()
                writer.member("user", person.user)
                writer.member("installation", person.installation?.description)
                writer.member("at", person.at.milliseconds)
                writer.endObject()
            }
        }
        writer.member("read", Int64(events))
        writer.writeRetainedSince(retainedSince)
        writer.endObject()
    }
}

extension Funnel.Step {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("people", people)
        if let median { writer.member("median", median) }
        if let medianTotal { writer.member("median_total", medianTotal) }
        writer.endObject()
    }
}
