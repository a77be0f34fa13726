// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The length of a query's intervals in a zone's calendar.
public enum QueryInterval: String, Sendable, Hashable, CaseIterable {
    /// A minute.
    case minute
    /// An hour of the zone's clocks, starting on the hour.
    case hour
    /// A day of the zone's calendar.
    ///
    /// A day has 23 or 25 hours when the clocks change.
    case day
    /// Seven days starting on the calendar's first day of the week, by default Monday.
    case week
    /// A calendar month.
    case month
    /// Three months, starting in January, April, July or October.
    case quarter
    /// A calendar year.
    case year

    /// The length in calendar months; nil for shorter intervals.
    private var months: Int64? {
        switch self {
        case .minute, .hour, .day, .week: nil
        case .month: 1
        case .quarter: 3
        case .year: 12
        }
    }

    /// The maximum length in milliseconds.
    var longest: Int64 {
        switch self {
        case .minute: 60_000
        case .hour: 3_600_000
        case .day: 2 * Self.dayLength
        case .week: 8 * Self.dayLength
        case .month: 32 * Self.dayLength
        case .quarter: 93 * Self.dayLength
        case .year: 367 * Self.dayLength
        }
    }

    public static let dayLength: Int64 = 86_400_000

    /// Returns the edges of the intervals in a range.
    ///
    /// The edges are `from`, every later start of an interval, and `to`. Interval `i` extends from edge `i` to edge `i
    /// + 1`, so intervals neither overlap nor leave gaps.
    ///
    /// - Parameters:
    ///   - from: the start of the range.
    ///   - to: the end of the range, later than `from`.
    ///   - zone: the time zone of the calendar.
    ///   - limit: the maximum number of intervals.
    /// - Returns: nil when there are more than `limit` intervals.
    /// - Complexity: O(intervals × clock changes).
    public func edges(from: Timestamp, to: Timestamp, in zone: ZoneOffsets, limit: Int) -> [Timestamp]? {
        // Check this first, because everything below takes time proportional to the number of intervals.
        guard from.duration(to: to) <= .milliseconds(longest * Int64(limit)) else { return nil }
        var edges = [from]
        var isWithin = true
        func add(_ edge: Timestamp) {
            guard let last = edges.last, edge > last, edge < to else { return }
            if edges.count <= limit { edges.append(edge) } else { isWithin = false }
        }
        switch self {
        case .minute: steps(of: 60_000, from: from, to: to, in: zone, add)
        case .hour: steps(of: 3_600_000, from: from, to: to, in: zone, add)
        case .day, .week, .month, .quarter, .year:
            var date = start(of: zone.local(from), zone.weekStart)
            while true {
                let edge = zone.instant(local: date)
                if edge >= to || !isWithin { break }
                add(edge)
                date = following(date)
            }
        }
        edges.append(to)
        return isWithin && edges.count <= limit + 1 ? edges : nil
    }

    /// Returns the edges of the previous period, one for each given edge.
    ///
    /// Each edge is moved back by the length of the range: in local time for days and longer intervals, in elapsed time
    /// for minutes and hours, and in whole months for a range of whole months. The last edge is the start of the range.
    func edgesBefore(_ edges: [Timestamp], in zone: ZoneOffsets) -> [Timestamp] {
        guard let from = edges.first, let to = edges.last else { return [] }
        let elapsed = to.milliseconds - from.milliseconds
        let length = zone.local(to) - zone.local(from)
        let moved: (Timestamp) -> Timestamp
        if months != nil,
            [from, to].allSatisfy({ zone.instant(local: start(of: zone.local($0), zone.weekStart)) == $0 })
        {
            let months = Self.months(zone.local(to)) - Self.months(zone.local(from))
            moved = { zone.instant(local: Self.startOfMonth(Self.months(zone.local($0)) - months)) }
        } else if self == .minute || self == .hour || length <= 0 {
            moved = { Timestamp(milliseconds: $0.milliseconds - elapsed) }
        } else {
            moved = { zone.instant(local: zone.local($0) - length) }
        }
        var before: [Timestamp] = []
        for edge in edges.dropLast() { before.append(min(max(moved(edge), before.last ?? moved(edge)), from)) }
        return before + [from]
    }

