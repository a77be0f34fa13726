// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// How long the intervals of a question are: stretches of a zone's calendar.
public enum QuestionInterval: String, Sendable, Hashable, CaseIterable {
    /// A minute.
    case minute
    /// An hour, from one full hour of the zone's clocks to the next.
    case hour
    /// A day of the zone's calendar; 23 or 25 hours where the clocks change.
    case day
    /// Seven days from Monday.
    case week
    /// A month of the calendar.
    case month
    /// Three months, from January, April, July or October.
    case quarter
    /// A year of the calendar.
    case year

    /// How many months of the calendar it is; nil for shorter ones.
    private var months: Int64? {
        switch self {
        case .minute, .hour, .day, .week: nil
        case .month: 1
        case .quarter: 3
        case .year: 12
        }
    }

    /// The longest that one can be, in milliseconds.
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

    /// Where the intervals of a range begin and end: `from`, every beginning of an interval behind it, `to`. Interval `i`
    /// reaches from edge `i` to edge `i + 1`, so that they neither overlap nor leave anything out.
    ///
    /// - Parameters:
    ///   - from: the first moment.
    ///   - to: the end, later than `from`.
    ///   - zone: whose calendar counts.
    ///   - limit: the most intervals.
    /// - Returns: nil when there are more than `limit`.
    /// - Complexity: O(intervals × changes of the clocks).
    public func edges(from: Timestamp, to: Timestamp, in zone: ZoneOffsets, limit: Int) -> [Timestamp]? {
        // Before anything that takes as long as there are intervals.
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
            var date = begin(of: zone.local(from))
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

    /// The edges of the period before, one for each edge: each lies as far back as the range is long, on the clocks of the zone
    /// for days and longer, in elapsed time for minutes and hours, and in whole months for a range of them. The last is
    /// where the range begins.
    func edgesBefore(_ edges: [Timestamp], in zone: ZoneOffsets) -> [Timestamp] {
        guard let from = edges.first, let to = edges.last else { return [] }
        let elapsed = to.milliseconds - from.milliseconds
        let length = zone.local(to) - zone.local(from)
        let moved: (Timestamp) -> Timestamp
        if months != nil, [from, to].allSatisfy({ zone.instant(local: begin(of: zone.local($0))) == $0 }) {
            let months = Self.months(zone.local(to)) - Self.months(zone.local(from))
            moved = { zone.instant(local: Self.beginOfMonth(Self.months(zone.local($0)) - months)) }
        } else if self == .minute || self == .hour || length <= 0 {
            moved = { Timestamp(milliseconds: $0.milliseconds - elapsed) }
        } else {
            moved = { zone.instant(local: zone.local($0) - length) }
        }
        var before: [Timestamp] = []
        for edge in edges.dropLast() { before.append(min(max(moved(edge), before.last ?? moved(edge)), from)) }
        return before + [from]
    }

    /// Where the interval begins that the moment before `edge` lies in.
    func beginning(before edge: Timestamp, in zone: ZoneOffsets) -> Timestamp {
        let moment = Timestamp(milliseconds: edge.milliseconds - 1)
        let local = zone.local(moment)
        switch self {
        case .minute, .hour:
            let passed = local - floored(local, to: self == .minute ? 60_000 : 3_600_000)
            return Timestamp(milliseconds: moment.milliseconds - passed)
        case .day, .week, .month, .quarter, .year:
            // A midnight that is skipped may lie behind the moment on the clock, and never behind it in time.
            return min(zone.instant(local: begin(of: local)), moment)
        }
    }

    /// Full minutes or hours of the clocks. Where the clocks change, one more begins if the time before or the time after was full.
    private func steps(
        of step: Int64,
        from: Timestamp,
        to: Timestamp,
        in zone: ZoneOffsets,
        _ add: (Timestamp) -> Void
    ) {
        var offsetBefore: Int64?
        for stretch in zone.stretches {
            defer { offsetBefore = stretch.offset }
            guard stretch.end > from.milliseconds, stretch.start < to.milliseconds else { continue }
            if let offsetBefore, stretch.start > from.milliseconds,
                floored(stretch.start + offsetBefore, to: step) == stretch.start + offsetBefore
            {
                add(Timestamp(milliseconds: stretch.start))
            }
            let start = max(stretch.start, from.milliseconds)
            var edge = floored(start + stretch.offset + step - 1, to: step) - stretch.offset
            while edge < min(stretch.end, to.milliseconds) {
                add(Timestamp(milliseconds: edge))
                edge += step
            }
        }
    }

    /// When, on the clock, the day, week or month of a local time begins.
    private func begin(of local: Int64) -> Int64 {
        let midnight = floored(local, to: Self.dayLength)
        switch self {
        case .minute, .hour, .day: return midnight
        // The first of January 1970 was a Thursday.
        case .week: return floored(midnight + 3 * Self.dayLength, to: 7 * Self.dayLength) - 3 * Self.dayLength
        case .month, .quarter, .year:
            return Self.beginOfMonth(floored(Self.months(local), to: months ?? 1))
        }
    }

    private func following(_ date: Int64) -> Int64 {
        switch self {
        case .minute, .hour, .day: date + Self.dayLength
        case .week: date + 7 * Self.dayLength
        case .month, .quarter, .year: Self.beginOfMonth(Self.months(date) + (months ?? 1))
        }
    }

    /// Months since the year 0 in the Gregorian calendar.
    private static func months(_ local: Int64) -> Int64 {
        // Days are counted from the first of March of the year 0, so that leap days come last in a year.
        let days = floored(local, to: dayLength) / dayLength + 719_468
        let era = floored(days, to: 146_097) / 146_097
        let dayOfEra = days - era * 146_097
        let year = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        return (year + era * 400) * 12 + monthFromMarch + 2
    }

    /// The clock at the first of a month, counted as in ``months(_:)``.
    private static func beginOfMonth(_ months: Int64) -> Int64 {
        let fromMarch = months - 2
        let (year, month) = (floored(fromMarch, to: 12) / 12, fromMarch - floored(fromMarch, to: 12))
        let era = floored(year, to: 400) / 400
        let yearOfEra = year - era * 400
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * month + 2) / 5
        return (era * 146_097 + dayOfEra - 719_468) * dayLength
    }
}

