// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayWire

@Suite("The upload machine in trouble")
struct UploadMachineStoryTests {
    private let hour = Duration.seconds(3_600)

    @Test(
        "six hours of 503: nothing is lost, attempts per hour are bounded, recovery is noticed at the next probe",
        arguments: [0, 0.5, 0.999_999]
    )
    func outage(jitter: Double) {
        var world = MachineWorld()
        world.record(1_000)
        let end = world.now.advanced(by: .seconds(6 * 3_600))
        var perHour: [Int] = []
        for hourNumber in 1...6 {
            let before = world.requests.count
            let hourEnd = MonotonicTime(milliseconds: 5_000 + Int64(hourNumber) * 3_600_000)
            while world.now < hourEnd {
                world.settleDown(jitter: jitter) { _ in .retry(after: nil, reason: "503") }
                let (pending, now) = (world.pending, world.now)
                // Somebody keeps asking for a flush, and events keep coming.
                world.tell { $0.flushRequested(pending: pending, at: now) }
                world.record(1)
                world.settleDown(jitter: jitter) { _ in .retry(after: nil, reason: "503") }
                world.pass(.seconds(5))
            }
            perHour.append(world.requests.count - before)
        }
        #expect(perHour[0] <= 40)
        #expect(perHour[1...].allSatisfy { $0 <= 24 })
        #expect(world.pending == UInt64(world.recorded))
        #expect(world.notices == [.down(failures: 5, reason: "503")])
        #expect(world.machine.lastOutcome == .verdict(.retry(after: nil, reason: "503")))
        // While it is taken for down, a probe is a single event.
        #expect(world.sizes.suffix(20).allSatisfy { $0 == 1 })

        let recovery = world.now
        while world.pending > 0, world.now < end.advanced(by: hour) {
            world.passToWake()
            world.settleDown { _ in .accepted }
        }
        #expect(recovery.duration(to: world.now) <= .seconds(310))
        #expect(world.pending == 0)
        #expect(world.notices.last == .recovered)
        #expect(world.remembered == nil)
        #expect(world.problems == [])
    }

    @Test("a back-end that keeps naming short times is still asked seldom")
    func shortRetryAfter() {
        var world = MachineWorld()
        world.record(100)
        let end = world.now.advanced(by: hour)
        while world.now < end {
            world.settleDown { _ in .retry(after: .seconds(1), reason: "429") }
            world.passToWake()
        }
        #expect(world.requests.count <= 40)
    }

    @Test("one poison event among a thousand costs itself and a dozen requests", arguments: [0, 1, 499, 500, 998, 999])
    func poison(event: Int) {
        var world = MachineWorld(limits: BatchLimits(events: 1_000))
        world.record(1_000)
        world.settleDown { $0.contains(event) ? .rejected(reason: "400 bad") : .accepted }
        #expect(world.pending == 0)
        #expect(world.fates.enumerated().filter { $0.element == .setAside }.map(\.offset) == [event])
        #expect(world.requests.count <= 13)
        #expect(Set(world.requests).count == 1)
        #expect(world.problems == [])
    }

    @Test("a back-end that refuses everything eats no queue: eight events, then one per retry delay")
    func refusesAll() {
        var world = MachineWorld(limits: BatchLimits(events: 1_000))
        world.record(10_000)
        let start = world.now
        world.settleDown { _ in .rejected(reason: "400") }
        #expect(world.fates.count == 8)
        #expect(world.requests.count <= 50)
        let (pending, now) = (world.pending, world.now)
        world.tell { $0.flushRequested(pending: pending, at: now) }
        world.settleDown { _ in .rejected(reason: "400") }
        #expect(world.fates.count == 8)
        while world.now < start.advanced(by: .seconds(24 * 3_600)) {
            world.passToWake()
            world.settleDown { _ in .rejected(reason: "400") }
        }
        #expect(world.fates.count <= 8 + 24 * 24 + 20)
        #expect(world.fates.allSatisfy { $0 == .setAside })

        // Repaired: the rest goes at full speed.
        world.passToWake()
        world.settleDown { _ in .accepted }
        #expect(world.pending == 0)
        #expect(world.problems == [])
    }

