// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(iOS)
internal import CoreMotion
internal import Foundation
internal import TrackwayBehavior
package import TrackwayEvents

/// Device motion or the sensors by themselves, as the system reads them.
package final class AppleMotion: MotionSource {
    private let manager = Locked(CMMotionManager())
    private let queue = OperationQueue()

    /// Sensors at rest.
    package init() {
        queue.maxConcurrentOperationCount = 1
    }

    package var hasDeviceMotion: Bool { manager.withLock { $0.isDeviceMotionAvailable } }

    package var hasRawSensors: Bool {
        manager.withLock { $0.isAccelerometerAvailable || $0.isGyroAvailable || $0.isMagnetometerAvailable }
    }

    package func start(
        _ means: MotionMeans,
        every interval: Duration,
        _ tell: @escaping @Sendable (MotionReading) -> Void
    ) {
        let seconds = Double(interval.components.seconds) + Double(interval.components.attoseconds) * 1e-18
        manager.withLock { manager in
            switch means {
            case .device: startDevice(manager, seconds, tell)
            case .raw: startRaw(manager, seconds, tell)
            }
        }
    }

    package func stop() {
        manager.withLock { manager in
            manager.stopDeviceMotionUpdates()
            manager.stopAccelerometerUpdates()
            manager.stopGyroUpdates()
            manager.stopMagnetometerUpdates()
        }
    }

    private func startDevice(
        _ manager: CMMotionManager,
        _ interval: TimeInterval,
        _ tell: @escaping @Sendable (MotionReading) -> Void
    ) {
        guard manager.isDeviceMotionAvailable else { return }
        manager.deviceMotionUpdateInterval = interval
        let available = CMMotionManager.availableAttitudeReferenceFrames()
        let best: [CMAttitudeReferenceFrame] = [
            .xTrueNorthZVertical, .xMagneticNorthZVertical, .xArbitraryCorrectedZVertical, .xArbitraryZVertical,
        ]
        let frame = best.first { available.contains($0) } ?? .xArbitraryZVertical
        manager.startDeviceMotionUpdates(using: frame, to: queue) { motion, _ in
            if let motion { tell(.device(DeviceMotion(motion))) }
        }
    }

    private func startRaw(
        _ manager: CMMotionManager,
        _ interval: TimeInterval,
        _ tell: @escaping @Sendable (MotionReading) -> Void
    ) {
        if manager.isAccelerometerAvailable {
            manager.accelerometerUpdateInterval = interval
            manager.startAccelerometerUpdates(to: queue) { data, _ in
                guard let data else { return }
                let values = Vector3(x: data.acceleration.x, y: data.acceleration.y, z: data.acceleration.z)
                tell(.sensor(.acceleration, SensorReading(time: data.wallTime, values: values)))
            }
        }
        if manager.isGyroAvailable {
            manager.gyroUpdateInterval = interval
            manager.startGyroUpdates(to: queue) { data, _ in
                guard let data else { return }
                let values = Vector3(x: data.rotationRate.x, y: data.rotationRate.y, z: data.rotationRate.z)
                tell(.sensor(.rotationRate, SensorReading(time: data.wallTime, values: values)))
            }
        }
        if manager.isMagnetometerAvailable {
            manager.magnetometerUpdateInterval = interval
            manager.startMagnetometerUpdates(to: queue) { data, _ in
                guard let data else { return }
                let values = Vector3(x: data.magneticField.x, y: data.magneticField.y, z: data.magneticField.z)
                tell(.sensor(.magneticField, SensorReading(time: data.wallTime, values: values)))
            }
        }
    }
}
#endif
