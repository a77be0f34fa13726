// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents
import TrackwayTesting

@Suite("Snapshots from beginning to end")
struct SnapshotMachineTests {
    @Test("Coming tells both kinds, leaving what the device is, a screen and the clock what the app is about")
    func kinds() {
        var run = RoutineRun(.init(sources: Set(SnapshotPart.allCases), repeatsPropertiesAfter: .zero))
        run.watch()
        #expect(run.states.isEmpty && run.properties.isEmpty)
        run.enter()
        #expect(run.states.count == 1 && run.properties.count == 1)
        run.show("Cart")
        #expect(run.states.last?.screenTitles == ["Cart"])
        run.pass(.seconds(120))
        #expect(run.states.count == 3 && run.properties.count == 1)
        run.leave()
        #expect(run.states.count == 3 && run.properties.count == 2)
        run.ask()
        #expect(run.states.count == 4 && run.properties.count == 3)
        #expect(run.triggers == [.foreground, .screen, .time, .request])
        #expect(run.states.map(\.applicationState) == [.active, .active, .active, .background])
    }

    @Test("What lies over the app for a moment brings nothing about, and coming back from it neither")
    func interruptions() {
        var run = RoutineRun()
        run.watch()
        run.report { $0.appChanged(to: .inactive, at: $1) }
        #expect(run.states.isEmpty, "on its way in")
        run.enter()
        run.report { $0.appChanged(to: .inactive, at: $1) }
        run.enter()
        #expect(run.triggers == [.foreground])
        run.report { $0.appChanged(to: .inactive, at: $1) }
        run.show()
        #expect(run.states.last?.applicationState == .inactive)
    }

    @Test(
        "Properties that did not change are told again after the window, not before, over restarts too",
        arguments: [(3_599_999, 1), (3_600_000, 2), (3_600_001, 2)]
    )
    func hour(milliseconds: Int, told: Int) throws {
        var run = RoutineRun(app: .active)
        run.watch()
        run.leave()
        run.device.pass(.milliseconds(milliseconds))
        try run.restart()
        run.device.wall = run.device.wall.advanced(by: .seconds(-7200))
        run.enter()
        #expect(run.properties.count == told)
    }

    @Test("Properties that changed are told at once, and going back to what they were is a change")
    func changes() {
        var run = RoutineRun(app: .active)
        run.watch()
        run.known[.systemVersion] = "2"
        run.leave()
        run.known[.systemVersion] = nil
        run.enter()
        run.leave()
        #expect(run.properties.count == 3)
    }

    @Test("More use than the limit tells what the device is all the same")
    func limited() {
        var run = RoutineRun(
            .init(
                policy: .init(atMost: 1, per: .seconds(3600)),
                sources: [.deviceProperties],
                repeatsPropertiesAfter: .zero
            )
        )
        run.watch()
        for _ in 0..<3 {
            run.enter()
            run.leave()
        }
        #expect(run.states.count == 1)
        #expect(run.properties.count == 6)
    }

    @Test(
        "Each kind can be asked for alone, seen or not, and is not told while nothing may be watched",
        arguments: [true, false]
    )
    func alone(isSeen: Bool) {
        var run = RoutineRun(.init(sources: Set(SnapshotPart.allCases), repeatsPropertiesAfter: .zero))
        run.report { $0.requestedProperties(at: $1) }
        #expect(run.properties.isEmpty)
        run.watch()
        if isSeen { run.enter() }
        let (states, properties) = (run.states.count, run.properties.count)
        run.report { $0.requestedProperties(at: $1) }
        #expect(run.states.count == states && run.properties.count == properties + 1)
        run.report { $0.requested("Cart", reportsProperties: false, at: $1) }
        #expect(run.states.count == states + 1 && run.properties.count == properties + 1)
        #expect(run.states.last?.screenTitles == ["Cart"])
    }

    @Test("Nothing is asked, told or kept running while nothing may be watched")
    func unwatched() {
        var run = RoutineRun(app: .active)
        run.means = SnapshotMeans(hasHeading: true)
        run.answers = false
        run.show()
        run.ask()
        run.leave()
        run.enter()
        run.pass(.seconds(600))
        #expect(run.questions.isEmpty)
        run.watch()
        #expect(!run.questions.isEmpty)
        run.answerAll()
        #expect(run.running == [.heading])
        run.watch(false)
        #expect(run.running.isEmpty)
        run.pass(.seconds(600))
        #expect(run.states.isEmpty)
        #expect(run.machine.due == nil)
    }

    @Test("A source that does not answer costs its part alone, and the time once")
    func silence() {
        var run = RoutineRun(app: .active)
        run.answers = false
        run.watch()
        for part in run.questions where part != .appState { run.answer(part) }
        run.questions = []
        run.pass(.milliseconds(1_999))
        #expect(run.states.isEmpty)
        run.pass(.milliseconds(1))
        #expect(run.states.count == 1)
        #expect(run.silent == [.appState])
        run.answers = true
        run.show()
        #expect(run.states.count == 2, "nobody waits for it any more")
        run.answer(.appState)
        #expect(run.states.count == 2, "late answers are nobody's")
        run.answers = false
        run.show()
        #expect(run.questions.contains(.appState), "who answered is asked again")
    }

    @Test("However many wait for a source that takes its time, those beyond a bound go without it, and none is lost")
    func manyWaiting() {
        var run = RoutineRun(app: .active)
        run.watch()
        run.answers = false
        let before = run.states.count
        let count = TestEffort.count(4_000, full: 20_000)
        for number in 0..<count {
            run.report { $0.requested("\(number)", at: $1) }
            run.questions = []
        }
        #expect(run.states.count == before + count - SnapshotMachine.maxAsking)
        run.leave()
        #expect(run.states.dropFirst(before).map(\.screenTitles) == (0..<count).map { ["\($0)"] })
    }

