// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What sensors have read since the last snapshot, the latest of each kind.
struct SensorReadings: Sendable, Equatable {
    private var motion = ReadingBuffer<DeviceMotion>()
    private var accelerometer = ReadingBuffer<SensorReading>()
    private var gyroscope = ReadingBuffer<SensorReading>()
    private var magnetometer = ReadingBuffer<SensorReading>()
    private var heading: Heading?

    /// A sensor of motion read this.
    mutating func append(_ reading: MotionReading) {
        switch reading {
        case .device(let reading): motion.append(reading)
        case .sensor(.acceleration, let reading): accelerometer.append(reading)
        case .sensor(.rotationRate, let reading): gyroscope.append(reading)
        case .sensor(.magneticField, let reading): magnetometer.append(reading)
        }
    }

    /// The compass read this.
    mutating func append(_ heading: Heading) {
        self.heading = heading
    }

    /// Throws everything about motion away.
    mutating func forgetMotion() {
        let heading = heading
        self = SensorReadings()
        self.heading = heading
    }

    /// Takes everything out, into a snapshot. What the snapshot holds already, from a source that knows it without being
    /// given time, stays in front.
    mutating func drain(into state: inout AppStateSnapshot) {
        state.motion += motion.drain()
        state.accelerometer += accelerometer.drain()
        state.gyroscope += gyroscope.drain()
        state.magnetometer += magnetometer.drain()
        if let heading { state.heading = heading }
        heading = nil
    }
}
