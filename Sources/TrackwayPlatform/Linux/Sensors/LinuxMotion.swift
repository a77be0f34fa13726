// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
package import TrackwayBehavior
package import TrackwayEvents

/// What a source of polled sensors works with. Each source needs one of its own: a timer has one beat at a time.
package struct SensorPolling: Sendable {
    /// The sensors there are.
    let sensors: IIOSensors
    /// Says when to read.
    let timer: any PollingTimer
    /// Says when it was read.
    let clock: any EventClock

    /// The system's sensors, a timer of its own and the device's clock, unless something else is given.
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

/// Reads accelerometer, gyroscope and magnetometer, each by itself: Linux makes no motion of the device out of them.
///
/// While it runs, each sensor is read once an interval on a thread of its own. A sensor that does not answer, or not with
/// numbers, is passed over that time; the others go on. One run at a time: a second start ends the first.
package struct LinuxMotion: MotionSource {
    private let polling: SensorPolling

    /// A source at rest.
    package init(_ polling: SensorPolling = SensorPolling()) {
        self.polling = polling
    }

    package var hasDeviceMotion: Bool { false }

    package var hasRawSensors: Bool { !polling.sensors.all.isEmpty }

    package func start(
        _ means: MotionMeans,
        every interval: Duration,
        _ report: @escaping @Sendable (MotionReading) -> Void
    ) {
        guard means == .raw else { return }  // There is no other way here.
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

/// A compass made of the magnetometer, and of the accelerometer where there is one.
///
/// Nobody calibrates the magnetometer here, so how far the direction can be wrong is not known. By the rules of
/// `Heading`, an event then carries the field that was measured and no direction. An app that has calibrated its device
/// can feed headings with an accuracy of its own. One run at a time: a second start ends the first.
package struct LinuxCompass: HeadingSource {
    /// How often the field is read.
    package static let interval = Duration.milliseconds(500)

    private let polling: SensorPolling

    /// A source at rest.
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
            // The field is worth telling by itself; a direction that cannot be made out is no number.
            report(Heading(time: clock.now().wall, magnetic: direction ?? .nan, accuracy: -1, field: field))
        }
    }

    package func stop() {
        polling.timer.stop()
    }
}
#endif