    @Test("an event too large alone is set aside, and batches stay large")
    func oneTooLarge() {
        var world = MachineWorld(limits: BatchLimits(events: 64))
        world.record(640)
        world.settleDown { $0.contains(100) ? .tooLarge : .accepted }
        #expect(world.fates.enumerated().filter { $0.element == .setAside }.map(\.offset) == [100])
        #expect(world.sizes.last == 64)
        #expect(world.pending == 0)
        #expect(world.problems == [])
    }

    @Test("a back-end with small limits is learned once, not with every batch")
    func learnsSize() {
        var world = MachineWorld(limits: BatchLimits(events: 1_000))
        world.record(10_000)
        world.settleDown { $0.count > 300 ? .tooLarge : .accepted }
        #expect(world.pending == 0)
        #expect(world.fates.allSatisfy { $0 == .delivered })
        #expect(world.sizes.filter { $0 > 300 }.count <= 3)
        #expect(world.problems == [])
    }

    @Test("a network too slow for a whole batch gets it in pieces")
    func slowNetwork() {
        var world = MachineWorld(limits: BatchLimits(events: 1_000))
        world.record(2_000)
        while world.pending > 0, world.requests.count < 200 {
            world.settleDown { $0.count > 40 ? nil : .accepted }
            world.passToWake()
        }
        #expect(world.pending == 0)
        #expect(world.problems == [])
    }

    @Test("a rotated key parks everything, is told once, and new credentials let it go at once")
    func parking() {
        var world = MachineWorld()
        world.record(500)
        let start = world.now
        while world.now < start.advanced(by: hour) {
            world.settleDown { _ in .unauthorized(reason: "401 key_unknown") }
            world.passToWake()
        }
        #expect(world.notices == [.parked(.unauthorized(reason: "401 key_unknown"))])
        // 24 an hour, and a few more in the first minutes, because most slips are short.
        #expect(world.requests.count <= 29)
        #expect(world.pending == 500)
        let now = world.now
        world.tell { $0.destinationReplaced(limits: BatchLimits(), at: now) }
        world.settleDown { _ in .accepted }
        #expect(world.pending == 0)
        #expect(world.notices.last == .resumed)
        #expect(world.now == now)
        #expect(world.problems == [])
    }

    @Test("a slip of the back-end's is over within half a minute, and the pauses grow while it goes on")
    func shortSlip() {
        var world = MachineWorld()
        world.record(5)
        while world.requests.count < 5 {
            world.settleDown { _ in .unauthorized(reason: "401") }
            world.passToWake()
        }
        let pauses = zip(world.requests, world.requests.dropFirst()).map { $0.duration(to: $1) }
        for (pause, longest) in zip(pauses, [32, 64, 128, 256]) {
            #expect(pause >= .seconds(longest / 2) && pause <= .seconds(longest))
        }
        world.settleDown { _ in .accepted }
        #expect(world.pending < 5)
        #expect(world.notices.last == .resumed)
    }

    @Test("a destination that was parked before a pause is asked at once after it, when it is woken; without, it waits")
    func wokenAfterPause() {
        func machine() -> UploadMachine {
            var machine = MachineSituation.parked.machine()
            _ = machine.stopRequested()
            return machine
        }
        let later = MachineSituation.now.advanced(by: .seconds(2))
        var woken = machine()
        #expect(woken.woken(after: .seconds(1), at: later).isEmpty)
        woken.resumed()
        // As many as are sent without waiting for more.
        #expect(woken.eventsWait(pending: 500, at: later).contains { if case .read = $0 { true } else { false } })
        var left = machine()
        left.resumed()
        #expect(left.eventsWait(pending: 9, at: later) == [.wake(at: MachineSituation.now.advanced(by: .seconds(16)))])
    }

