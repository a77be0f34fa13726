// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(iOS)
internal import TrackwayBehavior
internal import TrackwayEvents

/// Device motion or the sensors by themselves, as the system reads them.
final class AppleMotion: MotionSource {
    private let sensors = AppleMotionSensors.process

    deinit {
        stop()
    }

    var hasDeviceMotion: Bool { sensors.hasDeviceMotion }

    var hasRawSensors: Bool { sensors.hasRawSensors }

    func start(_ means: MotionMeans, every interval: Duration, _ report: @escaping @Sendable (MotionReading) -> Void) {
        sensors.start(means, every: interval, for: ObjectIdentifier(self), report)
    }

    func stop() {
        sensors.stop(for: ObjectIdentifier(self))
    }
}
#endif
