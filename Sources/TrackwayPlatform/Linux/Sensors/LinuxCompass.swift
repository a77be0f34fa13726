// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayBehavior
package import TrackwayEvents

/// A compass made of the magnetometer, and of the accelerometer where there is one.
///
/// Nobody calibrates the magnetometer here, so how far the direction can be wrong is not known. By the rules of
/// `Heading`, an event then carries the field that was measured and no direction. An app that has calibrated its device
/// can feed headings with an accuracy of its own. One run at a time: a second start ends the first.
package struct LinuxCompass: HeadingSource {
    /// How often the field is read.
    package static let interval = Duration.milliseconds(500)

    private let sensors: IIOSensors
    private let timer: any PollingTimer
    private let clock: any EventClock

    /// A source at rest.
    package init(
        sensors: IIOSensors = IIOSensors(),
        timer: any PollingTimer = DispatchPollingTimer(),
        clock: any EventClock = SystemClock()
    ) {
        self.sensors = sensors
        self.timer = timer
        self.clock = clock
    }

    package var isAvailable: Bool { sensors.sensor(.magneticField) != nil }

    package func start(_ report: @escaping @Sendable (Heading) -> Void) {
        guard let magnetometer = sensors.sensor(.magneticField) else { return }
        let accelerometer = sensors.sensor(.acceleration)
        timer.start(every: Self.interval) { [clock] in
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
        timer.stop()
    }
}
#endif
