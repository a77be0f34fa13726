// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
public import TrackwayCore
internal import TrackwayLifecycle

/// Configurable sources of device properties and state.
///
/// They provide battery, orientation, networks, location, compass, and motion.
///
/// ```swift
/// let sensors = SimulatedSensors()
/// sensors.appState.batteryLevel = 0.42
/// sensors.motion = .device
/// let device = SimulatedDevice(configuration, sensors: sensors)
/// ```
/// A ``SimulatedDevice`` and an ``InMemoryAnalytics`` read these sources synchronously, on the thread that requests a
/// snapshot instead of a background thread, so the snapshot is available when the call returns. Snapshots are taken
/// only if `Configuration.snapshots` is set. On a ``SimulatedDevice``, running sensors provide a reading every half
/// second of simulated time; elsewhere, they do so when ``read(at:)`` is called.
///
/// Thread-safe.
public final class SimulatedSensors: Sendable {
    /// A source of device properties or state.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        /// The properties of the device.
        case deviceProperties
        /// The state of the app and the device.
        case appState
        /// The location of the device.
        case location
        /// The compass.
        case heading
        /// The motion of the device.
        case motion
    }

    private struct State: Sendable {
        var deviceProperties = DeviceProperties()
        var appState = AppStateSnapshot()
        var location: Location?
        var isLocationAuthorized = true
        var heading: Heading?
        var motion: MotionSamplingMode?
        var deviceMotion = SimulatedSensors.atRest
        var rawValues = Vector3(x: 0, y: 0, z: -1)
        var hanging: Set<Part> = []
        var work: [(part: Part, run: @Sendable () -> Void)] = []
        var requestCounts: [Part: Int] = [:]
        var handlers = Handlers()
        var starts: [Part: Int] = [:]
        var stops: [Part: Int] = [:]
    }

    /// The handlers of running sensors.
    ///
    /// The closures are boxed in a struct to avoid reabstraction thunks.
    private struct Handlers: Sendable {
        var heading: (@Sendable (Heading) -> Void)?
        var motion: (@Sendable (MotionReading) -> Void)?
        var mode = MotionSamplingMode.device
    }

    private let state = Locked(State())

    /// Creates sources that have no values and no sensors.
    public init() {}

    // MARK: Values

    /// The properties of the device and its system.
    public var deviceProperties: DeviceProperties {
        get { state.withLock { $0.deviceProperties } }
        set { state.withLock { $0.deviceProperties = newValue } }
    }

    /// The state of the app and the device.
    ///
    /// For example, battery, orientation, and networks.
    public var appState: AppStateSnapshot {
        get { state.withLock { $0.appState } }
        set { state.withLock { $0.appState = newValue } }
    }

    /// The last known location.
    public var location: Location? {
        get { state.withLock { $0.location } }
        set { state.withLock { $0.location = newValue } }
    }

    /// Whether the user allows the app to access the location.
    public var isLocationAuthorized: Bool {
        get { state.withLock { $0.isLocationAuthorized } }
        set { state.withLock { $0.isLocationAuthorized = newValue } }
    }

    /// The reading of the compass; nil if the device has no compass.
    public var heading: Heading? {
        get { state.withLock { $0.heading } }
        set { state.withLock { $0.heading = newValue } }
    }

    /// The motion sensors; nil if the device has none.
    ///
    /// `device` includes the raw sensors.
    public var motion: MotionSamplingMode? {
        get { state.withLock { $0.motion } }
        set { state.withLock { $0.motion = newValue } }
    }

    /// The value of every device motion reading.
    public var deviceMotion: DeviceMotion {
        get { state.withLock { $0.deviceMotion } }
        set { state.withLock { $0.deviceMotion = newValue } }
    }

    /// The value of every accelerometer, gyroscope, and magnetometer reading.
    public var rawValues: Vector3 {
        get { state.withLock { $0.rawValues } }
        set { state.withLock { $0.rawValues = newValue } }
    }

    // MARK: Faults

    /// The sources that do not respond.
    ///
    /// Pending requests to a source run when the source is removed from the set.
    public var hanging: Set<Part> {
        get { state.withLock { $0.hanging } }
        set {
            let work = state.withLock { state in
                state.hanging = newValue
                let free = state.work.filter { !newValue.contains($0.part) }
                state.work.removeAll { !newValue.contains($0.part) }
                return free.map { Work(run: $0.run) }
            }
            for work in work { work.run() }
        }
    }

    /// Whether all sources are unresponsive.
    public var hangs: Bool {
        get { hanging == Set(Part.allCases) }
        set { hanging = newValue ? Set(Part.allCases) : [] }
    }

    // MARK: Usage

    /// Returns the number of requests to a source.
    public func asked(_ part: Part) -> Int { state.withLock { $0.requestCounts[part] ?? 0 } }

    /// Returns the number of times that a sensor was started.
    public func starts(_ part: Part) -> Int { state.withLock { $0.starts[part] ?? 0 } }

    /// Returns the number of times that a sensor was stopped.
    public func stops(_ part: Part) -> Int { state.withLock { $0.stops[part] ?? 0 } }

    /// The running sensors.
    public var running: Set<Part> {
        state.withLock { state in
            var running: Set<Part> = []
            if state.handlers.heading != nil { running.insert(.heading) }
            if state.handlers.motion != nil { running.insert(.motion) }
            return running
        }
    }

    /// Makes every running sensor provide one reading, with this time.
    public func read(at time: Timestamp) {
        let (state, handlers) = state.withLock { ($0, $0.handlers) }
        if var heading = state.heading, !state.hanging.contains(.heading) {
            heading.time = time
            handlers.heading?(heading)
        }
        guard let report = handlers.motion, !state.hanging.contains(.motion) else { return }
        switch handlers.mode {
        case .device:
            var motion = state.deviceMotion
            motion.time = time
            report(.device(motion))
        case .raw:
            for kind in SensorReading.Kind.allCases {
                report(.sensor(kind, SensorReading(time: time, values: state.rawValues)))
            }
        }
    }

    /// The reading of a device at rest on a table.
    private static let atRest = DeviceMotion(
        time: Timestamp(milliseconds: 0),
        attitude: .init(roll: 0, pitch: 0, yaw: 0),
        rotationRate: Vector3(x: 0, y: 0, z: 0),
        gravity: Vector3(x: 0, y: 0, z: -1),
        userAcceleration: Vector3(x: 0, y: 0, z: 0)
    )

    private struct Work: Sendable {
        var run: @Sendable () -> Void
    }

    // MARK: Sources

    /// These sources, for use in a configuration.
    public var sources: SnapshotSources {
        SnapshotSources(
            deviceProperties: Source(sensors: self),
            appState: Source(sensors: self),
            location: Source(sensors: self),
            heading: Compass(sensors: self),
            motion: MotionSensors(sensors: self)
        )
    }

    /// Returns a thread that runs requests immediately, unless the source hangs.
    func thread(for part: SnapshotPart) -> any SourceThread {
        // Both enums have the same raw values.
        Thread(sensors: self, part: Part(rawValue: part.rawValue) ?? .appState)
    }

    /// Discards the requests and handlers of a process that has ended.
    func processEnded() {
        state.withLock { state in
            state.work = []
            state.handlers = Handlers()
        }
    }

    private struct Thread: SourceThread {
        let sensors: SimulatedSensors
        let part: Part

        func run(_ work: @escaping @Sendable () -> Void) {
            let isHanging = sensors.state.withLock { state in
                guard state.hanging.contains(part) else { return false }
                state.work.append((part, work))
                return true
            }
            if !isHanging { work() }
        }
    }

    private struct Source: DevicePropertiesSource, AppStateSource, LocationSource {
        let sensors: SimulatedSensors

        func deviceProperties() -> DeviceProperties {
            sensors.note(.deviceProperties)
            return sensors.deviceProperties
        }

        func appState() -> AppStateSnapshot {
            sensors.note(.appState)
            return sensors.appState
        }

        var isAuthorized: Bool { sensors.isLocationAuthorized }

        func lastLocation() -> Location? {
            sensors.note(.location)
            return sensors.location
        }
    }

    private struct Compass: HeadingSource {
        let sensors: SimulatedSensors

        var isAvailable: Bool {
            sensors.note(.heading)
            return sensors.heading != nil
        }

        func start(_ report: @escaping @Sendable (Heading) -> Void) {
            sensors.state.withLock { state in
                state.starts[.heading, default: 0] += 1
                state.handlers.heading = report
            }
        }

        func stop() {
            sensors.state.withLock { state in
                state.stops[.heading, default: 0] += 1
                state.handlers.heading = nil
            }
        }
    }

    private struct MotionSensors: MotionSource {
        let sensors: SimulatedSensors

        var hasDeviceMotion: Bool {
            sensors.note(.motion)
            return sensors.motion == .device
        }

        var hasRawSensors: Bool { sensors.motion != nil }

        func start(
            _ mode: MotionSamplingMode,
            every interval: Duration,
            _ report: @escaping @Sendable (MotionReading) -> Void
        ) {
            sensors.state.withLock { state in
                state.starts[.motion, default: 0] += 1
                state.handlers.mode = mode
                state.handlers.motion = report
            }
        }

        func stop() {
            sensors.state.withLock { state in
                state.stops[.motion, default: 0] += 1
                state.handlers.motion = nil
            }
        }
    }

    private func note(_ part: Part) {
        state.withLock { $0.requestCounts[part, default: 0] += 1 }
    }
}