    @Test("a restart neither forgets a wait nor waits across a boot")
    func restart() {
        let now = MonotonicTime(milliseconds: 10_000)
        let state = RetryState(failures: 6, notBefore: MonotonicTime(milliseconds: 70_000))
        var machine = UploadMachine(policy: DeliveryPolicy(), limits: BatchLimits(), remembered: state)
        #expect(machine.eventsWait(pending: 99, at: now) == [.wake(at: state.notBefore)])
        #expect(machine.flushRequested(pending: 99, at: now) == [])
        #expect(
            machine.timeCame(pending: 99, at: state.notBefore)
                == [.read(BatchLimits(events: 1, bytes: BatchLimits().bytes))]
        )
    }

    @Test("a failure in the middle of a search goes on where it was")
    func searchGoesOn() {
        var world = MachineWorld(limits: BatchLimits(events: 64))
        world.record(64)
        var failures = 1
        world.settleDown { events in
            guard events.contains(40) else { return .accepted }
            guard events.count > 8 || failures == 0 else {
                failures -= 1
                return .retry(after: nil, reason: "503")
            }
            return .rejected(reason: "400")
        }
        let asked = world.sizes.count
        let size = world.sizes.last
        world.passToWake()
        world.settleDown { $0.contains(40) ? .rejected(reason: "400") : .accepted }
        #expect(world.sizes[asked] == size)
        // What is left is few, and waits for company.
        world.passToWake()
        world.settleDown { _ in .accepted }
        #expect(world.pending == 0)
        #expect(world.fates.enumerated().filter { $0.element == .setAside }.map(\.offset) == [40])
        #expect(world.problems == [])
    }

    @Test("a memory that says to wait for ever is not believed")
    func damagedMemory() {
        let state = RetryState(failures: .max, notBefore: MonotonicTime(milliseconds: .max))
        var machine = UploadMachine(policy: DeliveryPolicy(), limits: BatchLimits(), remembered: state)
        let now = MonotonicTime(milliseconds: 10_000)
        #expect(machine.eventsWait(pending: 1, at: now) == [.wake(at: now.advanced(by: .seconds(3_600)))])
        #expect(machine.timeCame(pending: 1, at: now.advanced(by: .seconds(3_600))) != [])
        _ = machine.batchRead(count: 1)
        let orders = machine.answered(.retry(after: nil, reason: ""), at: now, jitter: 0.5)
        #expect(orders.first == .release)
    }

    @Test("a flush asks for what waited when it was asked, not for what comes after")
    func flushEnds() {
        var world = MachineWorld(limits: BatchLimits(events: 10))
        world.record(5)
        let now = world.now
        world.tell { $0.flushRequested(pending: 5, at: now) }
        #expect(world.machine.flushProgress == .moving)
        while world.nextOrder != .send(records: 0..<5) { world.step(jitter: 0) { _ in .accepted } }
        world.recorded += 20
        world.settleDown { _ in .accepted }
        #expect(world.machine.flushProgress == .done)
        #expect(world.pending == 20)
    }

    @Test("what stands in a flush's way is said", arguments: MachineSituation.allCases)
    func progress(situation: MachineSituation) {
        var machine = situation.machine()
        _ = machine.flushRequested(pending: 9, at: MachineSituation.now)
        switch situation {
        case .idle, .gathering, .reading, .sending, .sendingOne, .settling, .waiting, .journalWait:
            #expect(machine.flushProgress == .moving)
        case .strict: #expect(machine.flushProgress == .blocked(until: MonotonicTime(milliseconds: 1_060_000)))
        case .parked: #expect(machine.flushProgress == .blocked(until: MonotonicTime(milliseconds: 1_016_000)))
        case .stopped: #expect(machine.flushProgress == .blocked(until: nil))
        }
    }
}
