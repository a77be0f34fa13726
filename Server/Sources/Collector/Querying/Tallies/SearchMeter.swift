// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// How far a search may go in one answer.
public struct SearchMeter: Sendable {
    /// After so many rows the clock is asked.
    private static let rowsBetweenLooks = 256

    private let budget: QuestionBudget
    private let clock: any EventClock
    private let began: MonotonicTime
    private var rows = 0

    /// A meter of a search that begins now.
    public init(_ budget: QuestionBudget, clock: any EventClock) {
        self.budget = budget
        self.clock = clock
        began = clock.now().monotonic
    }

    /// How many more rows may be looked at.
    public var rest: Int { max(0, budget.searched - rows) }

    /// One more row was looked at; whether it was the last one that may be.
    public mutating func isOver() -> Bool {
        rows += 1
        if rows >= budget.searched { return true }
        return rows % Self.rowsBetweenLooks == 0 && began.duration(to: clock.now().monotonic) > budget.searchTime
    }
}
