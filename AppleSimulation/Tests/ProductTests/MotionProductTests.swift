// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CoreMotion
import Foundation
import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayMotion
import TrackwayPlatform

@Suite("Motion product", .serialized)
@MainActor
struct MotionProductTests {
    /// The process creates its motion manager once, so the phone is reset only before that.
    private static let motion: (any MotionSource)? = {
        SimulatedMotionSensors.current.reset()
        MotionSnapshots.register()
        var sources = SnapshotSources()
        SnapshotProducts.add(to: &sources)
        return sources.motion
    }()

    private static func reading(roll: Double) -> CMDeviceMotion {
        .simulated(at: ProcessInfo.processInfo.systemUptime, roll: roll)
    }

    /// Moves the phone once and returns the next reading.
    private static func next(_ readings: AsyncStream<MotionReading>, roll: Double) async -> MotionReading? {
        SimulatedMotionSensors.current.simulate(reading(roll: roll))
        var iterator = readings.makeAsyncIterator()
        return await iterator.next()
    }

    @Test
    func `motion is read only between start and stop, in a reference frame that needs no permission`() async throws {
        let motion = try #require(Self.motion)
        #expect(motion.hasDeviceMotion)
        #expect(motion.hasRawSensors)
        #expect(MotionSnapshots.referenceFrame == .arbitrary)
        let sensors = SimulatedMotionSensors.current
        #expect(sensors.activeReaderCount == 0)
        let (readings, continuation) = AsyncStream.makeStream(of: MotionReading.self)
        motion.start(.device, every: .milliseconds(100)) { continuation.yield($0) }
        #expect(sensors.activeReaderCount == 1)
        guard case .device(let first) = await Self.next(readings, roll: 0.5) else {
            Issue.record("no motion")
            return
        }
        #expect(first.attitude.roll == 0.5)
        #expect(first.gravity.z == -1)
        motion.stop()
        #expect(sensors.activeReaderCount == 0)
        continuation.finish()
    }

    @Test
    func `if the system rejects true north, the frame without requirements is used`() async throws {
        let motion = try #require(Self.motion)
        MotionSnapshots.referenceFrame = .trueNorth
        defer { MotionSnapshots.referenceFrame = .arbitrary }
        let sensors = SimulatedMotionSensors.current
        let (readings, continuation) = AsyncStream.makeStream(of: MotionReading.self)
        motion.start(.device, every: .milliseconds(100)) { continuation.yield($0) }
        // The first reading is rejected and the frame is changed on the sensors' thread: move the phone until a reading
        // arrives.
        let moved = Task {
            while !Task.isCancelled {
                sensors.simulate(Self.reading(roll: 0.25))
                await Task.yield()
            }
        }
        var iterator = readings.makeAsyncIterator()
        let first = await iterator.next()
        moved.cancel()
        guard case .device(let motionRead) = first else {
            Issue.record("no motion")
            return
        }
        #expect(motionRead.attitude.roll == 0.25)
        #expect(sensors.activeReaderCount == 1)
        motion.stop()
        #expect(sensors.activeReaderCount == 0)
        continuation.finish()
    }

    @Test
    func `raw readings are reported for each sensor`() async throws {
        let motion = try #require(Self.motion)
        let sensors = SimulatedMotionSensors.current
        let (readings, continuation) = AsyncStream.makeStream(of: MotionReading.self)
        motion.start(.raw, every: .milliseconds(100)) { continuation.yield($0) }
        let now = ProcessInfo.processInfo.systemUptime
        sensors.simulate(acceleration: CMAcceleration(x: 1, y: 2, z: 3), at: now)
        sensors.simulate(rotationRate: CMRotationRate(x: 4, y: 5, z: 6), at: now)
        sensors.simulate(magneticField: CMMagneticField(x: 7, y: 8, z: 9), at: now)
        var kinds: [SensorReading.Kind: Vector3] = [:]
        for await reading in readings {
            guard case .sensor(let kind, let value) = reading else { continue }
            kinds[kind] = value.values
            if kinds.count == 3 { break }
        }
        #expect(kinds[.acceleration] == Vector3(x: 1, y: 2, z: 3))
        #expect(kinds[.rotationRate] == Vector3(x: 4, y: 5, z: 6))
        #expect(kinds[.magneticField] == Vector3(x: 7, y: 8, z: 9))
        motion.stop()
        #expect(sensors.activeReaderCount == 0)
        continuation.finish()
    }
}
