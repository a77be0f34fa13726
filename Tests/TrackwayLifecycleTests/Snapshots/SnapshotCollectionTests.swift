// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Snapshot sensors")
struct SnapshotCollectionTests {
    @Test(
        arguments: [
            (true, true, true, .device), (true, false, true, .device), (false, true, true, .raw),
            (false, false, true, nil),
            (true, true, false, nil),
        ] as [(Bool, Bool, Bool, MotionSamplingMode?)]
    )
    func `the system's device motion is preferred to raw sensors, and neither is used unless allowed`(
        device: Bool,
        raw: Bool,
        isAllowed: Bool,
        motion: MotionSamplingMode?
    ) {
        #expect(
            MotionSamplingMode.preferred(hasDeviceMotion: device, hasRawSensors: raw, isAllowed: isAllowed) == motion
        )
    }

    @Test(
        arguments: [
            (false, nil, 0), (true, nil, 4000), (false, .device, 5100), (true, .raw, 5100),
        ] as [(Bool, MotionSamplingMode?, Int64)]
    )
    func `sensors get the time they need, and a snapshot without sensors finishes immediately`(
        hasHeading: Bool,
        motion: MotionSamplingMode?,
        milliseconds: Int64
    ) throws {
        let sensors = SnapshotSensors(hasHeading: hasHeading, motion: motion)
        #expect(sensors.timeout == .milliseconds(milliseconds))
        var device = TestDevice()
        var collection = SnapshotCollection()
        let started = collection.begin(1, with: sensors, isInForeground: true, at: device.now)
        guard milliseconds > 0 else {
            #expect(started == [.finish(1)])
            return
        }
        let due = device.now.monotonic.advanced(by: sensors.timeout)
        let starts: [SnapshotCollection.Action] =
            (hasHeading ? [.startHeading] : []) + (motion.map { [.startMotion($0)] } ?? [])
        #expect(started == starts + [.wake(at: due)])
        device.pass(.milliseconds(milliseconds - 1))
        #expect(collection.timerFired(at: device.now) == [.wake(at: due)])
        device.pass(.milliseconds(1))
        collection = try reloaded(collection)
        let stops: [SnapshotCollection.Action] =
            (hasHeading ? [.stopHeading] : []) + (motion == nil ? [] : [.stopMotion])
        #expect(collection.timerFired(at: device.now) == [.finish(1)] + stops)
        #expect(collection.timerFired(at: device.now) == [])
        #expect(!collection.isCollecting)
    }

    @Test
    func `no sensor runs in the background`() {
        let device = TestDevice()
        var collection = SnapshotCollection()
        let sensors = SnapshotSensors(hasHeading: true, motion: .device)
        #expect(
            collection.begin(3, with: sensors, isInForeground: false, at: device.now) == [.finish(3)]
        )
    }

    @Test
    func `a snapshot in progress when the user leaves finishes with the available data`() {
        var device = TestDevice()
        var collection = SnapshotCollection()
        _ = collection.begin(
            2,
            with: SnapshotSensors(hasHeading: true, motion: .raw),
            isInForeground: true,
            at: device.now
        )
        device.pass(.seconds(1))
        #expect(collection.appEnteredBackground() == [.finish(2), .cancelWake, .stopHeading, .stopMotion])
        #expect(collection.appEnteredBackground() == [])
        device.pass(.seconds(9))
        #expect(collection.timerFired(at: device.now) == [])
    }

    @Test
    func `two concurrent snapshots share the sensors, which run until the second one finishes`() {
        var device = TestDevice()
        var collection = SnapshotCollection()
        let sensors = SnapshotSensors(hasHeading: true, motion: .device)
        _ = collection.begin(1, with: sensors, isInForeground: true, at: device.now)
        let first = device.now.monotonic.advanced(by: .milliseconds(5100))
        device.pass(.seconds(2))
        let second = device.now.monotonic.advanced(by: .milliseconds(5100))
        #expect(collection.begin(2, with: sensors, isInForeground: true, at: device.now) == [.wake(at: first)])
        device.pass(.milliseconds(3100))
        #expect(collection.timerFired(at: device.now) == [.finish(1), .wake(at: second)])
        device.pass(.seconds(2))
        #expect(collection.timerFired(at: device.now) == [.finish(2), .stopHeading, .stopMotion])
    }

    @Test
    func `when motion is no longer allowed, its sensors stop immediately and the snapshot finishes without them`() {
        var device = TestDevice()
        var collection = SnapshotCollection()
        let sensors = SnapshotSensors(motion: .device)
        _ = collection.begin(1, with: sensors, isInForeground: true, at: device.now)
        #expect(collection.motionDisallowed() == [.stopMotion])
        #expect(collection.motionDisallowed() == [])
        device.pass(.milliseconds(5100))
        #expect(collection.timerFired(at: device.now) == [.finish(1)])
    }

    @Test
    func `over 100,000 random steps, every snapshot finishes once, and sensors run only while one is in progress`()
        throws
    {
        var generator = SeededGenerator(seed: 101)
        var device = TestDevice()
        var collection = SnapshotCollection()
        var begun = 0
        var finished = 0
        var runsHeading = false
        var runsMotion = false
        for step in 0..<100_000 {
            if step < 1000 || step % 101 == 0 { collection = try reloaded(collection) }
            var actions: [SnapshotCollection.Action] = []
            switch generator.next(below: 8) {
            case 0, 1:
                let sensors = SnapshotSensors(
                    hasHeading: generator.nextBool(),
                    motion: [nil, .device, .raw][generator.next(below: 3)]
                )
                begun += 1
                actions = collection.begin(begun, with: sensors, isInForeground: generator.nextBool(), at: device.now)
            case 2: actions = collection.appEnteredBackground()
            case 3: actions = collection.motionDisallowed()
            case 4, 5: actions = collection.timerFired(at: device.now)
            default: device.pass(.milliseconds(generator.next(below: 3000)))
            }
            for action in actions {
                switch action {
                case .finish: finished += 1
                case .startHeading:
                    try #require(!runsHeading)
                    runsHeading = true
                case .stopHeading:
                    try #require(runsHeading)
                    runsHeading = false
                case .startMotion:
                    try #require(!runsMotion)
                    runsMotion = true
                case .stopMotion:
                    try #require(runsMotion)
                    runsMotion = false
                case .wake, .cancelWake: break
                }
            }
            if !collection.isCollecting {
                try #require(finished == begun, "step \(step)")
                try #require(!runsHeading && !runsMotion, "step \(step)")
            }
        }
        #expect(finished > 10_000)
    }

    @Test
    func `beyond the maximum number in progress, the first snapshots finish early, and none are lost`() {
        let device = TestDevice()
        var collection = SnapshotCollection()
        let sensors = SnapshotSensors(hasHeading: true)
        var finished = 0
        for _ in 0..<10_000 {
            let actions = collection.begin(3, with: sensors, isInForeground: true, at: device.now)
            finished += actions.filter { $0.isFinish }.count
        }
        #expect(finished == 10_000 - SnapshotCollection.maxPending)
        #expect(
            collection.appEnteredBackground().filter { $0.isFinish }.count == SnapshotCollection.maxPending
        )
    }
}

extension SnapshotCollection.Action {
    /// Whether the action finishes a snapshot.
    fileprivate var isFinish: Bool { if case .finish = self { true } else { false } }
}