    @Test("Leaving finishes what is being asked and what is being sampled, at once and with what there is")
    func leaving() {
        var run = RoutineRun(app: .active)
        run.means = SnapshotMeans(hasHeading: true)
        run.watch()
        run.answers = false
        run.show("Cart")
        #expect(run.states.isEmpty)
        run.leave()
        #expect(run.states.map(\.screenTitles) == [[], ["Cart"]])
        #expect(run.triggers == [.foreground, .screen])
        #expect(run.running.isEmpty)
        run.answerAll()
        run.pass(.seconds(60))
        #expect(run.states.count == 2)
    }

    @Test("Who is stopped or ended is asked nothing more", arguments: [AppState.suspended, .notRunning])
    func stopped(_ state: AppState) {
        var run = RoutineRun(app: .active)
        run.watch()
        run.answers = false
        run.report { $0.appChanged(to: state, at: $1) }
        #expect(run.questions.isEmpty)
    }

    @Test("Of a device of which nothing is known, nothing is told")
    func nothingKnown() {
        var run = RoutineRun(app: .active)
        run.known = DeviceProperties()
        run.watch()
        run.ask()
        #expect(run.properties.isEmpty && run.states.count == 2)
    }

    @Test("Readings of an earlier run come too late")
    func lateReadings() {
        var run = RoutineRun(.init(sources: [.motion], allowsMotion: true), app: .active)
        run.means = SnapshotMeans(motion: .raw)
        run.watch()
        let first = run.machine.currentMotionRun
        run.leave()
        run.enter()
        let reading = MotionReading.sensor(.acceleration, .init(time: run.device.wall, values: .init(x: 1, y: 2, z: 3)))
        run.machine.read(reading, run: first)
        run.machine.read(reading, run: run.machine.currentMotionRun)
        run.machine.read(reading, run: nil)
        run.pass(.milliseconds(5_100))
        #expect(run.states.map(\.accelerometer.count) == [0, 2])
    }

    @Test("A heading of an earlier run comes too late")
    func lateHeading() {
        var run = RoutineRun(.init(sources: [.heading]), app: .active)
        run.means = SnapshotMeans(hasHeading: true)
        run.watch()
        let first = run.headingRun
        run.leave()
        run.enter()
        #expect(run.headingRun != first)
        func heading(_ degrees: Double) -> Heading {
            Heading(time: run.device.wall, magnetic: degrees, accuracy: 1, field: Vector3(x: 0, y: 0, z: 0))
        }
        run.machine.read(heading(1), run: run.headingRun)
        run.machine.read(heading(2), run: first)
        run.pass(.seconds(4))
        #expect(run.states.map { $0.heading?.magnetic } == [nil, 1])
    }

    @Test("A source that owes an answer wakes nobody once nobody waits for it")
    func nobodyWaits() {
        var run = RoutineRun(app: .active)
        run.answers = false
        run.watch()
        #expect(run.machine.due != nil)
        run.watch(false)
        #expect(run.machine.due == nil)
    }

    @Test("Forgetting begins with a full bucket and tells everything again")
    func forgotten() {
        var run = RoutineRun(.init(policy: .init(atMost: 1, per: .seconds(3600)), sources: [.deviceProperties]))
        run.watch()
        run.enter()
        run.report { $0.forgotten(at: $1) }
        run.watch()
        #expect(run.triggers == [.foreground, .foreground])
        #expect(run.properties.count == 2)
    }

    @Test("On walks of 100,000 steps use stays within its limit, and sensors run exactly while something is sampled")
    func walk() throws {
        for seed: UInt64 in [7, 8] {
            try walk(seed)
        }
    }

    private func walk(_ seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        var run = RoutineRun(.init(sources: Set(SnapshotPart.allCases), allowsMotion: true))
        var byUse: [MonotonicTime] = []
        for step in 0..<50_000 {
            let before = run.triggers.count
            switch chance.next(below: 16) {
            case 0: run.enter()
            case 1: run.leave()
            case 2: run.watch(chance.nextBool())
            case 3: run.ask()
            case 4: run.report { $0.allows(motion: step % 2 == 0, location: step % 3 == 0, at: $1) }
            case 5: run.answers.toggle()
            case 6 where !run.questions.isEmpty:
                run.answer(run.questions.remove(at: chance.next(below: run.questions.count)))
            case 7:
                run.means = SnapshotMeans(
                    hasHeading: chance.nextBool(),
                    motion: [nil, .device, .raw][chance.next(below: 3)]
                )
            case 8 where step % 101 == 0: try run.restart()
            case 9: run.report { $0.appChanged(to: .suspended, at: $1) }
            case 10, 11, 12: run.pass(.milliseconds(chance.next(below: 4000)))
            default: run.show()
            }
            let now = run.device.now.monotonic
            byUse += run.triggers[before...].filter { $0 == .screen || $0 == .foreground }.map { _ in now }
            byUse.removeAll { $0.duration(to: now) >= .seconds(60) }
            // A full bucket, what flows in meanwhile, and those that were finished up to seven seconds after they began.
            try #require(byUse.count <= 64, "step \(step)")
            try #require(run.questions.count <= SnapshotPart.allCases.count, "step \(step)")
            try #require(Set(run.questions).count == run.questions.count, "a source is asked once at a time")
            if !run.machine.isBusy { try #require(run.running.isEmpty, "step \(step)") }
            if run.triggers.count > 5_000 { (run.triggers, run.states) = ([], []) }
        }
    }
}