    /// Returns the edges of the previous period of a calendar range, one for each given edge.
    ///
    /// Each edge is moved back by a day, a week or a month in local time, so a range that has not ended is compared with
    /// the same hours of the previous period. A day that the previous month lacks is empty.
    func edgesBefore(_ edges: [Timestamp], of range: CalendarRange, in zone: ZoneOffsets) -> [Timestamp] {
        guard let from = edges.first else { return [] }
        func moved(_ edge: Timestamp) -> Timestamp {
            let local = zone.local(edge)
            switch range.interval {
            case .week: return zone.instant(local: local - 7 * Self.dayLength)
            case .month:
                let month = Self.months(local)
                let passed = local - Self.startOfMonth(month)
                return zone.instant(local: Self.startOfMonth(month - 1) + passed)
            default: return zone.instant(local: local - Self.dayLength)
            }
        }
        var before: [Timestamp] = []
        for edge in edges { before.append(min(max(moved(edge), before.last ?? moved(edge)), from)) }
        if !range.isOpen, !before.isEmpty { before[before.count - 1] = from }
        return before
    }

    /// Returns the start of the interval that contains a time.
    func start(containing moment: Timestamp, in zone: ZoneOffsets) -> Timestamp {
        start(before: moment.advanced(by: .milliseconds(1)), in: zone)
    }

    /// Returns the start of the interval that contains the millisecond before `edge`.
    func start(before edge: Timestamp, in zone: ZoneOffsets) -> Timestamp {
        let moment = Timestamp(milliseconds: edge.milliseconds - 1)
        let local = zone.local(moment)
        switch self {
        case .minute, .hour:
            let passed = local - floored(local, to: self == .minute ? 60_000 : 3_600_000)
            return Timestamp(milliseconds: moment.milliseconds - passed)
        case .day, .week, .month, .quarter, .year:
            // If the clocks skip midnight, the calculated start may be later than the moment; the interval then starts
            // at the moment.
            return min(zone.instant(local: start(of: local, zone.weekStart)), moment)
        }
    }

    /// Adds an edge at every full local minute or hour.
    ///
    /// A clock change adds one more edge if the local time before or after the change is a full minute or hour.
    private func steps(
        of step: Int64,
        from: Timestamp,
        to: Timestamp,
        in zone: ZoneOffsets,
        _ add: (Timestamp) -> Void
    ) {
        var offsetBefore: Int64?
        for segment in zone.segments {
            defer { offsetBefore = segment.offset }
            guard segment.end > from.milliseconds, segment.start < to.milliseconds else { continue }
            if let offsetBefore, segment.start > from.milliseconds,
                floored(segment.start + offsetBefore, to: step) == segment.start + offsetBefore
            {
                add(Timestamp(milliseconds: segment.start))
            }
            let start = max(segment.start, from.milliseconds)
            var edge = floored(start + segment.offset + step - 1, to: step) - segment.offset
            while edge < min(segment.end, to.milliseconds) {
                add(Timestamp(milliseconds: edge))
                edge += step
            }
        }
    }

    /// Returns the local start of the calendar interval of a local time.
    ///
    /// For minutes and hours, this is the start of the day.
    private func start(of local: Int64, _ weekStart: WeekStart) -> Int64 {
        let midnight = floored(local, to: Self.dayLength)
        switch self {
        case .minute, .hour, .day: return midnight
        case .week:
            let shift = weekStart.daysBeforeEpoch * Self.dayLength
            return floored(midnight + shift, to: 7 * Self.dayLength) - shift
        case .month, .quarter, .year:
            return Self.startOfMonth(floored(Self.months(local), to: months ?? 1))
        }
    }

    private func following(_ date: Int64) -> Int64 {
        switch self {
        case .minute, .hour, .day: date + Self.dayLength
        case .week: date + 7 * Self.dayLength
        case .month, .quarter, .year: Self.startOfMonth(Self.months(date) + (months ?? 1))
        }
    }

    /// Returns the number of Gregorian months since the year 0.
    private static func months(_ local: Int64) -> Int64 {
        // Count days from March 1 of the year 0, so that a leap day is the last day of its year.
        let days = floored(local, to: dayLength) / dayLength + 719_468
        let era = floored(days, to: 146_097) / 146_097
        let dayOfEra = days - era * 146_097
        let year = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        return (year + era * 400) * 12 + monthFromMarch + 2
    }

