// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Timers")
struct TimerMachineTests {
    /// A step in the life of a timer named "t".
    enum Step: Sendable {
        case start, startCountingBackground, pause, resume, end, remove, clear, background, foreground
        case pass(Int64)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var scenario: String
        var steps: [Step]
        /// The time that each end returned, in milliseconds; nil without a timer.
        var shown: [Int64?]
        var testDescription: String { scenario }
    }

    private static let table: [Row] = [
        Row(scenario: "start and end", steps: [.start, .pass(1500), .end], shown: [1500]),
        Row(scenario: "ended immediately", steps: [.start, .end], shown: [0]),
        Row(scenario: "ended twice", steps: [.start, .pass(5), .end, .pass(5), .end], shown: [5, nil]),
        Row(scenario: "ended without a start", steps: [.end], shown: [nil]),
        Row(
            scenario: "paused time does not count",
            steps: [.start, .pass(10), .pause, .pass(100), .resume, .pass(1), .end],
            shown: [11]
        ),
        Row(scenario: "ended while paused", steps: [.start, .pass(10), .pause, .pass(100), .end], shown: [10]),
        Row(
            scenario: "paused twice",
            steps: [.start, .pass(10), .pause, .pass(100), .pause, .pass(7), .resume, .pass(1), .end],
            shown: [11]
        ),
        Row(
            scenario: "resumed twice",
            steps: [.start, .pass(10), .pause, .pass(9), .resume, .pass(1), .resume, .pass(1), .end],
            shown: [12]
        ),
        Row(scenario: "resumed without a pause", steps: [.start, .pass(10), .resume, .pass(1), .end], shown: [11]),
        Row(scenario: "removed", steps: [.start, .remove, .end], shown: [nil]),
        Row(scenario: "cleared", steps: [.start, .clear, .end], shown: [nil]),
        Row(scenario: "started again by name", steps: [.start, .pass(10), .start, .pass(1), .end], shown: [1]),
        Row(
            scenario: "background time does not count",
            steps: [.start, .pass(10), .background, .pass(1000), .foreground, .pass(1), .end],
            shown: [11]
        ),
        Row(
            scenario: "background time counts on request",
            steps: [.startCountingBackground, .pass(10), .background, .pass(1000), .foreground, .pass(1), .end],
            shown: [1011]
        ),
        Row(
            scenario: "a timer ended in the background does not include the time since the exit",
            steps: [.start, .pass(10), .background, .pass(1000), .end],
            shown: [10]
        ),
        Row(
            scenario: "two notifications of one background entry",
            steps: [.start, .pass(10), .background, .pass(5), .background, .pass(5), .foreground, .foreground, .end],
            shown: [10]
        ),
        Row(
            scenario: "paused, background, foreground: still paused",
            steps: [.start, .pass(10), .pause, .background, .pass(5), .foreground, .pass(5), .end],
            shown: [10]
        ),
        Row(
            scenario: "paused in the background stays paused in the foreground",
            steps: [.start, .pass(10), .background, .pause, .pass(5), .foreground, .pass(5), .end],
            shown: [10]
        ),
        Row(
            scenario: "resumed in the background, it continues in the foreground",
            steps: [.start, .pass(10), .pause, .background, .resume, .pass(5), .foreground, .pass(3), .end],
            shown: [13]
        ),
        Row(
            scenario: "started in the background, it counts background time",
            steps: [.background, .start, .pass(10), .end],
            shown: [10]
        ),
        Row(
            scenario: "started, paused and resumed in the background",
            steps: [.background, .start, .pass(10), .pause, .pass(5), .resume, .pass(1), .end],
            shown: [11]
        ),
        Row(
            scenario: "started in the background, its next background period does not count",
            steps: [.background, .start, .pass(10), .foreground, .pass(2), .background, .pass(50), .end],
            shown: [12]
        ),
        Row(scenario: "a whole day counts", steps: [.start, .pass(86_400_000), .end], shown: [86_400_000]),
        Row(
            scenario: "a period of more than a day counts as a measurement error",
            steps: [.start, .pass(86_400_001), .end],
            shown: [0]
        ),
        Row(
            scenario: "an impossible period does not affect the others",
            steps: [.start, .pass(7), .pause, .resume, .pass(86_400_001), .pause, .resume, .pass(2), .end],
            shown: [9]
        ),
    ]

