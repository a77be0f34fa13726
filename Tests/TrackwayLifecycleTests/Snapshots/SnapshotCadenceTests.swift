// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Snapshot cadence")
struct SnapshotCadenceTests {
    /// Runs a cadence on a device and performs its wake-ups.
    private struct Run {
        var device = TestDevice()
        var cadence = SnapshotCadence()
        var taken: [SnapshotCadence.Trigger] = []
        var wakeAt: MonotonicTime?

        mutating func perform(_ actions: [SnapshotCadence.Action]) {
            for action in actions {
                switch action {
                case .take(let trigger): taken.append(trigger)
                case .wake(let time): wakeAt = time
                case .cancelWake: wakeAt = nil
                }
            }
        }

        mutating func pass(_ duration: Duration) {
            let end = device.now.monotonic.advanced(by: duration)
            while let time = wakeAt, time <= end {
                wakeAt = nil
                device.pass(device.now.monotonic.duration(to: time))
                perform(cadence.timerFired(at: device.now))
            }
            device.pass(device.now.monotonic.duration(to: end))
        }

        mutating func enter() { perform(cadence.appEnteredForeground(at: device.now)) }
        mutating func leave() { perform(cadence.appEnteredBackground()) }
        mutating func show() { perform(cadence.screenChanged(at: device.now)) }
        mutating func ask() { perform(cadence.snapshotRequested(at: device.now)) }
    }

    @Test(
        arguments: [(119_999, 0), (120_000, 1), (120_001, 1), (239_999, 1), (240_000, 2), (3_600_000, 30)]
            as [(Int, Int)]
    )
    func `in the foreground, a snapshot is taken every two minutes and not sooner`(milliseconds: Int, more: Int) {
        var run = Run()
        run.enter()
        run.pass(.milliseconds(milliseconds))
        #expect(run.taken == [.foreground] + Array(repeating: .time, count: more))
    }

    @Test
    func `any snapshot postpones the next one`() {
        var run = Run()
        run.enter()
        run.pass(.seconds(100))
        run.show()
        run.pass(.seconds(100))
        run.ask()
        run.pass(.seconds(119))
        #expect(run.taken == [.foreground, .screen, .request])
        run.pass(.seconds(1))
        #expect(run.taken.last == .time)
    }

    @Test
    func `in the background, only requested snapshots are taken`() {
        var run = Run()
        run.show()
        run.ask()
        run.enter()
        run.enter()
        run.leave()
        run.leave()
        run.show()
        run.pass(.seconds(3600))
        run.perform(run.cadence.timerFired(at: run.device.now))
        #expect(run.taken == [.request, .foreground])
        run.ask()
        #expect(run.taken.last == .request)
        #expect(run.wakeAt == nil)
    }

    @Test
    func `use beyond the limit takes no more snapshots, and requests do not count toward the limit`() {
        var run = Run()
        run.enter()
        for _ in 0..<100 { run.show() }
        #expect(run.taken.count == 30)
        run.ask()
        #expect(run.taken.count == 31)
        run.pass(.seconds(2))
        run.show()
        run.show()
        #expect(run.taken.count == 32)
    }

    @Test
    func `requests do not reduce the limit for use`() {
        var run = Run()
        for _ in 0..<100 { run.ask() }
        run.enter()
        for _ in 0..<100 { run.show() }
        #expect(run.taken.count == 100 + 30)
    }

    @Test
    func `the minimum frequency overrides a lower limit`() {
        var run = Run()
        run.cadence = SnapshotCadence(policy: .init(atMost: 1, per: .seconds(3600), atLeastEvery: .seconds(120)))
        run.enter()
        run.pass(.seconds(60))
        run.show()
        run.leave()
        run.pass(.seconds(60))
        run.enter()
        #expect(run.taken == [.foreground, .time])
    }

    @Test
    func `an app that is restarted repeatedly within a minute has the limit of one process`() throws {
        var run = Run()
        for _ in 0..<40 {
            run.cadence = try reloaded(run.cadence)
            run.cadence.processStarted(policy: SnapshotPolicy())
            run.enter()
        }
        #expect(run.taken.count == 30)
    }

    @Test(arguments: [(119_999, 0), (120_000, 1), (120_001, 1)])
    func `a restart in between does not extend the two-minute interval`(milliseconds: Int, more: Int) throws {
        var run = Run()
        run.cadence = SnapshotCadence(policy: .init(atMost: 1, per: .seconds(3600)))
        run.enter()
        run.pass(.seconds(60))
        run.cadence = try reloaded(run.cadence)
        run.cadence.processStarted(policy: .init(atMost: 1, per: .seconds(3600)))
        run.enter()
        run.pass(.milliseconds(milliseconds - 60_000))
        #expect(run.taken == [.foreground] + Array(repeating: .time, count: more))
    }