/// When a question is about, and into which intervals the time is divided. Whoever answers needs no calendar.
public struct QuestionTime: Sendable, Hashable {
    /// The zone's IANA name.
    public let zone: String
    /// How long the intervals are.
    public let interval: QuestionInterval
    /// Where the intervals begin and end, ascending; at least two.
    public let edges: [Timestamp]
    /// The same of the period before, as many; empty when it is not asked for. It ends where the range begins.
    public let edgesBefore: [Timestamp]
    /// Where the interval before the first begins: the one that the moment before the first edge lies in.
    public let preceding: Timestamp
    /// Intervals that the range cuts, ascending: the first, if it begins before the range, and the last, if it ends behind it.
    public let partial: [Int]

    /// The intervals of a range.
    ///
    /// - Parameters:
    ///   - from: the first moment.
    ///   - to: the end, later than `from`.
    ///   - comparing: whether the period before is asked for too.
    /// - Returns: nil when there are more than ``QuestionLimits/intervals``, or `to` is not behind `from`.
    public init?(
        from: Timestamp,
        to: Timestamp,
        interval: QuestionInterval,
        in zone: ZoneOffsets,
        comparing: Bool = false
    ) {
        guard from < to, let edges = interval.edges(from: from, to: to, in: zone, limit: QuestionLimits.intervals)
        else {
            return nil
        }
        self.zone = zone.name
        self.interval = interval
        self.edges = edges
        preceding = interval.beginning(before: from, in: zone)
        edgesBefore = comparing ? interval.edgesBefore(edges, in: zone) : []
        let isTorn = [from, to].map { edge in
            interval.beginning(before: edge.advanced(by: .milliseconds(1)), in: zone) != edge
        }
        partial = Set([isTorn[0] ? 0 : nil, isTorn[1] ? edges.count - 2 : nil].compactMap(\.self)).sorted()
    }

    /// How many intervals there are.
    public var count: Int { edges.count - 1 }
    /// The earliest moment that plays a part.
    public var start: Timestamp { edgesBefore.first ?? edges[0] }
    /// The moment behind the last that plays a part.
    public var end: Timestamp { edges[edges.count - 1] }

    /// The interval of a moment between ``start`` and ``end``: from 0 those asked for, from ``count`` those of the period before.
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
