// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Snapshots from start to finish")
struct SnapshotMachineTests {
    @Test
    func `entering records both kinds, leaving records device properties, and a screen or a timer records app state`() {
        var run = SnapshotMachineRun(.init(sources: Set(SnapshotPart.allCases), propertiesRepeatInterval: .zero))
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

    @Test
    func `neither an interruption nor the return from it triggers a snapshot`() {
        var run = SnapshotMachineRun()
        run.watch()
        run.report { $0.appChanged(to: .inactive, at: $1) }
        #expect(run.states.isEmpty, "entering the foreground")
        run.enter()
        run.report { $0.appChanged(to: .inactive, at: $1) }
        run.enter()
        #expect(run.triggers == [.foreground])
        run.report { $0.appChanged(to: .inactive, at: $1) }
        run.show()
        #expect(run.states.last?.applicationState == .inactive)
    }

    @Test(arguments: [(3_599_999, 1), (3_600_000, 2), (3_600_001, 2)])
    func `unchanged properties are recorded again after the window and not before, even across restarts`(
        milliseconds: Int,
        told: Int
    ) throws {
        var run = SnapshotMachineRun(app: .active)
        run.watch()
        run.leave()
        run.device.pass(.milliseconds(milliseconds))
        try run.restart()
        run.device.wall = run.device.wall.advanced(by: .seconds(-7200))
        run.enter()
        #expect(run.properties.count == told)
    }

    @Test
    func `changed properties are recorded immediately, and reverting them is a change too`() {
        var run = SnapshotMachineRun(app: .active)
        run.watch()
        run.known[.systemVersion] = "2"
        run.leave()
        run.known[.systemVersion] = nil
        run.enter()
        run.leave()
        #expect(run.properties.count == 3)
    }

    @Test
    func `use beyond the limit still records device properties`() {
        var run = SnapshotMachineRun(
            .init(
                policy: .init(atMost: 1, per: .seconds(3600)),
                sources: [.deviceProperties],
                propertiesRepeatInterval: .zero
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

    @Test(arguments: [true, false])
    func `each kind can be requested alone, in foreground and background, but is not recorded while watching is off`(
        isSeen: Bool
    ) {
        var run = SnapshotMachineRun(.init(sources: Set(SnapshotPart.allCases), propertiesRepeatInterval: .zero))
        run.report { $0.propertiesRequested(at: $1) }
        #expect(run.properties.isEmpty)
        run.watch()
        if isSeen { run.enter() }
        let (states, properties) = (run.states.count, run.properties.count)
        run.report { $0.propertiesRequested(at: $1) }
        #expect(run.states.count == states && run.properties.count == properties + 1)
        run.report { $0.snapshotRequested("Cart", reportsProperties: false, at: $1) }
        #expect(run.states.count == states + 1 && run.properties.count == properties + 1)
        #expect(run.states.last?.screenTitles == ["Cart"])
    }

    @Test
    func `nothing is queried, recorded or kept running while watching is off`() {
        var run = SnapshotMachineRun(app: .active)
        run.sensors = SnapshotSensors(hasHeading: true)
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

    @Test
    func `a source that does not answer loses only its own part, and causes only one delay`() {
        var run = SnapshotMachineRun(app: .active)
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
        #expect(run.states.count == 2, "a silent source is no longer awaited")
        run.answer(.appState)
        #expect(run.states.count == 2, "a late answer belongs to no snapshot")
        run.answers = false
        run.show()
        #expect(run.questions.contains(.appState), "a source that answered is queried again")
    }

    @Test
    func `beyond a limit, snapshots that wait for a slow source finish without it, and none are lost`() {
        var run = SnapshotMachineRun(app: .active)
        run.watch()
        run.answers = false
        let before = run.states.count
        let count = TestScale.count(4_000, full: 20_000)
        for number in 0..<count {
            run.report { $0.snapshotRequested("\(number)", at: $1) }
            run.questions = []
        }
        #expect(run.states.count == before + count - SnapshotMachine.maxDrafts)
        run.leave()
        #expect(run.states.dropFirst(before).map(\.screenTitles) == (0..<count).map { ["\($0)"] })
    }

    @Test
    func `leaving finishes snapshots that are querying or sampling, immediately and with the available data`() {
        var run = SnapshotMachineRun(app: .active)
        run.sensors = SnapshotSensors(hasHeading: true)
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

    @Test(arguments: [AppState.suspended, .notRunning])
    func `the sources of a suspended or ended app are not queried`(_ state: AppState) {
        var run = SnapshotMachineRun(app: .active)
        run.watch()
        run.answers = false
        run.report { $0.appChanged(to: state, at: $1) }
        #expect(run.questions.isEmpty)
    }

    @Test
    func `no properties are recorded while none are known`() {
        var run = SnapshotMachineRun(app: .active)
        run.known = DeviceProperties()
        run.watch()
        run.ask()
        #expect(run.properties.isEmpty && run.states.count == 2)
    }

    @Test
    func `readings of an earlier run are ignored`() {
        var run = SnapshotMachineRun(.init(sources: [.motion], allowsMotion: true), app: .active)
        run.sensors = SnapshotSensors(motion: .raw)
        run.watch()
        let first = run.machine.currentMotionRun
        run.leave()
        run.enter()
        let reading = MotionReading.sensor(.acceleration, .init(time: run.device.wall, values: .init(x: 1, y: 2, z: 3)))
        run.machine.receive(reading, run: first)
        run.machine.receive(reading, run: run.machine.currentMotionRun)
        run.machine.receive(reading, run: nil)
        run.pass(.milliseconds(5_100))
        #expect(run.states.map(\.accelerometer.count) == [0, 2])
    }

    @Test
    func `a heading of an earlier run is ignored`() {
        var run = SnapshotMachineRun(.init(sources: [.heading]), app: .active)
        run.sensors = SnapshotSensors(hasHeading: true)
        run.watch()
        let first = run.headingRun
        run.leave()
        run.enter()
        #expect(run.headingRun != first)
        func heading(_ degrees: Double) -> Heading {
            Heading(time: run.device.wall, magnetic: degrees, accuracy: 1, field: Vector3(x: 0, y: 0, z: 0))
        }
        run.machine.receive(heading(1), run: run.headingRun)
        run.machine.receive(heading(2), run: first)
        run.pass(.seconds(4))
        #expect(run.states.map { $0.heading?.magnetic } == [nil, 1])
    }

    @Test
    func `an unanswered query schedules no wake-up once no snapshot waits for it`() {
        var run = SnapshotMachineRun(app: .active)
        run.answers = false
        run.watch()
        #expect(run.machine.due != nil)
        run.watch(false)
        #expect(run.machine.due == nil)
    }

    @Test
    func `after forgetting, the bucket is full and everything is recorded again`() {
        var run = SnapshotMachineRun(.init(policy: .init(atMost: 1, per: .seconds(3600)), sources: [.deviceProperties]))
        run.watch()
        run.enter()
        run.report { $0.reset(at: $1) }
        run.watch()
        #expect(run.triggers == [.foreground, .foreground])
        #expect(run.properties.count == 2)
    }

    @Test
    func `over 100,000 random steps, use stays within its limit, and sensors run only while something is sampled`()
        throws
    {
        for seed: UInt64 in [7, 8] {
            try walk(seed)
        }
    }

    private func walk(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var run = SnapshotMachineRun(.init(sources: Set(SnapshotPart.allCases), allowsMotion: true))
        var byUse: [MonotonicTime] = []
        for step in 0..<50_000 {
            let before = run.triggers.count
            switch generator.next(below: 16) {
            case 0: run.enter()
            case 1: run.leave()
            case 2: run.watch(generator.nextBool())
            case 3: run.ask()
            case 4: run.report { $0.setAllowed(motion: step % 2 == 0, location: step % 3 == 0, at: $1) }
            case 5: run.answers.toggle()
            case 6 where !run.questions.isEmpty:
                run.answer(run.questions.remove(at: generator.next(below: run.questions.count)))
            case 7:
                run.sensors = SnapshotSensors(
                    hasHeading: generator.nextBool(),
                    motion: [nil, .device, .raw][generator.next(below: 3)]
                )
            case 8 where step % 101 == 0: try run.restart()
            case 9: run.report { $0.appChanged(to: .suspended, at: $1) }
            case 10, 11, 12: run.pass(.milliseconds(generator.next(below: 4000)))
            default: run.show()
            }
            let now = run.device.now.monotonic
            byUse += run.triggers[before...].filter { $0 == .screen || $0 == .foreground }.map { _ in now }
            byUse.removeAll { $0.duration(to: now) >= .seconds(60) }
            // A full bucket, the tokens added in the meantime, and snapshots finished up to seven seconds after their
            // start.
            try #require(byUse.count <= 64, "step \(step)")
            try #require(run.questions.count <= SnapshotPart.allCases.count, "step \(step)")
            try #require(Set(run.questions).count == run.questions.count, "a source is queried once at a time")
            if !run.machine.isBusy { try #require(run.running.isEmpty, "step \(step)") }
            if run.triggers.count > 5_000 { (run.triggers, run.states) = ([], []) }
        }
    }
}
