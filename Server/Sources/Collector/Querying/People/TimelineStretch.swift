// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A stretch of somebody's events in a timeline: the person's own, or what was recorded on an installation before they signed in.
public struct TimelineStretch: Sendable, Hashable {
    /// The most installations whose visits are looked for.
    public static let maxVisits = 20

    /// Whether it is of a visitor.
    public let isVisit: Bool
    /// How many events whoever it is of has.
    public let events: UInt64
    /// The earliest time, inclusive, and the latest, inclusive, in milliseconds since 1970.
    public let times: ClosedRange<Int64>

    /// What a query means of the person's own events; nil when its time is empty.
    public init?(_ query: TimelineQuery, events: UInt64) {
        let from = query.from?.milliseconds ?? .min
        let to = query.to.map { $0.milliseconds == .min ? .min : $0.milliseconds - 1 } ?? .max
        guard from <= to, query.to?.milliseconds != .min else { return nil }
        (isVisit, times, self.events) = (false, from...to, events)
    }

    private init(_ times: ClosedRange<Int64>, isVisit: Bool, events: UInt64) {
        (self.isVisit, self.times, self.events) = (isVisit, times, events)
    }

    /// The part of the stretch within a time range; nil if there is none.
    ///
    /// - Parameters:
    ///   - isVisit: Whether it was recorded before the user signed in.
    ///   - events: The number of events within the range.
    public func part(_ range: ClosedRange<Int64>, isVisit: Bool, events: UInt64) -> TimelineStretch? {
        guard times.overlaps(range) else { return nil }
        return TimelineStretch(times.clamped(to: range), isVisit: isVisit, events: events)
    }

    /// What was recorded on one of the person's installations by nobody who had signed in, in the same time: since the last time that
    /// somebody else was signed in, as far as anybody was, and before the person first signed in there.
    ///
    /// - Parameters:
    ///   - first: When the person first was there.
    ///   - others: When others last were, of those who were there before; nil when there are none.
    ///   - events: How many events the installation's visitor has.
    /// - Returns: nil when there is no such time.
    public func visit(before first: Int64, others: Int64?, events: UInt64) -> TimelineStretch? {
        guard first > .min, others ?? .min < first - 1 else { return nil }
        let since = max(times.lowerBound, others.map { $0 + 1 } ?? .min)
        let until = min(times.upperBound, first - 1)
        return since <= until ? TimelineStretch(since...until, isVisit: true, events: events) : nil
    }

    /// The share of a search's budget that each of several stretches has, so that the one that was left first gets on with every answer.
    public static func share(of budget: QuestionBudget, among stretches: Int) -> QuestionBudget {
        var share = budget
        share.searched = max(1, budget.searched / max(1, stretches))
        share.searchTime = budget.searchTime / max(1, stretches)
        return share
    }
}

/// What the stretches of a timeline hold behind a place, as far as they were gone through.
public struct TimelineParts: Sendable {
    /// An event's place, and whether it is of a visitor.
    public typealias Place = (place: TimelinePlace, isVisit: Bool)

    private var places: [Place] = []
    private var horizon: TimelinePlace?

    /// Nothing yet.
    public init() {}

    /// One stretch was gone through.
    ///
    /// - Parameter end: The last place that was looked at; nil when there is nothing behind it.
    public mutating func add(_ found: [TimelinePlace], isVisit: Bool, end: TimelinePlace?) {
        places += found.map { ($0, isVisit) }
        // Behind the place where one of them was left, the others' events are not the next ones.
        if let end { horizon = max(horizon ?? end, end) }
    }

    /// The first places, the latest first, and where to go on; nil when all was gone through.
    public func first(_ limit: Int) -> (places: [Place], next: TimelinePlace?) {
        var found = places
        if let horizon { found.removeAll { $0.place < horizon } }
        found.sort { $0.place > $1.place }
        guard found.count > limit else { return (found, horizon) }
        found.removeSubrange(limit...)
        return (found, found.last?.place)
    }
}
