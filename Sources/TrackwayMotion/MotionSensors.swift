// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CoreMotion) && !os(macOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
internal import CoreMotion
internal import Foundation
public import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayPlatform

/// The process's sensors of motion, which run while anybody listens.
///
/// One for the process: the system wants no second manager, which would change the pace of the first one's readings. It is
/// made when it is first needed. Locks are taken in the order manager, listeners; readings take the second one only.
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

    var hasDeviceMotion: Bool { manager.withLock { Self.made(&$0).isDeviceMotionAvailable } }

    var hasRawSensors: Bool {
        manager.withLock {
            let manager = Self.made(&$0)
            return manager.isAccelerometerAvailable || manager.isGyroAvailable || manager.isMagnetometerAvailable
        }
    }

    /// Listens; what runs already goes on at its own pace.
    func start(
        _ means: MotionMeans,
        every interval: Duration,
        for listener: ObjectIdentifier,
        _ report: @escaping @Sendable (MotionReading) -> Void
    ) {
        // A device that is hot, or that saves power, is left alone: a snapshot does without motion.
        guard !DeviceStrain.isHigh else { return }
        let new = Listener(report: report)
        let seconds = Double(interval.components.seconds) + Double(interval.components.attoseconds) * 1e-18
        manager.withLock {
            let manager = Self.made(&$0)
            listeners.withLock { $0[listener] = new }
            switch means {
            case .device: startDevice(manager, seconds)
            case .raw: startRaw(manager, seconds)
            }
        }
    }

    /// Listens no more; the last one to do so stops the sensors.
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

    private static func made(_ manager: inout CMMotionManager?) -> CMMotionManager {
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

    /// Takes the frame that the app wants if the device has it; refused while it runs, as true north is without leave to know the
    /// place, the arbitrary one.
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

    /// The frame was refused: goes on with the one that needs nothing, if anybody still listens.
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

/// Device motion or the sensors by themselves, as the system reads them.
public final class DeviceMotionSensors: MotionSource {
    private let sensors = MotionSensors.process

    /// The process's sensors, which run while anybody listens.
    public init() {}

    deinit {
        stop()
    }

    /// Whether the system makes the device's motion out from several sensors.
    public var hasDeviceMotion: Bool { sensors.hasDeviceMotion }

    /// Whether there is any of accelerometer, gyroscope and magnetometer.
    public var hasRawSensors: Bool { sensors.hasRawSensors }

    /// Begins to read.
    public func start(
        _ means: MotionMeans,
        every interval: Duration,
        _ report: @escaping @Sendable (MotionReading) -> Void
    ) {
        sensors.start(means, every: interval, for: ObjectIdentifier(self), report)
    }

    /// Ends reading.
    public func stop() {
        sensors.stop(for: ObjectIdentifier(self))
    }
}
#endif
