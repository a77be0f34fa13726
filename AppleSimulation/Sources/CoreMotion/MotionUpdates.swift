// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

public typealias CMDeviceMotionHandler = (CMDeviceMotion?, (any Error)?) -> Void
public typealias CMAccelerometerHandler = (CMAccelerometerData?, (any Error)?) -> Void
public typealias CMGyroHandler = (CMGyroData?, (any Error)?) -> Void
public typealias CMMagnetometerHandler = (CMMagnetometerData?, (any Error)?) -> Void

/// Rules modeled here:
/// - A reference frame with true north needs a location that the app may use; otherwise the handler gets an error
///   without a motion (Apple, pages of `xTrueNorthZVertical` and `CMErrorTrueNorthNotAvailable`).
/// - Readings arrive on the given queue while updates are active.
open class CMMotionManager: NSObject {
    open var deviceMotionUpdateInterval: TimeInterval = 0.01
    open var accelerometerUpdateInterval: TimeInterval = 0.01
    open var gyroUpdateInterval: TimeInterval = 0.01
    open var magnetometerUpdateInterval: TimeInterval = 0.01
    open var showsDeviceMovementDisplay = false
    open var attitudeReferenceFrame: CMAttitudeReferenceFrame { with { $0.frame } }

    private struct Updates {
        var frame: CMAttitudeReferenceFrame = .xArbitraryZVertical
        var motion: (OperationQueue, CMDeviceMotionHandler)?
        var acceleration: (OperationQueue, CMAccelerometerHandler)?
        var rotation: (OperationQueue, CMGyroHandler)?
        var field: (OperationQueue, CMMagnetometerHandler)?
    }

    /// Handlers start and stop updates on their queue while another thread moves the phone.
    private let lock = NSLock()
    private var updates = Updates()

    private func with<Answer>(_ body: (inout Updates) -> Answer) -> Answer { lock.withLock { body(&updates) } }

    public override init() {
        super.init()
        #if !canImport(ObjectiveC)
        SimulatedMotionSensors.current.add(self)
        #endif
    }

    open var isDeviceMotionAvailable: Bool {
        #if !canImport(ObjectiveC)
        return SimulatedMotionSensors.current.has.contains(.deviceMotion)
        #endif
    }

    open var isAccelerometerAvailable: Bool {
        #if !canImport(ObjectiveC)
        return SimulatedMotionSensors.current.has.contains(.accelerometer)
        #endif
    }

    open var isGyroAvailable: Bool {
        #if !canImport(ObjectiveC)
        return SimulatedMotionSensors.current.has.contains(.gyro)
        #endif
    }

    open var isMagnetometerAvailable: Bool {
        #if !canImport(ObjectiveC)
        return SimulatedMotionSensors.current.has.contains(.magnetometer)
        #endif
    }

    open var isDeviceMotionActive: Bool { with { $0.motion != nil } }
    open var isAccelerometerActive: Bool { with { $0.acceleration != nil } }
    open var isGyroActive: Bool { with { $0.rotation != nil } }
    open var isMagnetometerActive: Bool { with { $0.field != nil } }

    open class func availableAttitudeReferenceFrames() -> CMAttitudeReferenceFrame {
        #if !canImport(ObjectiveC)
        return SimulatedMotionSensors.current.frames
        #endif
    }

    open func startDeviceMotionUpdates(to queue: OperationQueue, withHandler handler: @escaping CMDeviceMotionHandler) {
        with { $0.motion = (queue, handler) }
    }

    open func startDeviceMotionUpdates(
        using referenceFrame: CMAttitudeReferenceFrame,
        to queue: OperationQueue,
        withHandler handler: @escaping CMDeviceMotionHandler
    ) {
        with {
            $0.frame = referenceFrame
            $0.motion = (queue, handler)
        }
    }

    open func startAccelerometerUpdates(
        to queue: OperationQueue,
        withHandler handler: @escaping CMAccelerometerHandler
    ) {
        with { $0.acceleration = (queue, handler) }
    }

    open func startGyroUpdates(to queue: OperationQueue, withHandler handler: @escaping CMGyroHandler) {
        with { $0.rotation = (queue, handler) }
    }

    open func startMagnetometerUpdates(
        to queue: OperationQueue,
        withHandler handler: @escaping CMMagnetometerHandler
    ) {
        with { $0.field = (queue, handler) }
    }

