// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Measures how much of its budget a query has used.
public struct QueryMeter: Sendable {
    /// The number of events between checks of the clock.
    private static let eventsBetweenChecks = 512

    /// The query's budget.
    public let budget: QueryBudget
    private let clock: any EventClock
    private let began: MonotonicTime
    /// The number of events read.
    public private(set) var events = 0

    /// Creates a meter for a query that starts now.
    public init(_ budget: QueryBudget, clock: any EventClock) {
        self.budget = budget
        self.clock = clock
        began = clock.now().monotonic
    }

    /// Counts one more event.
    ///
    /// - Throws: ``StoreError`` when there are too many events, or the time is up.
    public mutating func countEvent() throws(StoreError) {
        events += 1
        guard events <= budget.events else {
            throw .overBudget(
                "from",
                "it reads more than \(budget.events) events: choose a shorter time range, or an event's name"
            )
        }
        guard events % Self.eventsBetweenChecks == 0 else { return }
        try checkTime()
    }

    /// Checks the elapsed time.
    ///
    /// - Throws: ``StoreError`` when the time is up.
    public func checkTime() throws(StoreError) {
        let elapsed = began.duration(to: clock.now().monotonic)
        guard elapsed <= budget.time else {
            throw .overBudget(
                "from",
                "it takes longer than \(budget.time): choose a shorter time range, an event's name, or fewer conditions"
            )
        }
    }
}
