// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A time range in a timeline, and the number of its events.
///
/// The events are the person's own, or were recorded on an installation before the person signed in.
public struct TimelineRange: Sendable, Hashable {
    /// Whether the events are those of a visitor.
    public let isVisit: Bool
    /// The number of events of the person or visitor.
    public let events: UInt64
    /// The time range, inclusive at both ends, in milliseconds since 1970.
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

    /// Returns the part of this range within another time range.
    ///
    /// Returns nil if the two ranges do not overlap.
    ///
    /// - Parameters:
    ///   - isVisit: Whether the events were recorded before the user signed in.
    ///   - events: The number of events within the other range.
    public func part(_ range: ClosedRange<Int64>, isVisit: Bool, events: UInt64) -> TimelineRange? {
        guard times.overlaps(range) else { return nil }
        return TimelineRange(times.clamped(to: range), isVisit: isVisit, events: events)
    }

    /// Returns an equal share of a search budget for each range.
    ///
    /// Because every range has a share, even the range that is furthest behind progresses with every response.
    public static func share(of budget: QueryBudget, among ranges: Int) -> QueryBudget {
        var share = budget
        share.searched = max(1, budget.searched / max(1, ranges))
        share.searchTime = budget.searchTime / max(1, ranges)
        return share
    }
}

/// The scanned events of a timeline's ranges after a cursor.
public struct TimelineParts: Sendable {
    /// An event's cursor, and whether the event is from a visitor.
    public typealias Place = (place: TimelineCursor, isVisit: Bool)

    private var places: [Place] = []
    private var horizon: TimelineCursor?

    /// Creates a value without events.
    public init() {}

    /// Adds the events of one range.
    ///
    /// - Parameter end: The cursor of the last scanned event; nil when the range has no further events.
    public mutating func add(_ found: [TimelineCursor], isVisit: Bool, end: TimelineCursor?) {
        places += found.map { ($0, isVisit) }
        // Beyond the point where the scan of one range was interrupted, events of other ranges may not be the next
        // ones.
        if let end { horizon = max(horizon ?? end, end) }
    }

    /// Returns the first events, latest first, and the next page's cursor.
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
