// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDelivery

@Suite("Retry schedule and circuit breaker")
struct RetryScheduleTests {
    @Test(arguments: [(0, 1), (1, 1), (2, 2), (3, 4), (8, 128), (9, 256), (10, 300), (1_000, 300), (Int.max, 300)])
    func `the ceiling doubles up to the cap`(failures: Int, seconds: Int) {
        #expect(RetrySchedule().ceiling(afterFailures: failures) == .seconds(seconds))
    }

    @Test(
        arguments: [
            (-1.0, 0, 2_000), (0, 0, 2_000), (0.25, 1_000, 2_500), (0.5, 2_000, 3_000), (1, 4_000, 4_000),
            (7, 4_000, 4_000), (.nan, 0, 2_000),
        ] as [(Double, Int, Int)]
    )
    func `jitter spreads a wait over the whole range up to the ceiling, and a probe's wait over the upper half`(
        jitter: Double,
        delay: Int,
        probe: Int
    ) {
        let schedule = RetrySchedule()
        #expect(schedule.delay(afterFailures: 3, jitter: jitter) == .milliseconds(delay))
        #expect(schedule.probeDelay(afterFailures: 3, jitter: jitter) == .milliseconds(probe))
    }

    @Test
    func `a cap below the base is raised to the base, and a zero base to a millisecond`() {
        #expect(RetrySchedule(base: .seconds(5), cap: .seconds(1)).ceiling(afterFailures: 9) == .seconds(5))
        #expect(RetrySchedule(base: .zero, cap: .zero).ceiling(afterFailures: 9) == .milliseconds(1))
    }

    @Test
    func `the breaker opens once, at the threshold, and one success closes it`() {
        var breaker = CircuitBreaker(threshold: 3)
        #expect(
            [breaker.recordFailure(), breaker.recordFailure(), breaker.recordFailure(), breaker.recordFailure()] == [
                false, false, true, false,
            ]
        )
        #expect(breaker.isOpen)
        let closed = breaker.recordSuccess()
        #expect(closed)
        #expect(!breaker.isOpen)
        let again = breaker.recordSuccess()
        #expect(!again)
    }

    @Test
    func `each process reports an outage once, and a new outage again`() {
        var breaker = CircuitBreaker(threshold: 3)
        #expect(
            (1...9).map { _ in breaker.recordFailure() } == [false, false, true] + Array(repeating: false, count: 6)
        )
        var next = CircuitBreaker(threshold: 3, failures: breaker.failures)
        #expect((1...3).map { _ in next.recordFailure() } == [true, false, false])
        #expect(next.failures == 12)
        let closed = next.recordSuccess()
        #expect(closed)
        #expect((1...5).map { _ in next.recordFailure() } == [false, false, true, false, false])
        // A remembered failure count at the maximum.
        var endless = CircuitBreaker(threshold: 3, failures: .max)
        #expect((1...2).map { _ in endless.recordFailure() } == [true, false])
    }
}
