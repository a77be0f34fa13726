// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Measures how much of its budget a search has used.
public struct SearchMeter: Sendable {
    /// The number of rows between checks of the clock.
    private static let rowsBetweenChecks = 256

    private let budget: QueryBudget
    private let clock: any EventClock
    private let began: MonotonicTime
    private var rows = 0

    /// Creates a meter for a search that starts now.
    public init(_ budget: QueryBudget, clock: any EventClock) {
        self.budget = budget
        self.clock = clock
        began = clock.now().monotonic
    }

    /// The number of rows that may still be scanned.
    public var rest: Int { max(0, budget.searched - rows) }

    /// Counts one more row, and returns whether the search must end.
    public mutating func isOver() -> Bool {
        rows += 1
        if rows >= budget.searched { return true }
        return rows % Self.rowsBetweenChecks == 0 && began.duration(to: clock.now().monotonic) > budget.searchTime
    }
}
