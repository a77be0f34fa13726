// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit

@Suite("The upload machine during failures")
struct UploadMachineFailureTests {
    private let hour = Duration.seconds(3_600)

    @Test(arguments: [0, 0.5, 0.999_999])
    func `six hours of 503 lose no events, attempts per hour are limited, and the next probe detects recovery`(
        jitter: Double
    ) {
        var environment = MachineEnvironment()
        environment.record(1_000)
        let end = environment.now.advanced(by: .seconds(6 * 3_600))
        var perHour: [Int] = []
        for hourNumber in 1...6 {
            let before = environment.requests.count
            let hourEnd = MonotonicTime(milliseconds: 5_000 + Int64(hourNumber) * 3_600_000)
            while environment.now < hourEnd {
                environment.settleDown(jitter: jitter) { _ in .retry(after: nil, reason: "503") }
                let (pending, now) = (environment.pending, environment.now)
                // Flush requests and events keep coming.
                environment.report { $0.flushRequested(pending: pending, at: now) }
                environment.record(1)
                environment.settleDown(jitter: jitter) { _ in .retry(after: nil, reason: "503") }
                environment.pass(.seconds(5))
            }
            perHour.append(environment.requests.count - before)
        }
        #expect(perHour[0] <= 40)
        #expect(perHour[1...].allSatisfy { $0 <= 24 })
        #expect(environment.pending == UInt64(environment.recorded))
        #expect(environment.notices == [.down(failures: 5, reason: "503")])
        #expect(environment.machine.lastOutcome == .verdict(.retry(after: nil, reason: "503")))
        // While the back end is considered down, a probe is a single event.
        #expect(environment.sizes.suffix(20).allSatisfy { $0 == 1 })

        let recovery = environment.now
        while environment.pending > 0, environment.now < end.advanced(by: hour) {
            environment.advanceToWake()
            environment.settleDown { _ in .accepted }
        }
        #expect(recovery.duration(to: environment.now) <= .seconds(310))
        #expect(environment.pending == 0)
        #expect(environment.notices.last == .recovered)
        #expect(environment.remembered == nil)
        #expect(environment.problems == [])
    }

    @Test
    func `a back end that repeatedly requests short delays still gets few requests`() {
        var environment = MachineEnvironment()
        environment.record(100)
        let end = environment.now.advanced(by: hour)
        while environment.now < end {
            environment.settleDown { _ in .retry(after: .seconds(1), reason: "429") }
            environment.advanceToWake()
        }
        #expect(environment.requests.count <= 40)
    }

    @Test(arguments: [0, 1, 499, 500, 998, 999])
    func `of a thousand events, only the poison event is lost, which costs about a dozen requests`(event: Int) {
        var environment = MachineEnvironment(limits: BatchLimits(events: 1_000))
        environment.record(1_000)
        environment.settleDown { $0.contains(event) ? .rejected(reason: "400 bad") : .accepted }
        #expect(environment.pending == 0)
        #expect(environment.outcomes.enumerated().filter { $0.element == .deadLetter }.map(\.offset) == [event])
        #expect(environment.requests.count <= 13)
        #expect(Set(environment.requests).count == 1)
        #expect(environment.problems == [])
    }

    @Test
    func `a back end that rejects everything costs eight events, then one per retry delay`() {
        var environment = MachineEnvironment(limits: BatchLimits(events: 1_000))
        environment.record(10_000)
        let start = environment.now
        environment.settleDown { _ in .rejected(reason: "400") }
        #expect(environment.outcomes.count == 8)
        #expect(environment.requests.count <= 50)
        let (pending, now) = (environment.pending, environment.now)
        environment.report { $0.flushRequested(pending: pending, at: now) }
        environment.settleDown { _ in .rejected(reason: "400") }
        #expect(environment.outcomes.count == 8)
        while environment.now < start.advanced(by: .seconds(24 * 3_600)) {
            environment.advanceToWake()
            environment.settleDown { _ in .rejected(reason: "400") }
        }
        #expect(environment.outcomes.count <= 8 + 24 * 24 + 20)
        #expect(environment.outcomes.allSatisfy { $0 == .deadLetter })

        // Once the back end is repaired, the rest is sent at full speed.
        environment.advanceToWake()
        environment.settleDown { _ in .accepted }
        #expect(environment.pending == 0)
        #expect(environment.problems == [])
    }

    @Test
    func `an event that is too large by itself becomes a dead letter, and batches stay large`() {
        var environment = MachineEnvironment(limits: BatchLimits(events: 64))
        environment.record(640)
        environment.settleDown { $0.contains(100) ? .tooLarge : .accepted }
        #expect(environment.outcomes.enumerated().filter { $0.element == .deadLetter }.map(\.offset) == [100])
        #expect(environment.sizes.last == 64)
        #expect(environment.pending == 0)
        #expect(environment.problems == [])
    }

