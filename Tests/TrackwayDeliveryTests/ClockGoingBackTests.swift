// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayTesting

@testable import TrackwayDelivery

/// A restored virtual machine continues its boot at an earlier monotonic time.
@Suite("A monotonic clock that goes back within a boot")
struct ClockGoingBackTests {
    private func wake(_ orders: [UploadMachine.Action]) -> MonotonicTime? {
        orders.lazy.compactMap { if case .wake(let time) = $0 { time } else { nil } }.last
    }

    @Test(
        arguments: MachineSituation.allCases,
        [1, 60_000, 900_000] as [Int64]
    )
    func `in any situation, a waiting machine proceeds after the remaining wait`(
        _ situation: MachineSituation,
        back: Int64
    ) {
        var machine = situation.machine()
        // Check once, as maintenance does every few seconds. From here on, the clock shows an earlier time.
        var known = wake(machine.eventsPending(pending: 5, at: MachineSituation.now))
        let earlier = MonotonicTime(milliseconds: MachineSituation.now.milliseconds - back)
        known = wake(machine.eventsPending(pending: 5, at: earlier)) ?? known
        let longest: Duration =
            switch situation {
            case .idle, .gathering: .seconds(10)
            case .waiting, .strict, .journalWait, .parked: .seconds(300)
            case .reading, .sending, .sendingOne, .settling, .stopped: .zero
            }
        guard longest > .zero else {
            #expect(known == nil)
            return
        }
        guard let known else {
            Issue.record("no wake-up is scheduled")
            return
        }
        #expect(earlier.duration(to: known) <= longest)
        let orders = machine.timerFired(pending: 5, at: known)
        #expect(orders.contains { if case .read = $0 { true } else { false } })
    }

    @Test(arguments: [MachineSituation.strict, .parked])
    func `a flush also returns the new time of an ordinary wait`(_ situation: MachineSituation) throws {
        var machine = situation.machine()
        _ = machine.eventsPending(pending: 5, at: MachineSituation.now)
        let earlier = MonotonicTime(milliseconds: 1_000)
        let time = try #require(wake(machine.flushRequested(pending: 5, at: earlier)))
        #expect(earlier.duration(to: time) <= .seconds(300))
    }

    @Test(arguments: [
        (since: 50_000_000 as Int64?, notBefore: 50_002_000 as Int64, longest: 2 as Int64),
        (since: nil, notBefore: 50_002_000, longest: 3_600),
        (since: .max, notBefore: .max, longest: 3_600),
        (since: 50_000_000, notBefore: .max, longest: 3_600),
        (since: .min, notBefore: .min, longest: 10),
    ])
    func `a wait remembered before the clock went back keeps its intended length`(
        _ memory: (since: Int64?, notBefore: Int64, longest: Int64)
    ) {
        let state = RetryState(
            failures: 2,
            notBefore: MonotonicTime(milliseconds: memory.notBefore),
            since: memory.since.map { MonotonicTime(milliseconds: $0) }
        )
        var machine = UploadMachine(policy: DeliveryPolicy(), limits: BatchLimits(), remembered: state)
        let now = MonotonicTime(milliseconds: 1_000)
        let orders = machine.eventsPending(pending: 1, at: now)
        guard let time = wake(orders) else {
            Issue.record("no wake-up is scheduled")
            return
        }
        #expect(now.duration(to: time) <= .seconds(memory.longest))
    }

    @Test(arguments: [0, 1, 5_000] as [Int64])
    func `a deadline expires no later than its full length after the clock goes back`(_ passed: Int64) {
        var deadline = Deadline(after: .seconds(10), at: MonotonicTime(milliseconds: 1_000_000))
        let back = MonotonicTime(milliseconds: 500)
        let times = [MonotonicTime(milliseconds: 1_000_000 + passed), back, back.advanced(by: .seconds(10))]
        let isOver = times.map { deadline.isOver(at: $0) }
        #expect(isOver == [false, false, true])
    }
}
