// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
package import TrackwayBehavior
package import TrackwayEvents

/// Reads accelerometer, gyroscope and magnetometer, each by itself: Linux makes no motion of the device out of them.
///
/// While it runs, each sensor is read once an interval on a thread of its own. A sensor that does not answer, or not with
/// numbers, is passed over that time; the others go on. One run at a time: a second start ends the first.
package struct LinuxMotion: MotionSource {
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

    package var hasDeviceMotion: Bool { false }

    package var hasRawSensors: Bool { !sensors.all.isEmpty }

    package func start(
        _ means: MotionMeans,
        every interval: Duration,
        _ report: @escaping @Sendable (MotionReading) -> Void
    ) {
        guard means == .raw else { return }  // There is no other way here.
        let found = sensors.all
        guard !found.isEmpty else { return }
        timer.start(every: interval) { [clock] in
            for sensor in found {
                guard let values = sensor.read() else { continue }
                report(.sensor(sensor.kind, SensorReading(time: clock.now().wall, values: values)))
            }
        }
    }

    package func stop() {
        timer.stop()
    }
}
#endif