    @Test(arguments: table)
    func `each sequence of steps returns the expected times`(row: Row) {
        var machine = TimerMachine()
        var now = DeviceTime.at(1_000)
        var shown: [Int64?] = []
        var starts: UInt64 = 0
        for step in row.steps {
            switch step {
            case .start, .startCountingBackground:
                starts += 1
                var counts = false
                if case .startCountingBackground = step { counts = true }
                let id = EventID(high: 0, low: starts)
                #expect(machine.start("t", id: id, countsBackground: counts, at: now) == [])
            case .pause: machine.pause(.name("t"), at: now)
            case .resume: machine.resume(.name("t"), at: now)
            case .end: shown.append(machine.end(.name("t"), at: now)?.elapsed.wholeMilliseconds)
            case .remove: machine.remove(.name("t"))
            case .clear: machine.removeAll()
            case .background: machine.appEnteredBackground(at: now)
            case .foreground: machine.appEnteredForeground(at: now)
            case .pass(let milliseconds): now = now.advanced(by: .milliseconds(milliseconds))
            }
        }
        #expect(shown == row.shown)
    }

    private func id(_ number: UInt64) -> EventID { EventID(high: 0, low: number) }

    @Test
    func `timers with the same name may overlap: an id refers to its own start, and the name to the latest one`() {
        var machine = TimerMachine()
        _ = machine.start("load", id: id(1), at: .at(0))
        _ = machine.start("load", id: id(2), at: .at(100))
        #expect(machine.end(.id(id(1)), at: .at(150))?.elapsed == .milliseconds(150))
        #expect(machine.end(.name("load"), at: .at(400))?.elapsed == .milliseconds(300))
        #expect(machine.end(.id(id(2)), at: .at(500)) == nil)
        #expect(machine.count == 0)
    }

    @Test
    func `after the latest timer is ended by id, the name refers to no timer, and the earlier timer still exists`() {
        var machine = TimerMachine()
        _ = machine.start("load", id: id(1), at: .at(0))
        _ = machine.start("load", id: id(2), at: .at(0))
        #expect(machine.end(.id(id(2)), at: .at(1)) != nil)
        #expect(machine.end(.name("load"), at: .at(2)) == nil)
        #expect(machine.end(.id(id(1)), at: .at(3))?.elapsed == .milliseconds(3))
    }

    @Test
    func `pausing by id does not affect other timers with the same name`() {
        var machine = TimerMachine()
        _ = machine.start("load", id: id(1), at: .at(0))
        _ = machine.start("load", id: id(2), at: .at(0))
        let (hasFirst, hasThird) = (machine.pause(.id(id(1)), at: .at(10)), machine.pause(.id(id(3)), at: .at(10)))
        #expect(hasFirst && !hasThird)
        #expect(machine.end(.id(id(1)), at: .at(20))?.elapsed == .milliseconds(10))
        #expect(machine.end(.id(id(2)), at: .at(20))?.elapsed == .milliseconds(20))
    }

    @Test
    func `setting the wall clock has no effect, and a period across a restart with an earlier clock counts as zero`() {
        var machine = TimerMachine()
        _ = machine.start("t", id: id(1), at: .at(0))
        var end = DeviceTime.at(1_000)
        end.wall = Timestamp(milliseconds: 5)
        #expect(machine.end(.name("t"), at: end)?.elapsed == .milliseconds(1_000))
        _ = machine.start("t", id: id(2), at: .at(1_000))
        end.boot = "b"
        #expect(machine.end(.name("t"), at: end)?.elapsed == .zero)
    }

    @Test(
        arguments: [
            (TimerUnit.milliseconds, 1_234, 1_234), (.seconds, 1_234, 1.234), (.minutes, 90_000, 1.5),
            (.minutes, 1_000, 0.017), (.hours, 5_400_000, 1.5), (.hours, 1, 0), (.hours, 1_800, 0.001),
            (.seconds, 0, 0),
        ] as [(TimerUnit, Int64, Double)]
    )
    func `durations use the unit given at the start, rounded to three decimals`(
        unit: TimerUnit,
        milliseconds: Int64,
        value: Double
    ) {
        var machine = TimerMachine()
        _ = machine.start("t", id: id(1), unit: unit, at: .at(0))
        #expect(machine.end(.name("t"), at: .at(milliseconds))?.value == value)
    }

    @Test
    func `beyond the maximum number of timers, the oldest is dropped, those not reachable by name first`() {
        var machine = TimerMachine()
        _ = machine.start("kept", id: id(1), at: .at(0))
        _ = machine.start("again", id: id(2), at: .at(0))
        _ = machine.start("again", id: id(3), at: .at(0))
        for number in 4...UInt64(TimerMachine.maxTimers) {
            #expect(machine.start("\(number)", id: id(number), at: .at(0)) == [])
        }
        #expect(machine.count == TimerMachine.maxTimers)
        #expect(machine.start("one more", id: id(9_001), at: .at(0)) == [.reportDropped(name: "again")])
        #expect(machine.end(.id(id(2)), at: .at(1)) == nil)
        #expect(machine.start("and more", id: id(9_002), at: .at(0)) == [.reportDropped(name: "kept")])
        #expect(machine.count == TimerMachine.maxTimers)
        #expect(machine.end(.name("kept"), at: .at(1)) == nil)
        #expect(machine.end(.name("again"), at: .at(1)) != nil)
    }
}
