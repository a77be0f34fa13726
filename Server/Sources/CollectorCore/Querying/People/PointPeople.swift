// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The group of people in one point of an answer.
public enum PointGroup: Sendable, Hashable {
    /// All people, of all groups.
    case all
    /// The people of one value; nil for events without one.
    case value(QueryValue?)
    /// The people of the values that form no group of their own.
    case other
}

/// One point of a trend.
public struct TrendPoint: Sendable, Hashable {
    /// The index of the interval; nil for the whole period.
    public var interval: Int?
    /// Whether the point is in the previous period.
    public var isBefore: Bool
    /// The group.
    public var group: PointGroup

    /// Creates a point.
    public init(interval: Int?, isBefore: Bool = false, group: PointGroup = .all) {
        self.interval = interval
        self.isBefore = isBefore
        self.group = group
    }
}

/// One step of a funnel.
public struct FunnelPoint: Sendable, Hashable {
    /// The step, from 1.
    public var step: Int
    /// Whether the people reached no later step.
    public var isDropOff: Bool
    /// The group.
    public var group: PointGroup

    /// Creates a point.
    public init(step: Int, isDropOff: Bool, group: PointGroup = .all) {
        self.step = step
        self.isDropOff = isDropOff
        self.group = group
    }
}

/// A cohort of a retention query, or its people who returned.
public struct RetentionPoint: Sendable, Hashable {
    /// The interval of the cohort.
    public var cohort: Int
    /// The number of intervals after which people returned.
    ///
    /// Nil for all people of the cohort.
    public var later: Int?

    /// Creates a point.
    public init(cohort: Int, later: Int? = nil) {
        self.cohort = cohort
        self.later = later
    }
}

/// A state of one interval of a lifecycle query.
public struct LifecyclePoint: Sendable, Hashable {
    /// The states, as in the response.
    public enum State: String, Sendable, Hashable, CaseIterable {
        case new
        case returning
        case resurrected
        case dormant
    }

    /// The index of the interval.
    public var interval: Int
    /// The state.
    public var state: State

    /// Creates a point.
    public init(interval: Int, state: State) {
        self.interval = interval
        self.state = state
    }
}

/// A query for the people behind one point of another query's answer.
public struct PointPeopleQuery: Sendable, Hashable {
    /// The kind of the query that has the point.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case trends
        case funnels
        case retention
        case lifecycle
        case stickiness
    }

    /// The query, and the point of its answer.
    public enum Point: Sendable, Hashable {
        case trend(TrendQuery, TrendPoint)
        case funnel(FunnelQuery, FunnelPoint)
        case retention(RetentionQuery, RetentionPoint)
        case lifecycle(ActivityQuery, LifecyclePoint)
        /// The people active in exactly this number of intervals, from 1.
        case stickiness(ActivityQuery, intervals: Int)
    }

    /// The query, and the point of its answer.
    public var point: Point
    /// The maximum number of people.
    public var limit: Int
    /// The person after which the list continues.
    public var after: TimeCursor?

    /// Creates a query.
    public init(_ point: Point, limit: Int = PointPeopleQuery.defaultLimit, after: TimeCursor? = nil) {
        self.point = point
        self.limit = limit
        self.after = after
    }

    /// The default number of people in a response.
    public static let defaultLimit = 100
    /// The maximum number of people in a response.
    public static let maximumLimit = 10_000

    /// The names of the query's own parameters; all others are those of the query that has the point.
    private static let known: Set<String> = ["point", "group", "period", "limit", "after"]

    /// Parses a query from URL parameters.
    ///
    /// - Parameters:
    ///   - kind: the kind of the query that has the point.
    ///   - parameters: names and values, unescaped.
    ///   - now: the default end of the time range.
    ///   - zones: a function that returns the offsets of time zones.
    /// - Throws: ``InvalidQueryError`` with the parameter, its value, and a hint.
    public init(
        _ kind: Kind,
        parameters: [(name: String, value: String)],
        now: Timestamp,
        zones: ZoneDirectory
    ) throws(InvalidQueryError) {
        let reader = QueryParameterReader(parameters.filter { Self.known.contains($0.name) })
        let asked = parameters.filter { !Self.known.contains($0.name) }
        let point = try PointParser(reader, kind)
        switch kind {
        case .trends:
            let query = try TrendQuery(parameters: asked, now: now, zones: zones)
            self.init(.trend(query, try point.trend(of: query)))
        case .funnels:
            let query = try FunnelQuery(parameters: asked, now: now, zones: zones)
            self.init(.funnel(query, try point.funnel(of: query)))
        case .retention:
            let query = try RetentionQuery(parameters: asked, now: now, zones: zones)
            self.init(.retention(query, try point.retention(of: query)))
        case .lifecycle:
            let query = try ActivityQuery(parameters: asked, now: now, zones: zones)
            self.init(.lifecycle(query, try point.lifecycle(of: query)))
        case .stickiness:
            let query = try ActivityQuery(parameters: asked, now: now, zones: zones)
            self.init(.stickiness(query, intervals: try point.stickiness(of: query)))
        }
        limit = try reader.number("limit", in: 1...Self.maximumLimit) ?? Self.defaultLimit
        if let text = try reader.text("after") {
            guard let after = TimeCursor(text) else {
                throw InvalidQueryError(
                    "after",
                    "“\(text.prefix(64))” is not a cursor: write the previous response's “next”."
                )
            }
            self.after = after
        }
    }

    /// The filters of the query.
    public var filters: [QueryFilter] {
        switch point {
        case .trend(let query, _): [query.filter]
        case .funnel(let query, _): query.steps
        case .retention(let query, _): [query.first, query.returning]
        case .lifecycle(let query, _), .stickiness(let query, _): [query.filter]
        }
    }

    /// The start of the time range; nil if all earlier events matter.
    public var start: Timestamp? {
        switch point {
        case .trend(let query, _): query.time.start
        case .funnel(let query, _): query.from
        case .retention(let query, _): query.cohort == .first ? nil : query.time.start
        case .lifecycle: nil
        case .stickiness(let query, _): query.time.start
        }
    }
}

