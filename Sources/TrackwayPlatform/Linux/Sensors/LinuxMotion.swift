// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
package import TrackwayLifecycle
package import TrackwayCore

/// The dependencies of a source of polled sensors.
///
/// Each source needs its own, because a timer calls only one closure at a time.
package struct SensorPolling: Sendable {
    /// The available sensors.
    let sensors: IIOSensors
    /// The timer that triggers the readings.
    let timer: any PollingTimer
    /// The clock that provides the time of a reading.
    let clock: any EventClock

    /// Creates dependencies.
    ///
    /// By default, they are the system's sensors, a new timer, and the device's clock.
    package init(
        sensors: IIOSensors = IIOSensors(),
        timer: any PollingTimer = DispatchPollingTimer(),
        clock: any EventClock = SystemClock()
    ) {
        self.sensors = sensors
        self.timer = timer
        self.clock = clock
    }
}

/// A source that reads accelerometer, gyroscope, and magnetometer separately.
///
/// Linux does not combine them into device motion. While running, the source reads each sensor once per interval on a
/// separate thread. A sensor that does not respond, or responds with something other than numbers, is skipped for that
/// interval; the others are still read. Only one run is active at a time: a second start ends the first.
package struct LinuxMotion: MotionSource {
    private let polling: SensorPolling

    /// Creates a stopped source.
    package init(_ polling: SensorPolling = SensorPolling()) {
        self.polling = polling
    }

    package var hasDeviceMotion: Bool { false }

    package var hasRawSensors: Bool { !polling.sensors.all.isEmpty }

    package func start(
        _ mode: MotionSamplingMode,
        every interval: Duration,
        _ report: @escaping @Sendable (MotionReading) -> Void
    ) {
        guard mode == .raw else { return }  // Linux has no other mode.
        let found = polling.sensors.all
        guard !found.isEmpty else { return }
        polling.timer.start(every: interval) { [clock = polling.clock] in
            for sensor in found {
                guard let values = sensor.read() else { continue }
                report(.sensor(sensor.kind, SensorReading(time: clock.now().wall, values: values)))
            }
        }
    }

    package func stop() {
        polling.timer.stop()
    }
}

/// A compass that uses the magnetometer and, if available, the accelerometer.
///
/// The magnetometer is not calibrated here, so the accuracy of the direction is unknown. By the rules of `Heading`, an
/// event then contains the measured field and no direction. An app that has calibrated its device can add headings with
/// their accuracy. Only one run is active at a time: a second start ends the first.
package struct LinuxCompass: HeadingSource {
    /// The interval between readings.
    package static let interval = Duration.milliseconds(500)

    private let polling: SensorPolling

    /// Creates a stopped source.
    package init(_ polling: SensorPolling = SensorPolling()) {
        self.polling = polling
    }

    package var isAvailable: Bool { polling.sensors.sensor(.magneticField) != nil }

    package func start(_ report: @escaping @Sendable (Heading) -> Void) {
        guard let magnetometer = polling.sensors.sensor(.magneticField) else { return }
        let accelerometer = polling.sensors.sensor(.acceleration)
        polling.timer.start(every: Self.interval) { [clock = polling.clock] in
            guard let field = magnetometer.read() else { return }
            let direction: Double? =
                if let accelerometer {
                    accelerometer.read().flatMap { CompassDirection.degrees(field: field, gravity: $0) }
                } else {
                    CompassDirection.degrees(field: field, gravity: nil)
                }
            // The field is useful even without a direction. A direction that cannot be determined is NaN.
            report(Heading(time: clock.now().wall, magnetic: direction ?? .nan, accuracy: -1, field: field))
        }
    }

    package func stop() {
        polling.timer.stop()
    }
}
#endif