    /// Returns the local time of a month's start.
    ///
    /// Months are counted as in ``months(_:)``.
    private static func startOfMonth(_ months: Int64) -> Int64 {
        let fromMarch = months - 2
        let (year, month) = (floored(fromMarch, to: 12) / 12, fromMarch - floored(fromMarch, to: 12))
        let era = floored(year, to: 400) / 400
        let yearOfEra = year - era * 400
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * month + 2) / 5
        return (era * 146_097 + dayOfEra - 719_468) * dayLength
    }
}

/// A query's time range and its intervals.
///
/// A store that answers the query needs no calendar.
public struct QueryTimeRange: Sendable, Hashable {
    /// The zone's IANA name.
    public let zone: String
    /// The length of the intervals.
    public let interval: QueryInterval
    /// The edges of the intervals, ascending; at least two.
    public let edges: [Timestamp]
    /// The edges of the previous period; empty when not requested.
    ///
    /// The number of edges is the same as in ``edges``. The previous period ends at the start of the range, or earlier if
    /// the range is a calendar range that has not ended.
    public let edgesBefore: [Timestamp]
    /// The start of the interval before the range.
    ///
    /// That interval contains the time just before the first edge.
    public let preceding: Timestamp
    /// The indexes of incomplete intervals, ascending.
    ///
    /// The first interval is incomplete if it begins before the range, the last if it ends after the range.
    public let partialIntervals: [Int]

    /// Creates the intervals of a range.
    ///
    /// - Parameters:
    ///   - from: the start of the range.
    ///   - to: the end of the range, later than `from`.
    ///   - comparing: whether to include the previous period.
    ///   - calendar: the calendar range from which the range was calculated; nil for none.
    /// - Returns: nil when there are more than ``QueryLimits/intervals`` intervals, or `to` is not after `from`.
    public init?(
        from: Timestamp,
        to: Timestamp,
        interval: QueryInterval,
        in zone: ZoneOffsets,
        comparing: Bool = false,
        of calendar: CalendarRange? = nil
    ) {
        guard from < to, let edges = interval.edges(from: from, to: to, in: zone, limit: QueryLimits.intervals)
        else {
            return nil
        }
        self.zone = zone.name
        self.interval = interval
        self.edges = edges
        preceding = interval.start(before: from, in: zone)
        if !comparing {
            edgesBefore = []
        } else if let calendar {
            edgesBefore = interval.edgesBefore(edges, of: calendar, in: zone)
        } else {
            edgesBefore = interval.edgesBefore(edges, in: zone)
        }
        let isTorn = [from, to].map { edge in
            interval.start(before: edge.advanced(by: .milliseconds(1)), in: zone) != edge
        }
        partialIntervals = Set([isTorn[0] ? 0 : nil, isTorn[1] ? edges.count - 2 : nil].compactMap(\.self)).sorted()
    }

    /// The number of intervals.
    public var count: Int { edges.count - 1 }
    /// The earliest time to read, inclusive.
    ///
    /// This is the start of the previous period if requested, otherwise the start of the range.
    public var start: Timestamp { edgesBefore.first ?? edges[0] }
    /// The end of the time to read, exclusive.
    ///
    /// This is the end of the range.
    public var end: Timestamp { edges[edges.count - 1] }

    /// Whether a time between ``start`` and ``end`` is in one of the two periods, not between them.
    public func contains(_ moment: Timestamp) -> Bool {
        moment >= edges[0] || edgesBefore.last.map { moment < $0 } ?? false
    }

    /// Returns the index of the interval that contains a time.
    ///
    /// The time must be between ``start`` and ``end``. The requested intervals are numbered from 0, those of the
    /// previous period from ``count``.
    ///
    /// - Complexity: O(log intervals).
    public func slot(of moment: Timestamp) -> Int {
        moment >= edges[0]
            ? Self.place(of: moment, in: edges) : count + Self.place(of: moment, in: edgesBefore)
    }

    private static func place(of moment: Timestamp, in edges: [Timestamp]) -> Int {
        var (low, high) = (0, edges.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if edges[middle] <= moment { low = middle } else { high = middle }
        }
        return low
    }
}
