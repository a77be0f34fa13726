// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A time range of events in a timeline.
///
/// The events are the person's own, or were recorded on an installation before the person signed in.
public struct TimelineRange: Sendable, Hashable {
    /// The maximum number of installations searched for visits.
    public static let maxVisits = 20

    /// Whether the events are those of a visitor.
    public let isVisit: Bool
    /// The number of events of the person or visitor.
    public let events: UInt64
    /// The first and the last time, both inclusive, in milliseconds since 1970.
    public let times: ClosedRange<Int64>

    /// Creates the range of the person's own events for a query.
    ///
    /// Returns nil when the query's time range is empty.
    public init?(_ query: TimelineQuery, events: UInt64) {
        let from = query.from?.milliseconds ?? .min
        let to = query.to.map { $0.milliseconds == .min ? .min : $0.milliseconds - 1 } ?? .max
        guard from <= to, query.to?.milliseconds != .min else { return nil }
        (isVisit, times, self.events) = (false, from...to, events)
    }

    private init(_ times: ClosedRange<Int64>, isVisit: Bool, events: UInt64) {
        (self.isVisit, self.times, self.events) = (isVisit, times, events)
    }

    /// Returns the part of the stretch within a time range.
    ///
    /// Nil if they do not overlap.
    ///
    /// - Parameters:
    ///   - isVisit: Whether it was recorded before the user signed in.
    ///   - events: The number of events within the range.
    public func part(_ range: ClosedRange<Int64>, isVisit: Bool, events: UInt64) -> TimelineRange? {
        guard times.overlaps(range) else { return nil }
        return TimelineRange(times.clamped(to: range), isVisit: isVisit, events: events)
    }

    /// Returns the anonymous events before the person's first sign-in there.
    ///
    /// They are within the same time range, and after the last time that another user was signed in there, if any.
    ///
    /// - Parameters:
    ///   - first: The time of the person's first event there.
    ///   - others: The last time of other users who were there before; nil without such users.
    ///   - events: The number of events of the installation's visitor.
    /// - Returns: nil when the time range is empty.
    public func visit(before first: Int64, others: Int64?, events: UInt64) -> TimelineRange? {
        guard first > .min, others ?? .min < first - 1 else { return nil }
        let since = max(times.lowerBound, others.map { $0 + 1 } ?? .min)
        let until = min(times.upperBound, first - 1)
        return since <= until ? TimelineRange(since...until, isVisit: true, events: events) : nil
    }

    /// Returns an equal share of a search budget for each range.
    ///
    /// With shares, the range that was interrupted earliest progresses with every response.
    public static func share(of budget: QueryBudget, among stretches: Int) -> QueryBudget {
        var share = budget
        share.searched = max(1, budget.searched / max(1, stretches))
        share.searchTime = budget.searchTime / max(1, stretches)
        return share
    }
}

/// The scanned events of a timeline's ranges after a place.
public struct TimelineParts: Sendable {
    /// An event's place, and whether the event is from a visitor.
    public typealias Place = (place: TimelineCursor, isVisit: Bool)

    private var places: [Place] = []
    private var horizon: TimelineCursor?

    /// Creates an empty value.
    public init() {}

    /// Adds the events of one stretch.
    ///
    /// - Parameter end: The last place that was scanned; nil when the stretch has no further events.
    public mutating func add(_ found: [TimelineCursor], isVisit: Bool, end: TimelineCursor?) {
        places += found.map { ($0, isVisit) }
        // Beyond the place where one range was interrupted, events of the others may not be the next ones.
        if let end { horizon = max(horizon ?? end, end) }
    }

    /// Returns the first places, latest first, and where the next page continues.
    ///
    /// `next` is nil when everything was scanned.
    public func first(_ limit: Int) -> (places: [Place], next: TimelineCursor?) {
        var found = places
        if let horizon { found.removeAll { $0.place < horizon } }
        found.sort { $0.place > $1.place }
        guard found.count > limit else { return (found, horizon) }
        found.removeSubrange(limit...)
        return (found, found.last?.place)
    }
}