    @Test
    func `a new policy starts with a full bucket`() {
        var run = Run()
        run.cadence = SnapshotCadence(policy: .init(atMost: 1, per: .seconds(3600)))
        run.enter()
        run.show()
        #expect(run.taken == [.foreground])
        run.cadence.processStarted(policy: .init(atMost: 2, per: .seconds(3600)))
        run.enter()
        run.show()
        run.show()
        #expect(run.taken == [.foreground, .foreground, .screen])
    }

    @Test(arguments: [(.zero, 0), (.seconds(-1), 0), (.milliseconds(1), 10), (.seconds(1), 10)] as [(Duration, Int)])
    func `without a minimum frequency, only use takes snapshots, and an interval below a second counts as a second`(
        atLeastEvery: Duration,
        more: Int
    ) {
        var run = Run()
        run.cadence = SnapshotCadence(policy: .init(atMost: 1, per: .seconds(3600), atLeastEvery: atLeastEvery))
        run.enter()
        run.show()
        run.pass(.seconds(10))
        #expect(run.taken.count == 1 + more)
    }

    @Test(arguments: [-86_400, 86_400])
    func `setting the wall clock has no effect`(seconds: Int) {
        var run = Run()
        run.enter()
        run.device.wall = run.device.wall.advanced(by: .seconds(seconds))
        run.pass(.seconds(119))
        #expect(run.taken.count == 1)
        run.pass(.seconds(1))
        #expect(run.taken.count == 2)
    }

    @Test
    func `sixteen hourly ten-minute visits with five screens each, and a night with a restart, take 129 snapshots`()
        throws
    {
        var run = Run()
        for _ in 0..<16 {
            run.enter()
            for _ in 0..<5 {
                run.pass(.seconds(60))
                run.show()
            }
            run.pass(.seconds(300))
            run.leave()
            run.cadence = try reloaded(run.cadence)
            run.pass(.seconds(3000))
        }
        // Each visit: one on entering, five for screens, and two more within the five minutes after the last screen.
        #expect(run.taken.count == 16 * (1 + 5 + 2))
        #expect(run.taken.filter { $0 == .foreground }.count == 16)
        #expect(run.taken.filter { $0 == .screen }.count == 80)
        #expect(run.taken.filter { $0 == .time }.count == 32)
        run.device.restart(takes: .seconds(28_800))
        run.cadence.processStarted(policy: SnapshotPolicy())
        run.pass(.seconds(600))
        #expect(run.taken.count == 128)
        run.enter()
        #expect(run.taken.count == 129)
    }

    @Test
    func
        `over 100,000 random steps, no two foreground minutes pass without a snapshot, and use stays within its limit`()
        throws
    {
        var generator = SeededGenerator(seed: 91)
        var run = Run()
        var isInForeground = false
        var lastTaken: MonotonicTime?
        var byUse: [MonotonicTime] = []
        for step in 0..<100_000 {
            if step < 1000 || step % 101 == 0 { run.cadence = try reloaded(run.cadence) }
            let before = run.taken.count
            switch generator.next(below: 12) {
            case 0:
                run.enter()
                isInForeground = true
            case 1:
                run.leave()
                isInForeground = false
            case 2: run.device.wall = run.device.wall.advanced(by: .seconds(generator.next(below: 2000) - 1000))
            case 3: run.ask()
            case 4, 5: run.pass(.milliseconds(generator.next(below: 3000)))
            case 6 where run.wakeAt != nil:
                // Advance exactly to the requested wake-up, which takes a snapshot.
                let time = try #require(run.wakeAt)
                run.pass(run.device.now.monotonic.duration(to: time))
                try #require(run.taken.count == before + 1)
            default: run.show()
            }
            let now = run.device.now.monotonic
            for trigger in run.taken[before...] {
                if trigger == .screen || trigger == .foreground { byUse.append(now) }
                lastTaken = now
            }
            byUse.removeAll { $0.duration(to: now) >= .seconds(60) }
            // A full bucket, and the tokens added in the meantime.
            try #require(byUse.count <= 60, "step \(step)")
            if isInForeground {
                let taken = try #require(lastTaken)
                try #require(taken.duration(to: now) < .seconds(120), "step \(step)")
            }
            if run.taken.count > 10_000 { run.taken.removeAll() }
        }
    }
}
