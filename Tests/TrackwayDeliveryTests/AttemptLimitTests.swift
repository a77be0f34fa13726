// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayWire

@Suite("A limit to attempts")
struct AttemptLimitTests {
    private static let busy = Verdict.retry(after: nil, reason: "503")
    private static let vain: [Verdict] = [
        busy, .notTheBackEnd(reason: "login"), .unauthorized(reason: "401"), .misconfigured(reason: "404"),
    ]

    private func world(_ limit: AttemptLimit?, events: Int = 10) -> MachineWorld {
        // Neither a breaker nor probes: each request carries the whole batch.
        let policy = DeliveryPolicy(breakerThreshold: 1_000, attempts: limit)
        var world = MachineWorld(policy: policy, limits: BatchLimits(events: 10))
        world.record(events)
        let (pending, now) = (world.pending, world.now)
        world.tell { $0.flushRequested(pending: pending, at: now) }
        return world
    }

    /// Lets requests fail until so many were made.
    private func run(_ world: inout MachineWorld, requests: Int, backEnd: (Range<Int>) -> Verdict?) {
        while world.requests.count < requests {
            world.settleDown(backEnd: backEnd)
            if world.requests.count < requests { world.passToWake() }
        }
    }

    @Test("without one nothing is ever given up", arguments: vain.map(Optional.some) + [nil])
    func none(answer: Verdict?) {
        var world = world(nil)
        run(&world, requests: 200) { _ in answer }
        #expect(world.pending == 10)
        #expect(world.problems == [])
    }

    @Test(
        "one refusal below the limit keeps the batch, the last one gives up what it carried",
        arguments: vain,
        [1, 2, 3, 7]
    )
    func refusals(answer: Verdict, limit: Int) {
        var world = world(AttemptLimit(refusals: limit))
        world.allowsGivingUp = true
        if limit > 1 {
            run(&world, requests: limit - 1) { _ in answer }
            #expect(world.fates == [])
        }
        run(&world, requests: limit) { _ in answer }
        // Where settings are in doubt, a request after the first carries one event only.
        #expect(world.fates == Array(repeating: .setAside, count: world.sizes[limit - 1]))
        #expect(world.problems == [])
        let reasons = world.notices.compactMap { notice -> DropReason? in
            if case .setAside(let refusal) = notice { refusal.reason } else { nil }
        }
        #expect(Set(reasons) == [.attemptsExhausted])
    }

    @Test("as many requests without an answer, and no fewer", arguments: [1, 2, 120])
    func failures(limit: Int) {
        var world = world(AttemptLimit(failures: limit))
        world.allowsGivingUp = true
        if limit > 1 {
            run(&world, requests: limit - 1) { _ in nil }
            #expect(world.fates == [])
        }
        run(&world, requests: limit) { _ in nil }
        // A batch that times out is asked again at half the size, down to one event.
        #expect(world.fates == Array(repeating: .setAside, count: world.sizes[limit - 1]))
        #expect(world.problems == [])
    }

    @Test("failures do not begin the count of refusals anew, answers do that of failures")
    func mixed() {
        var world = world(AttemptLimit(refusals: 3, failures: 3))
        world.allowsGivingUp = true
        let answers: [Verdict?] = [nil, nil, Self.busy, nil, nil, Self.busy, nil, nil, .accepted]
        var next = 0
        run(&world, requests: answers.count) { _ in
            defer { next += 1 }
            return next < answers.count ? answers[next] : .accepted
        }
        #expect(world.fates.allSatisfy { $0 == .delivered })
        #expect(!world.fates.isEmpty)
        #expect(world.problems == [])
    }

    @Test("anything settled begins the count anew")
    func success() {
        var world = world(AttemptLimit(refusals: 3), events: 100)
        world.allowsGivingUp = true
        var requests = 0
        while world.pending > 0 {
            world.settleDown { _ in
                requests += 1
                return requests % 3 == 0 ? .accepted : Self.busy
            }
            world.passToWake()
        }
        #expect(world.fates == Array(repeating: .delivered, count: 100))
    }

