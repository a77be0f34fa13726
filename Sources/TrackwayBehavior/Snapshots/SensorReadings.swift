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
    /// Whether the SDK's own run of the compass read it: then it is for every snapshot that the compass runs for, since a
    /// device that is not turned has nothing new to read.
    private var isHeadingFromRun = false

    /// A sensor of motion read this.
    mutating func append(_ reading: MotionReading) {
        switch reading {
        case .device(let reading): motion.append(reading)
        case .sensor(.acceleration, let reading): accelerometer.append(reading)
        case .sensor(.rotationRate, let reading): gyroscope.append(reading)
        case .sensor(.magneticField, let reading): magnetometer.append(reading)
        }
    }

    /// A compass read this: the one that runs, or one of the app's own.
    mutating func append(_ heading: Heading, isFromRun: Bool) {
        self.heading = heading
        isHeadingFromRun = isFromRun
    }

    /// The compass runs for nobody any more.
    mutating func compassRests() {
        if isHeadingFromRun { heading = nil }
    }

    /// Throws everything about motion away.
    mutating func forgetMotion() {
        let kept = self
        self = SensorReadings()
        if let heading = kept.heading { append(heading, isFromRun: kept.isHeadingFromRun) }
    }

    /// Takes everything out, into a snapshot. What the snapshot holds already, from a source that knows it without being
    /// given time, stays in front.
    mutating func drain(into state: inout AppStateSnapshot) {
        state.motion += motion.drain()
        state.accelerometer += accelerometer.drain()
        state.gyroscope += gyroscope.drain()
        state.magnetometer += magnetometer.drain()
        if let heading { state.heading = heading }
        if !isHeadingFromRun { heading = nil }
    }
}