/// Parses the parameters that name a point.
private struct PointParser {
    private let reader: QueryParameterReader
    private let text: String
    private let first: Substring
    private let rest: Substring?

    init(_ reader: QueryParameterReader, _ kind: PointPeopleQuery.Kind) throws(InvalidQueryError) {
        self.reader = reader
        guard let text = try reader.text("point") else {
            throw InvalidQueryError("point", "“point” is missing: write \(Self.examples(kind)).")
        }
        self.text = text
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        first = parts[0]
        rest = parts.count > 1 ? parts[1] : nil
        if try reader.text("period") != nil, kind != .trends {
            throw InvalidQueryError("period", "“period” applies to trends only: omit it.")
        }
        if try reader.text("group") != nil, kind != .trends, kind != .funnels {
            throw InvalidQueryError("group", "“group” applies to trends and funnels only: omit it.")
        }
    }

    private static func examples(_ kind: PointPeopleQuery.Kind) -> String {
        switch kind {
        case .trends: "3 (an interval, counted from 0), a time in it, or total"
        case .funnels: "2/reached or 2/dropped (a step, counted from 1)"
        case .retention: "3 (a cohort, counted from 0), or 3/1 for those who returned one interval later"
        case .lifecycle: "3/new, 3/returning, 3/resurrected or 3/dormant (an interval, counted from 0)"
        case .stickiness: "3 (the number of active intervals, from 1)"
        }
    }

    private func invalid(_ kind: PointPeopleQuery.Kind) -> InvalidQueryError {
        InvalidQueryError("point", "“\(text.prefix(64))” is not a point: write \(Self.examples(kind)).")
    }

    func trend(of query: TrendQuery) throws(InvalidQueryError) -> TrendPoint {
        guard rest == nil else { throw invalid(.trends) }
        var isBefore = false
        if let period = try reader.text("period") {
            guard period == "before", !query.time.edgesBefore.isEmpty else {
                throw InvalidQueryError("period", "“period” must be “before”, and requires compare=before.")
            }
            isBefore = true
        }
        let edges = isBefore ? query.time.edgesBefore : query.time.edges
        return TrendPoint(
            interval: first == "total" ? nil : try interval(edges, .trends),
            isBefore: isBefore,
            group: try group(isGrouped: query.grouping != nil)
        )
    }

    func funnel(of query: FunnelQuery) throws(InvalidQueryError) -> FunnelPoint {
        guard let step = Int(first), rest == nil || rest == "reached" || rest == "dropped" else {
            throw invalid(.funnels)
        }
        guard (1...query.steps.count).contains(step) else {
            throw InvalidQueryError("point", "\(step) is not a step of the funnel: write 1 to \(query.steps.count).")
        }
        return FunnelPoint(
            step: step,
            isDropOff: rest != "reached",
            group: try group(isGrouped: query.grouping != nil)
        )
    }

    func retention(of query: RetentionQuery) throws(InvalidQueryError) -> RetentionPoint {
        let cohort = try interval(query.time.edges, .retention)
        guard let rest else { return RetentionPoint(cohort: cohort) }
        guard let later = Int(rest), later >= 0 else { throw invalid(.retention) }
        guard later < query.time.count - cohort else {
            throw InvalidQueryError(
                "point",
                "“\(text.prefix(64))” is after the time range: write 0 to \(query.time.count - cohort - 1) after “/”."
            )
        }
        return RetentionPoint(cohort: cohort, later: later)
    }

    func lifecycle(of query: ActivityQuery) throws(InvalidQueryError) -> LifecyclePoint {
        guard let state = rest.flatMap({ LifecyclePoint.State(rawValue: String($0)) }) else {
            throw invalid(.lifecycle)
        }
        return LifecyclePoint(interval: try interval(query.time.edges, .lifecycle), state: state)
    }

