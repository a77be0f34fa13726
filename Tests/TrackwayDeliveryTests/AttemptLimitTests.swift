// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal

@Suite("Attempt limits")
struct AttemptLimitTests {
    private static let busy = Verdict.retry(after: nil, reason: "503")
    private static let unsuccessful: [Verdict] = [
        busy, .unrecognizedResponse(reason: "login"), .unauthorized(reason: "401"), .misconfigured(reason: "404"),
    ]

    private func environment(_ limit: AttemptLimit?, events: Int = 10) -> MachineEnvironment {
        // The high breaker threshold prevents probes, so each request carries the whole batch.
        let policy = DeliveryPolicy(breakerThreshold: 1_000, attempts: limit)
        var environment = MachineEnvironment(policy: policy, limits: BatchLimits(events: 10))
        environment.record(events)
        let (pending, now) = (environment.pending, environment.now)
        environment.report { $0.flushRequested(pending: pending, at: now) }
        return environment
    }

    /// Runs until the given number of requests has been made.
    private func run(_ environment: inout MachineEnvironment, requests: Int, backEnd: (Range<Int>) -> Verdict?) {
        while environment.requests.count < requests {
            environment.settleDown(backEnd: backEnd)
            if environment.requests.count < requests { environment.advanceToWake() }
        }
    }

    @Test(arguments: unsuccessful.map(Optional.some) + [nil])
    func `without a limit, no event becomes a dead letter`(answer: Verdict?) {
        var environment = environment(nil)
        run(&environment, requests: 200) { _ in answer }
        #expect(environment.pending == 10)
        #expect(environment.problems == [])
    }

    @Test(
        arguments: unsuccessful,
        [1, 2, 3, 7]
    )
    func `a batch is kept until the last allowed refusal, which turns its request's events into dead letters`(
        answer: Verdict,
        limit: Int
    ) {
        var environment = environment(AttemptLimit(refusals: limit))
        environment.allowsGivingUp = true
        if limit > 1 {
            run(&environment, requests: limit - 1) { _ in answer }
            #expect(environment.outcomes == [])
        }
        run(&environment, requests: limit) { _ in answer }
        // While the settings are in doubt, each request after the first carries only one event.
        #expect(environment.outcomes == Array(repeating: .deadLetter, count: environment.sizes[limit - 1]))
        #expect(environment.problems == [])
        let reasons = environment.notices.compactMap { notice -> DropReason? in
            if case .deadLetter(let refusal) = notice { refusal.reason } else { nil }
        }
        #expect(Set(reasons) == [.attemptsExhausted])
    }

    @Test(arguments: [1, 2, 120])
    func `events become dead letters after exactly the allowed number of requests without a response`(limit: Int) {
        var environment = environment(AttemptLimit(failures: limit))
        environment.allowsGivingUp = true
        if limit > 1 {
            run(&environment, requests: limit - 1) { _ in nil }
            #expect(environment.outcomes == [])
        }
        run(&environment, requests: limit) { _ in nil }
        // A batch that times out is retried at half the size, down to one event.
        #expect(environment.outcomes == Array(repeating: .deadLetter, count: environment.sizes[limit - 1]))
        #expect(environment.problems == [])
    }

    @Test
    func `failures do not reset the refusal count, but responses reset the failure count`() {
        var environment = environment(AttemptLimit(refusals: 3, failures: 3))
        environment.allowsGivingUp = true
        let answers: [Verdict?] = [nil, nil, Self.busy, nil, nil, Self.busy, nil, nil, .accepted]
        var next = 0
        run(&environment, requests: answers.count) { _ in
            defer { next += 1 }
            return next < answers.count ? answers[next] : .accepted
        }
        #expect(environment.outcomes.allSatisfy { $0 == .delivered })
        #expect(!environment.outcomes.isEmpty)
        #expect(environment.problems == [])
    }

    @Test
    func `settling any event resets the count`() {
        var environment = environment(AttemptLimit(refusals: 3), events: 100)
        environment.allowsGivingUp = true
        var requests = 0
        while environment.pending > 0 {
            environment.settleDown { _ in
                requests += 1
                return requests % 3 == 0 ? .accepted : Self.busy
            }
            environment.advanceToWake()
        }
        #expect(environment.outcomes == Array(repeating: .delivered, count: 100))
    }

