// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("When an app's last-used time is saved")
struct HeartbeatMachineTests {
    /// A simulated app with heartbeats, a clock and a count of records.
    private struct App {
        var machine = HeartbeatMachine()
        var now = MonotonicTime(milliseconds: 1_000_000)
        var recorded: UInt64 = 7
        var beats: [Int64] = []
        let began = MonotonicTime(milliseconds: 1_000_000)

        mutating func follow(_ isBeating: Bool) {
            machine.setActive(isBeating, at: now, recorded: recorded)
        }

        mutating func recordActivity() { machine.noteActivity(at: now, recorded: recorded) }

        /// Advances the clock and performs due heartbeats on time.
        mutating func pass(_ duration: Duration) {
            let end = now.advanced(by: duration)
            while let due = machine.due, due <= end {
                now = due
                beats.append(began.duration(to: now).components.seconds)
                machine.heartbeatPersisted(at: now, recorded: recorded)
            }
            now = end
        }
    }

    @Test
    func `an unused app gets one heartbeat, half a minute after it enters the foreground, and then none`() {
        var app = App()
        #expect(app.machine.due == nil)
        #expect(!app.machine.isResting)
        app.follow(true)
        app.follow(true)
        #expect(app.machine.due == app.began.advanced(by: .seconds(30)))
        app.pass(.seconds(86_400))
        #expect(app.beats == [30])
        #expect(app.machine.isResting)
        app.follow(true)
        #expect(app.machine.isResting, "being in the foreground is not new activity")
    }

    @Test
    func `activity is followed by a heartbeat, after an interval that doubles each time up to five minutes`() {
        var app = App()
        app.follow(true)
        for _ in 0..<8 {
            app.pass(.seconds(2_000))
            app.recordActivity()
        }
        app.pass(.seconds(2_000))
        #expect(app.beats == [30, 2_060, 4_120, 6_240, 8_300, 10_300, 12_300, 14_300, 16_300])
    }

    @Test
    func `while a heartbeat is due, events are detected by their numbers, without being announced`() {
        var app = App()
        app.follow(true)
        app.pass(.seconds(29))
        app.recorded += 1
        app.pass(.seconds(1_000))
        #expect(app.beats == [30, 90], "the first heartbeat came right after the event, so one more follows")
        app.recorded += 1
        app.pass(.seconds(1_000))
        #expect(app.beats == [30, 90], "numbers are not checked while the machine rests")
    }

    @Test(arguments: [(0, [30]), (1_000, [30]), (1_001, [30, 90]), (29_999, [30, 90])] as [(Int64, [Int64])])
    func `activity in an interval's first second belongs to the activity that started the interval`(
        _ milliseconds: Int64,
        _ beats: [Int64]
    ) {
        var app = App()
        app.follow(true)
        app.pass(.milliseconds(milliseconds))
        app.recorded += 3
        app.recordActivity()
        app.pass(.seconds(1_000))
        #expect(app.beats == beats)
    }

    @Test
    func `when a heartbeat is saved twice, the later save does not end an interval that started in between`() {
        var app = App()
        app.follow(true)
        app.pass(.seconds(30))
        app.recordActivity()
        let due = app.machine.due
        app.machine.heartbeatPersisted(at: app.now, recorded: app.recorded)
        #expect(app.machine.due == due)
        #expect(due == app.now.advanced(by: .seconds(60)))
    }

    @Test
    func `intervals start over when the app returns and on every lifecycle change`() {
        var app = App()
        app.follow(true)
        for _ in 0..<100 {
            app.pass(.seconds(10))
            app.recordActivity()
        }
        let due = app.machine.due
        app.machine.lifecycleChanged(at: app.now, recorded: app.recorded)
        #expect(app.machine.due == app.now.advanced(by: .seconds(30)))
        #expect(app.machine.due != due)
        app.follow(false)
        #expect(app.machine.due == nil)
        #expect(!app.machine.isResting, "an app in the background is not resting")
        app.recordActivity()
        app.machine.lifecycleChanged(at: app.now, recorded: app.recorded)
        app.machine.heartbeatPersisted(at: app.now, recorded: app.recorded)
        #expect(app.machine.due == nil, "an app in the background is not in use")
        app.follow(true)
        #expect(app.machine.due == app.now.advanced(by: .seconds(30)))
    }

    @Test
    func `on a random walk, quiet intervals have no second heartbeat, and a used app's save is under five minutes old`()
        throws
    {
        var generator = SeededGenerator(seed: 11)
        var app = App()
        var (isBeating, last, isNew) = (false, app.now, false)
        for step in 0..<50_000 {
            switch generator.next(below: 12) {
            case 0:
                isBeating.toggle()
                app.follow(isBeating)
                (last, isNew) = (app.now, true)
            case 1:
                app.machine.lifecycleChanged(at: app.now, recorded: app.recorded)
                (last, isNew) = (app.now, true)
            case 2...5:
                let wasResting = app.machine.isResting
                if wasResting { last = app.now }
                app.recorded += UInt64(generator.next(below: 3))
                app.recordActivity()
                isNew = true
                try #require(!app.machine.isResting, "step \(step)")
            case 6 where !app.machine.isResting:
                app.recorded += 1
                isNew = true
            default:
                let end = app.now.advanced(by: .milliseconds(generator.next(below: 200_000)))
                while let due = app.machine.due, due <= end {
                    try #require(isBeating, "step \(step)")
                    try #require(last.duration(to: due) <= .seconds(300), "step \(step)")
                    app.now = due
                    app.machine.heartbeatPersisted(at: due, recorded: app.recorded)
                    if !isNew { try #require(app.machine.isResting, "step \(step): nothing happened") }
                    (last, isNew) = (due, false)
                }
                app.now = end
            }
            try #require(isBeating == (app.machine.due != nil || app.machine.isResting), "step \(step)")
        }
    }
}