    @Test("the search for a guilty event is no attempt in vain")
    func poison() {
        var world = world(AttemptLimit(refusals: 3))
        world.settleDown { $0.contains(0) ? .rejected(reason: "400") : .accepted }
        #expect(world.fates == [.setAside] + Array(repeating: .delivered, count: 9))
        #expect(world.problems == [])
    }

    @Test("giving up makes nothing faster: the pauses are those of a batch that is kept")
    func pace() {
        func requests(_ limit: AttemptLimit?) -> [MonotonicTime] {
            var world = MachineWorld(policy: DeliveryPolicy(attempts: limit), limits: BatchLimits(events: 10))
            world.allowsGivingUp = true
            world.record(10_000)
            let end = world.now.advanced(by: .seconds(6 * 3_600))
            while world.now < end {
                world.settleDown { _ in Self.busy }
                world.passToWake()
            }
            #expect(world.problems == [])
            return world.requests
        }
        #expect(requests(AttemptLimit(refusals: 3, failures: 120)) == requests(nil))
    }

    @Test("three strikes are 5 and 10 seconds apart, whatever the refusal", arguments: vain)
    func spacing(answer: Verdict) {
        var world = world(.threeStrikes)
        world.allowsGivingUp = true
        run(&world, requests: 3) { _ in answer }
        let pauses = zip(world.requests, world.requests.dropFirst()).map { $0.duration(to: $1) }
        #expect(pauses == [.seconds(5), .seconds(10)])
        #expect(world.fates.allSatisfy { $0 == .setAside } && !world.fates.isEmpty)
    }

    @Test(
        "absurd spacings neither trap nor shorten a pause",
        arguments: [Duration.zero, .seconds(-1), .seconds(Int64.max)]
    )
    func absurdSpacing(spacing: Duration) {
        let limit = AttemptLimit(refusals: .max, failures: .max, spacing: spacing)
        #expect(limit.spacing == max(.zero, spacing))
        var world = world(AttemptLimit(refusals: 2, spacing: min(spacing, .seconds(1_000_000))))
        world.allowsGivingUp = true
        run(&world, requests: 2) { _ in Self.busy }
        #expect(world.problems == [])
    }

    @Test("new settings begin the count anew; what failed with the old ones does not count")
    func newSettings() {
        var world = world(AttemptLimit(refusals: 2))
        world.allowsGivingUp = true
        run(&world, requests: 1) { _ in .unauthorized(reason: "401") }
        world.settleDown { _ in .unauthorized(reason: "401") }
        let now = world.now
        world.tell { $0.destinationReplaced(limits: BatchLimits(events: 10), at: now) }
        run(&world, requests: 2) { _ in .unauthorized(reason: "401") }
        #expect(world.fates == [])
        run(&world, requests: 3) { _ in .unauthorized(reason: "401") }
        #expect(world.fates == [.setAside])
    }

    @Test("the count outlives a restart")
    func restart() {
        var first = world(AttemptLimit(refusals: 3))
        run(&first, requests: 2) { _ in Self.busy }
        first.settleDown { _ in Self.busy }
        #expect(first.remembered?.attempts == Attempts(refusals: 2))
        var second = world(AttemptLimit(refusals: 3))
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
        #expect(second.fates == Array(repeating: .setAside, count: 10))
    }

    @Test("a batch that only tells of losses is never given up")
    func emptyBatch() {
        let now = MonotonicTime(milliseconds: 5_000)
        var machine = UploadMachine(
            policy: DeliveryPolicy(attempts: AttemptLimit(refusals: 1)),
            limits: BatchLimits(events: 10)
        )
        _ = machine.flushRequested(pending: 1, at: now)
        _ = machine.batchRead(count: 0)
        let orders = machine.answered(Self.busy, at: now, jitter: 0.5)
        #expect(orders.first == .release)
    }
}
