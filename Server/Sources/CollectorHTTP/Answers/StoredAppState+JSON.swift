// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

extension StoredAppState {
    /// Writes the state; what is not known is null.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("at")
        writer.integer(time.milliseconds)
        writer.member("application_state", applicationState)
        writer.member("battery_level", batteryLevel)
        writer.member("battery_state", batteryState)
        writer.member("device_orientation", orientation)
        writer.key("proximity_state")
        if let isNear { writer.boolean(isNear) } else { writer.null() }
        writer.key("network_addresses")
        if let networkAddresses {
            JSONValue.array(networkAddresses.map { .string($0) }).write(into: &writer)
        } else {
            writer.null()
        }
        writer.member("screen", screen)
        writer.key("location")
        if let place {
            writer.beginObject()
            writer.member("latitude", place.latitude)
            writer.member("longitude", place.longitude)
            writer.member("horizontal_accuracy", place.accuracy)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.member("heading", heading)
        writer.key("readings")
        writer.beginObject()
        for (key, count) in [
            ("motion", motionReadings), ("raw_accelerometer", accelerometerReadings), ("raw_gyro", gyroscopeReadings),
            ("raw_magnetometer", magnetometerReadings),
        ] {
            writer.key(key)
            writer.integer(Int64(count))
        }
        writer.endObject()
        writer.endObject()
    }
}