    @Test
    func `a back end's small limit is learned once, not with every batch`() {
        var environment = MachineEnvironment(limits: BatchLimits(events: 1_000))
        environment.record(10_000)
        environment.settleDown { $0.count > 300 ? .tooLarge : .accepted }
        #expect(environment.pending == 0)
        #expect(environment.outcomes.allSatisfy { $0 == .delivered })
        #expect(environment.sizes.filter { $0 > 300 }.count <= 3)
        #expect(environment.problems == [])
    }

    @Test
    func `a batch is sent in parts over a network too slow for the whole`() {
        var environment = MachineEnvironment(limits: BatchLimits(events: 1_000))
        environment.record(2_000)
        while environment.pending > 0, environment.requests.count < 200 {
            environment.settleDown { $0.count > 40 ? nil : .accepted }
            environment.advanceToWake()
        }
        #expect(environment.pending == 0)
        #expect(environment.problems == [])
    }

    @Test
    func `a rotated key parks the destination and is reported once, and new credentials resume it immediately`() {
        var environment = MachineEnvironment()
        environment.record(500)
        let start = environment.now
        while environment.now < start.advanced(by: hour) {
            environment.settleDown { _ in .unauthorized(reason: "401 key_unknown") }
            environment.advanceToWake()
        }
        #expect(environment.notices == [.parked(.unauthorized(reason: "401 key_unknown"))])
        // 24 an hour, plus a few more in the first minutes, because most misconfigurations are brief.
        #expect(environment.requests.count <= 29)
        #expect(environment.pending == 500)
        let now = environment.now
        environment.report { $0.destinationReplaced(limits: BatchLimits(), at: now) }
        environment.settleDown { _ in .accepted }
        #expect(environment.pending == 0)
        #expect(environment.notices.last == .resumed)
        #expect(environment.now == now)
        #expect(environment.problems == [])
    }

    @Test
    func `a short authorization failure is over within half a minute, and the pauses grow while it lasts`() {
        var environment = MachineEnvironment()
        environment.record(5)
        while environment.requests.count < 5 {
            environment.settleDown { _ in .unauthorized(reason: "401") }
            environment.advanceToWake()
        }
        let pauses = zip(environment.requests, environment.requests.dropFirst()).map { $0.duration(to: $1) }
        for (pause, longest) in zip(pauses, [32, 64, 128, 256]) {
            #expect(pause >= .seconds(longest / 2) && pause <= .seconds(longest))
        }
        environment.settleDown { _ in .accepted }
        #expect(environment.pending < 5)
        #expect(environment.notices.last == .resumed)
    }