    @Test
    func `searching for a poison event does not count as failed attempts`() {
        var environment = environment(AttemptLimit(refusals: 3))
        environment.settleDown { $0.contains(0) ? .rejected(reason: "400") : .accepted }
        #expect(environment.outcomes == [.deadLetter] + Array(repeating: .delivered, count: 9))
        #expect(environment.problems == [])
    }

    @Test
    func `an attempt limit does not speed up retries: the pauses equal those without a limit`() {
        func requests(_ limit: AttemptLimit?) -> [MonotonicTime] {
            var environment = MachineEnvironment(
                policy: DeliveryPolicy(attempts: limit),
                limits: BatchLimits(events: 10)
            )
            environment.allowsGivingUp = true
            environment.record(10_000)
            let end = environment.now.advanced(by: .seconds(6 * 3_600))
            while environment.now < end {
                environment.settleDown { _ in Self.busy }
                environment.advanceToWake()
            }
            #expect(environment.problems == [])
            return environment.requests
        }
        #expect(requests(AttemptLimit(refusals: 3, failures: 120)) == requests(nil))
    }

    @Test(arguments: unsuccessful)
    func `with threeStrikes, attempts are 5 and 10 seconds apart, for any refusal`(answer: Verdict) {
        var environment = environment(.threeStrikes)
        environment.allowsGivingUp = true
        run(&environment, requests: 3) { _ in answer }
        let pauses = zip(environment.requests, environment.requests.dropFirst()).map { $0.duration(to: $1) }
        #expect(pauses == [.seconds(5), .seconds(10)])
        #expect(environment.outcomes.allSatisfy { $0 == .deadLetter } && !environment.outcomes.isEmpty)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.max)])
    func `extreme spacings neither trap nor shorten a pause`(spacing: Duration) {
        let limit = AttemptLimit(refusals: .max, failures: .max, spacing: spacing)
        #expect(limit.spacing == max(.zero, spacing))
        var environment = environment(AttemptLimit(refusals: 2, spacing: min(spacing, .seconds(1_000_000))))
        environment.allowsGivingUp = true
        run(&environment, requests: 2) { _ in Self.busy }
        #expect(environment.problems == [])
    }

    @Test
    func `new settings reset the count, and failures with the old settings do not count`() {
        var environment = environment(AttemptLimit(refusals: 2))
        environment.allowsGivingUp = true
        run(&environment, requests: 1) { _ in .unauthorized(reason: "401") }
        environment.settleDown { _ in .unauthorized(reason: "401") }
        let now = environment.now
        environment.report { $0.destinationReplaced(limits: BatchLimits(events: 10), at: now) }
        run(&environment, requests: 2) { _ in .unauthorized(reason: "401") }
        #expect(environment.outcomes == [])
        run(&environment, requests: 3) { _ in .unauthorized(reason: "401") }
        #expect(environment.outcomes == [.deadLetter])
    }

    @Test
    func `the count survives a restart`() {
        var first = environment(AttemptLimit(refusals: 3))
        run(&first, requests: 2) { _ in Self.busy }
        first.settleDown { _ in Self.busy }
        #expect(first.remembered?.attempts == Attempts(refusals: 2))
        var second = environment(AttemptLimit(refusals: 3))
        second.machine = UploadMachine(
            policy: DeliveryPolicy(breakerThreshold: 1_000, attempts: AttemptLimit(refusals: 3)),
            limits: BatchLimits(events: 10),
            remembered: first.remembered
        )
        second.allowsGivingUp = true
        second.forgetOrders()
        second.record(0)
        run(&second, requests: 1) { _ in Self.busy }
        second.settleDown { _ in Self.busy }
        #expect(second.outcomes == Array(repeating: .deadLetter, count: 10))
    }

    @Test
    func `a batch that only reports losses is retried without limit`() {
        let now = MonotonicTime(milliseconds: 5_000)
        var machine = UploadMachine(
            policy: DeliveryPolicy(attempts: AttemptLimit(refusals: 1)),
            limits: BatchLimits(events: 10)
        )
        _ = machine.flushRequested(pending: 1, at: now)
        _ = machine.batchRead(count: 0)
        let orders = machine.responseReceived(Self.busy, at: now, jitter: 0.5)
        #expect(orders.first == .release)
    }
}