    func stickiness(of query: ActivityQuery) throws(InvalidQueryError) -> Int {
        guard let count = Int(first), rest == nil else { throw invalid(.stickiness) }
        guard (1...query.time.count).contains(count) else {
            throw InvalidQueryError(
                "point",
                "\(count) is not a number of intervals of the range: write 1 to \(query.time.count)."
            )
        }
        return count
    }

    /// Parses an interval: its index, or a time in it.
    private func interval(
        _ edges: [Timestamp],
        _ kind: PointPeopleQuery.Kind
    ) throws(InvalidQueryError) -> Int {
        // There are fewer intervals than that, and no useful time is that early.
        let greatestIndex: Int64 = 99_999
        let number = Int64(first)
        if let number, (0...greatestIndex).contains(number) {
            guard number < edges.count - 1 else {
                throw InvalidQueryError(
                    "point",
                    "\(number) is not an interval of the range: write 0 to \(edges.count - 2), or a time."
                )
            }
            return Int(number)
        }
        guard let time = number.map(Timestamp.init(milliseconds:)) ?? Timestamp(iso8601: String(first)) else {
            throw invalid(kind)
        }
        guard let next = edges.firstIndex(where: { time < $0 }), next > 0 else {
            throw InvalidQueryError(
                "point",
                "\(time) is not in the range from \(edges[0]) to \(edges[edges.count - 1])."
            )
        }
        return next - 1
    }

    /// Parses the group: `other`, a value as JSON, or else a text.
    private func group(isGrouped: Bool) throws(InvalidQueryError) -> PointGroup {
        guard let text = try reader.text("group") else { return .all }
        guard isGrouped else {
            throw InvalidQueryError("group", "“group” requires an attribute to group by: name it with “by”.")
        }
        _ = try reader.limitedText(text, "group", 64 * QueryLimits.valueBytes)
        if text == "other" { return .other }
        // Text that is not JSON stands for itself.
        guard let value = try? JSONValue.parse(Array(text.utf8)) else { return .value(.text(Array(text.utf8))) }
        return .value(QueryValue(value))
    }
}

/// The people behind one point of an answer.
public struct PointPeople: Sendable, Hashable {
    /// One person, installation or group, with its events in the point.
    public struct Person: Sendable, Hashable {
        /// The user; nil for others.
        public var user: String?
        /// The visitor's installation, or the installation if installations are counted.
        public var installation: InstallationID?
        /// The id of the group; nil if people or installations are counted.
        public var group: String?
        /// The time of the first event.
        public var first: Timestamp
        /// The time of the last event.
        public var last: Timestamp
        /// The number of events.
        public var events: Int64

        /// Creates a person.
        public init(
            user: String? = nil,
            installation: InstallationID? = nil,
            group: String? = nil,
            first: Timestamp,
            last: Timestamp,
            events: Int64
        ) {
            self.user = user
            self.installation = installation
            self.group = group
            self.first = first
            self.last = last
            self.events = events
        }
    }

    /// The people, last event first.
    public var people: [Person]
    /// The number of people in the point.
    public var total: Int
    /// The number of the point's events that belong to none of them.
    public var eventsWithoutPerson: Int64
    /// The cursor for the next page; nil at the end.
    public var next: TimeCursor?
    /// The number of events read.
    public var events: Int

    /// Creates a list.
    public init(people: [Person], total: Int, eventsWithoutPerson: Int64 = 0, next: TimeCursor? = nil, events: Int) {
        self.people = people
        self.total = total
        self.eventsWithoutPerson = eventsWithoutPerson
        self.next = next
        self.events = events
    }

    /// Writes the response.
    ///
    /// - Parameter retainedSince: The arrival time before which events are missing; nil when none are missing.
    public func write(retainedSince: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("people", people) { person, writer in
            writer.beginObject()
            if let group = person.group {
                writer.member("group", group)
            } else {
                writer.member("user", person.user)
                writer.member("installation", person.installation?.description)
            }
            writer.member("first", person.first.milliseconds)
            writer.member("last", person.last.milliseconds)
            writer.member("events", person.events)
            writer.endObject()
        }
        writer.member("total", Int64(total))
        writer.member("without_person", eventsWithoutPerson)
        if let next { writer.member("next", next.description) }
        writer.member("read", Int64(events))
        writer.writeRetainedSince(retainedSince)
        writer.endObject()
    }

    /// The first line of ``csv``.
    public static let csvHeading = "user,installation,group,first,last,events\r\n"

    /// The people as lines of a table, without the heading.
    public var csv: String {
        people.reduce(into: "") { text, person in
            let cells = [
                person.user ?? "", person.installation?.description ?? "", person.group ?? "",
                person.first.iso8601, person.last.iso8601, String(person.events),
            ]
            text += cells.map(UsageReportRow.quoted).joined(separator: ",") + "\r\n"
        }
    }
}
