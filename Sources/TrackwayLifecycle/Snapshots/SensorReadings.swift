// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The latest sensor readings of each kind since the last snapshot.
struct SensorReadings: Sendable, Equatable {
    private var motion = ReadingBuffer<DeviceMotion>()
    private var accelerometer = ReadingBuffer<SensorReading>()
    private var gyroscope = ReadingBuffer<SensorReading>()
    private var magnetometer = ReadingBuffer<SensorReading>()
    private var heading: Heading?
    /// Whether the heading comes from the SDK's own compass run.
    ///
    /// If so, the heading is used for every snapshot during the run, because a device that does not turn yields no new
    /// readings.
    private var isHeadingFromRun = false

    /// Adds a reading of a motion sensor.
    mutating func append(_ reading: MotionReading) {
        switch reading {
        case .device(let reading): motion.append(reading)
        case .sensor(.acceleration, let reading): accelerometer.append(reading)
        case .sensor(.rotationRate, let reading): gyroscope.append(reading)
        case .sensor(.magneticField, let reading): magnetometer.append(reading)
        }
    }

    /// Stores a compass reading, from the SDK's run or from the app.
    mutating func append(_ heading: Heading, isFromRun: Bool) {
        self.heading = heading
        isHeadingFromRun = isFromRun
    }

    /// Notes that the compass has stopped.
    mutating func compassStopped() {
        if isHeadingFromRun { heading = nil }
    }

    /// Discards all motion readings.
    mutating func forgetMotion() {
        let kept = self
        self = SensorReadings()
        if let heading = kept.heading { append(heading, isFromRun: kept.isHeadingFromRun) }
    }

    /// Moves all readings into a snapshot.
    ///
    /// Readings that the snapshot already contains, from a source that provides them immediately, come first.
    mutating func drain(into state: inout AppStateSnapshot) {
        state.motion += motion.drain()
        state.accelerometer += accelerometer.drain()
        state.gyroscope += gyroscope.drain()
        state.magnetometer += magnetometer.drain()
        if let heading { state.heading = heading }
        if !isHeadingFromRun { heading = nil }
    }
}
