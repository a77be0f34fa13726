// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CoreMotion) && !os(macOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
internal import CoreMotion
internal import Foundation
public import TrackwayLifecycle
internal import TrackwayCore
internal import TrackwayPlatform

/// The process's motion sensors, which run while there is a listener.
///
/// There is one instance per process, because a second manager would change the update interval of the first. The
/// manager is created on first use. Lock order: manager, then listeners; readings take only the second lock.
final class MotionSensors: Sendable {
    private struct Listener: Sendable {
        var report: @Sendable (MotionReading) -> Void
    }

    static let process = MotionSensors()

    private let manager = Locked<CMMotionManager?>(nil)
    private let listeners = Locked<[ObjectIdentifier: Listener]>([:])
    private let queue = OperationQueue()

    private init() {
        queue.maxConcurrentOperationCount = 1
    }

    var hasDeviceMotion: Bool { manager.withLock { Self.existingOrNew(&$0).isDeviceMotionAvailable } }

    var hasRawSensors: Bool {
        manager.withLock {
            let manager = Self.existingOrNew(&$0)
            return manager.isAccelerometerAvailable || manager.isGyroAvailable || manager.isMagnetometerAvailable
        }
    }

    /// Adds a listener. Sensors that already run keep their interval.
    func start(
        _ mode: MotionSamplingMode,
        every interval: Duration,
        for listener: ObjectIdentifier,
        _ report: @escaping @Sendable (MotionReading) -> Void
    ) {
        // No motion is read on a hot or power-saving device; a snapshot is then taken without motion.
        guard !DeviceLoad.isHigh else { return }
        let new = Listener(report: report)
        let seconds = Double(interval.components.seconds) + Double(interval.components.attoseconds) * 1e-18
        manager.withLock {
            let manager = Self.existingOrNew(&$0)
            listeners.withLock { $0[listener] = new }
            switch mode {
            case .device: startDevice(manager, seconds)
            case .raw: startRaw(manager, seconds)
            }
        }
    }

    /// Removes a listener. Removing the last one stops the sensors.
    func stop(for listener: ObjectIdentifier) {
        manager.withLock { manager in
            let isLast = listeners.withLock { listeners in
                listeners.removeValue(forKey: listener) != nil && listeners.isEmpty
            }
            guard isLast, let manager else { return }
            manager.stopDeviceMotionUpdates()
            manager.stopAccelerometerUpdates()
            manager.stopGyroUpdates()
            manager.stopMagnetometerUpdates()
        }
    }

    private static func existingOrNew(_ manager: inout CMMotionManager?) -> CMMotionManager {
        if let manager { return manager }
        let new = CMMotionManager()
        manager = new
        return new
    }

    private func report(_ reading: MotionReading) {
        for listener in listeners.withLock({ Array($0.values) }) { listener.report(reading) }
    }

    private func report(_ kind: SensorReading.Kind, _ item: CMLogItem, _ x: Double, _ y: Double, _ z: Double) {
        report(.sensor(kind, SensorReading(time: item.wallTime, values: Vector3(x: x, y: y, z: z))))
    }

    /// Starts device motion with the app's frame if the device has it.
    ///
    /// If the system rejects it while running, as it does true north without location permission, the arbitrary frame
    /// is used.
    private func startDevice(_ manager: CMMotionManager, _ interval: TimeInterval) {
        guard manager.isDeviceMotionAvailable, !manager.isDeviceMotionActive else { return }
        manager.deviceMotionUpdateInterval = interval
        let wanted = CMAttitudeReferenceFrame(MotionSnapshots.referenceFrame)
        let isThere = CMMotionManager.availableAttitudeReferenceFrames().contains(wanted)
        run(manager, isThere ? wanted : .xArbitraryZVertical)
    }

    private func run(_ manager: CMMotionManager, _ frame: CMAttitudeReferenceFrame) {
        manager.startDeviceMotionUpdates(using: frame, to: queue) { [self] motion, error in
            if let motion {
                report(.device(DeviceMotion(motion)))
            } else if error != nil, frame != .xArbitraryZVertical {
                fallBack()
            }
        }
    }

    /// The frame was rejected. Continue with the arbitrary frame if there are still listeners.
    private func fallBack() {
        manager.withLock { manager in
            guard let manager, listeners.withLock({ !$0.isEmpty }) else { return }
            manager.stopDeviceMotionUpdates()
            run(manager, .xArbitraryZVertical)
        }
    }

    private func startRaw(_ manager: CMMotionManager, _ interval: TimeInterval) {
        if manager.isAccelerometerAvailable, !manager.isAccelerometerActive {
            manager.accelerometerUpdateInterval = interval
            manager.startAccelerometerUpdates(to: queue) { [self] data, _ in
                guard let data else { return }
                report(.acceleration, data, data.acceleration.x, data.acceleration.y, data.acceleration.z)
            }
        }
        if manager.isGyroAvailable, !manager.isGyroActive {
            manager.gyroUpdateInterval = interval
            manager.startGyroUpdates(to: queue) { [self] data, _ in
                guard let data else { return }
                report(.rotationRate, data, data.rotationRate.x, data.rotationRate.y, data.rotationRate.z)
            }
        }
        if manager.isMagnetometerAvailable, !manager.isMagnetometerActive {
            manager.magnetometerUpdateInterval = interval
            manager.startMagnetometerUpdates(to: queue) { [self] data, _ in
                guard let data else { return }
                report(.magneticField, data, data.magneticField.x, data.magneticField.y, data.magneticField.z)
            }
        }
    }
}

extension CMAttitudeReferenceFrame {
    fileprivate init(_ frame: MotionSnapshots.ReferenceFrame) {
        self =
            switch frame {
            case .arbitrary: .xArbitraryZVertical
            case .corrected: .xArbitraryCorrectedZVertical
            case .magneticNorth: .xMagneticNorthZVertical
            case .trueNorth: .xTrueNorthZVertical
            }
    }
}

/// Device motion or raw sensor readings from Core Motion.
public final class DeviceMotionSensors: MotionSource {
    private let sensors = MotionSensors.process

    /// Creates a source. All sources share the process's sensors, which run while there is a listener.
    public init() {}

    deinit {
        stop()
    }

    /// Whether the system provides device motion, which it derives from several sensors.
    public var hasDeviceMotion: Bool { sensors.hasDeviceMotion }

    /// Whether the device has an accelerometer, a gyroscope, or a magnetometer.
    public var hasRawSensors: Bool { sensors.hasRawSensors }

    /// Starts readings.
    public func start(
        _ mode: MotionSamplingMode,
        every interval: Duration,
        _ report: @escaping @Sendable (MotionReading) -> Void
    ) {
        sensors.start(mode, every: interval, for: ObjectIdentifier(self), report)
    }

    /// Stops readings.
    public func stop() {
        sensors.stop(for: ObjectIdentifier(self))
    }
}
#endif
