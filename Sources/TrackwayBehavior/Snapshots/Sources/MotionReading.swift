// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// One reading of how the device moves.
public enum MotionReading: Sendable, Hashable {
    /// The device's motion, made out from several sensors.
    case device(DeviceMotion)
    /// What one sensor read.
    case sensor(SensorReading.Kind, SensorReading)
}
