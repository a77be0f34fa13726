// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What a question has used up of its budget.
public struct QuestionMeter: Sendable {
    /// After so many events the clock is asked.
    private static let eventsBetweenLooks = 512

    /// What the question may use.
    public let budget: QuestionBudget
    private let clock: any EventClock
    private let began: MonotonicTime
    /// How many events were looked at.
    public private(set) var events = 0

    /// A meter of a question that begins now.
    public init(_ budget: QuestionBudget, clock: any EventClock) {
        self.budget = budget
        self.clock = clock
        began = clock.now().monotonic
    }

    /// One more event is looked at.
    ///
    /// - Throws: ``StoreError`` when that is one too many, or the time is over.
    public mutating func countEvent() throws(StoreError) {
        events += 1
        guard events <= budget.events else {
            throw .overBudget(
                "from",
                "it reads more than \(budget.events) events: choose a shorter time, or an event's name"
            )
        }
        guard events % Self.eventsBetweenLooks == 0 else { return }
        try checkTime()
    }

    /// Looks at the clock.
    ///
    /// - Throws: ``StoreError`` when the time is over.
    public func checkTime() throws(StoreError) {
        let taken = began.duration(to: clock.now().monotonic)
        guard taken <= budget.time else {
            throw .overBudget(
                "from",
                "it takes longer than \(budget.time): choose a shorter time, an event's name, or fewer conditions"
            )
        }
    }
}