    open func stopDeviceMotionUpdates() { with { $0.motion = nil } }
    open func stopAccelerometerUpdates() { with { $0.acceleration = nil } }
    open func stopGyroUpdates() { with { $0.rotation = nil } }
    open func stopMagnetometerUpdates() { with { $0.field = nil } }

    #if !canImport(ObjectiveC)
    func deliver(_ reading: CMDeviceMotion) {
        let updates = with { $0 }
        guard let (queue, handler) = updates.motion else { return }
        if updates.frame == .xTrueNorthZVertical, !SimulatedMotionSensors.current.hasTrueNorth {
            let error = NSError(domain: CMErrorDomain, code: Int(CMErrorTrueNorthNotAvailable.rawValue))
            queue.addOperation { handler(nil, error) }
        } else {
            queue.addOperation { handler(reading, nil) }
        }
    }

    func deliver(_ item: CMLogItem) {
        let updates = with { $0 }
        if let item = item as? CMAccelerometerData, let (queue, handler) = updates.acceleration {
            queue.addOperation { handler(item, nil) }
        } else if let item = item as? CMGyroData, let (queue, handler) = updates.rotation {
            queue.addOperation { handler(item, nil) }
        } else if let item = item as? CMMagnetometerData, let (queue, handler) = updates.field {
            queue.addOperation { handler(item, nil) }
        }
    }
    #endif
}

#if !canImport(ObjectiveC)
/// The phone's sensors, controlled by tests.
public final class SimulatedMotionSensors: @unchecked Sendable {
    /// A kind of sensor.
    public enum Kind: Sendable, CaseIterable {
        case deviceMotion
        case accelerometer
        case gyro
        case magnetometer
    }

    private final class WeakManager {
        weak var manager: CMMotionManager?

        init(_ manager: CMMotionManager) {
            self.manager = manager
        }
    }

    /// The current instance.
    public static let current = SimulatedMotionSensors()

    private let lock = NSLock()
    private var weakManagers: [WeakManager] = []
    private var kinds = Set(Kind.allCases)
    private var north = false

    /// The sensors of the phone.
    public var has: Set<Kind> { lock.withLock { kinds } }
    /// Whether true north is available: the app may use the location.
    public var hasTrueNorth: Bool { lock.withLock { north } }
    /// The number of managers with active updates.
    public var activeReaderCount: Int {
        managers.filter {
            $0.isDeviceMotionActive || $0.isAccelerometerActive || $0.isGyroActive || $0.isMagnetometerActive
        }.count
    }
    /// The reference frames that the phone supports.
    var frames: CMAttitudeReferenceFrame {
        has.contains(.magnetometer)
            ? [.xArbitraryZVertical, .xArbitraryCorrectedZVertical, .xMagneticNorthZVertical, .xTrueNorthZVertical]
            : .xArbitraryZVertical
    }
    private var managers: [CMMotionManager] { lock.withLock { weakManagers.compactMap(\.manager) } }

    /// Resets to a phone with these sensors.
    public func reset(_ kinds: Set<Kind> = Set(Kind.allCases), hasTrueNorth: Bool = false) {
        lock.withLock {
            weakManagers = []
            self.kinds = kinds
            north = hasTrueNorth
        }
    }

    /// Reports a device motion to all managers with active updates.
    public func simulate(_ motion: CMDeviceMotion) {
        for manager in managers { manager.deliver(motion) }
    }

    /// Reports an accelerometer reading.
    public func simulate(acceleration: CMAcceleration, at timestamp: TimeInterval) {
        let item = CMAccelerometerData()
        item.acceleration = acceleration
        deliver(item, timestamp)
    }

    /// Reports a gyroscope reading.
    public func simulate(rotationRate: CMRotationRate, at timestamp: TimeInterval) {
        let item = CMGyroData()
        item.rotationRate = rotationRate
        deliver(item, timestamp)
    }

    /// Reports a magnetometer reading.
    public func simulate(magneticField: CMMagneticField, at timestamp: TimeInterval) {
        let item = CMMagnetometerData()
        item.magneticField = magneticField
        deliver(item, timestamp)
    }

    private func deliver(_ item: CMLogItem, _ timestamp: TimeInterval) {
        item.timestamp = timestamp
        for manager in managers { manager.deliver(item) }
    }

    func add(_ manager: CMMotionManager) {
        lock.withLock {
            weakManagers.removeAll { $0.manager == nil }
            weakManagers.append(WeakManager(manager))
        }
    }
}
#endif