    @Test
    func `a destination parked before a pause is probed right after the pause if woken, and otherwise keeps waiting`() {
        func machine() -> UploadMachine {
            var machine = MachineSituation.parked.machine()
            _ = machine.stopRequested()
            return machine
        }
        let later = MachineSituation.now.advanced(by: .seconds(2))
        var woken = machine()
        #expect(woken.probeRequested(after: .seconds(1), at: later).isEmpty)
        woken.resumeRequested()
        // Enough events to be sent without waiting for more.
        #expect(woken.eventsPending(pending: 500, at: later).contains { if case .read = $0 { true } else { false } })
        var left = machine()
        left.resumeRequested()
        #expect(
            left.eventsPending(pending: 9, at: later) == [.wake(at: MachineSituation.now.advanced(by: .seconds(16)))]
        )
    }

    @Test
    func `a process that restarts within the same boot continues the wait`() {
        let now = MonotonicTime(milliseconds: 10_000)
        let state = RetryState(failures: 6, notBefore: MonotonicTime(milliseconds: 70_000))
        var machine = UploadMachine(policy: DeliveryPolicy(), limits: BatchLimits(), remembered: state)
        #expect(machine.eventsPending(pending: 99, at: now) == [.wake(at: state.notBefore)])
        // Only the SDK requests this flush.
        #expect(machine.flushRequested(pending: 99, isRequestedByApp: false, at: now) == [])
        #expect(
            machine.timerFired(pending: 99, at: state.notBefore)
                == [.read(BatchLimits(events: 1, bytes: BatchLimits().bytes))]
        )
    }

    @Test(arguments: [false, true])
    func `a requested flush sends one probe to a destination considered down, unless the back end set the time`(
        isNamed: Bool
    ) {
        let now = MonotonicTime(milliseconds: 10_000)
        let state = RetryState(
            failures: 6,
            notBefore: MonotonicTime(milliseconds: 70_000),
            since: now,
            reason: "Connection refused",
            isNamedByBackEnd: isNamed
        )
        let probe = UploadMachine.Action.read(BatchLimits(events: 1, bytes: BatchLimits().bytes))
        var machine = UploadMachine(policy: DeliveryPolicy(), limits: BatchLimits(), remembered: state)
        #expect(machine.failureReason(at: now)?.contains("Connection refused") == true)
        #expect(machine.eventsPending(pending: 99, at: now) == [.wake(at: state.notBefore)])
        #expect(machine.failureReason(at: now)?.contains("60 s") == true)
        #expect(machine.flushRequested(pending: 99, isRecount: true, at: now) == [])
        #expect(machine.flushRequested(pending: 99, at: now) == (isNamed ? [] : [probe]))
        guard !isNamed else { return }
        _ = machine.batchRead(count: 1)
        _ = machine.transportFailed(TransportError(.refused, "Connection refused"), at: now, jitter: 0.5)
        // One probe only: successive flushes do not send successive requests.
        #expect(machine.flushRequested(pending: 99, at: now) == [])
        #expect(machine.flushRequested(pending: 99, at: now.advanced(by: .seconds(1))) == [])
    }

    @Test
    func `a process that finds the back end still down reports it once, with the cause`() {
        let state = RetryState(failures: 6, notBefore: MonotonicTime(milliseconds: 6_000))
        var environment = MachineEnvironment(remembered: state)
        environment.record(10)
        for _ in 1...4 {
            environment.advanceToWake()
            environment.settleDown { _ in .retry(after: nil, reason: "Connection refused") }
        }
        #expect(environment.requests.count > 2)
        #expect(environment.notices == [.down(failures: 7, reason: "Connection refused")])
        environment.advanceToWake()
        environment.settleDown { _ in .accepted }
        #expect(environment.notices.last == .recovered)
        #expect(environment.problems == [])
    }

    @Test
    func `after a failure, the search for a poison event resumes where it stopped`() {
        var environment = MachineEnvironment(limits: BatchLimits(events: 64))
        environment.record(64)
        var failures = 1
        environment.settleDown { events in
            guard events.contains(40) else { return .accepted }
            guard events.count > 8 || failures == 0 else {
                failures -= 1
                return .retry(after: nil, reason: "503")
            }
            return .rejected(reason: "400")
        }
        let asked = environment.sizes.count
        let size = environment.sizes.last
        environment.advanceToWake()
        environment.settleDown { $0.contains(40) ? .rejected(reason: "400") : .accepted }
        #expect(environment.sizes[asked] == size)
        // Few events are left, and they wait for more.
        environment.advanceToWake()
        environment.settleDown { _ in .accepted }
        #expect(environment.pending == 0)
        #expect(environment.outcomes.enumerated().filter { $0.element == .deadLetter }.map(\.offset) == [40])
        #expect(environment.problems == [])
    }

    @Test
    func `a remembered wait without an end is capped`() {
        let state = RetryState(failures: .max, notBefore: MonotonicTime(milliseconds: .max))
        var machine = UploadMachine(policy: DeliveryPolicy(), limits: BatchLimits(), remembered: state)
        let now = MonotonicTime(milliseconds: 10_000)
        #expect(machine.eventsPending(pending: 1, at: now) == [.wake(at: now.advanced(by: .seconds(3_600)))])
        #expect(machine.timerFired(pending: 1, at: now.advanced(by: .seconds(3_600))) != [])
        _ = machine.batchRead(count: 1)
        let orders = machine.responseReceived(.retry(after: nil, reason: ""), at: now, jitter: 0.5)
        #expect(orders.first == .release)
    }

    @Test
    func `a flush covers the events pending when it was requested, not later ones`() {
        var environment = MachineEnvironment(limits: BatchLimits(events: 10))
        environment.record(5)
        let now = environment.now
        environment.report { $0.flushRequested(pending: 5, at: now) }
        #expect(environment.machine.flushProgress == .inProgress)
        while environment.nextOrder != .send(records: 0..<5) { environment.step(jitter: 0) { _ in .accepted } }
        environment.recorded += 20
        environment.settleDown { _ in .accepted }
        #expect(environment.machine.flushProgress == .done)
        #expect(environment.pending == 20)
    }

    @Test(arguments: MachineSituation.allCases)
    func `flush progress reports what blocks a flush`(situation: MachineSituation) {
        var machine = situation.machine()
        _ = machine.flushRequested(pending: 9, at: MachineSituation.now)
        switch situation {
        case .idle, .gathering, .reading, .sending, .sendingOne, .settling, .waiting, .journalWait:
            #expect(machine.flushProgress == .inProgress)
        case .strict: #expect(machine.flushProgress == .blocked(until: MonotonicTime(milliseconds: 1_060_000)))
        case .parked: #expect(machine.flushProgress == .blocked(until: MonotonicTime(milliseconds: 1_016_000)))
        case .stopped: #expect(machine.flushProgress == .blocked(until: nil))
        }
    }
}
