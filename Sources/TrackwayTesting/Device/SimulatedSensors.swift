// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
internal import TrackwayBehavior
public import TrackwayEvents

/// What a device knows of itself, to set as a test needs it: battery, orientation, networks, place, compass, motion.
///
/// ```swift
/// let sensors = SimulatedSensors()
/// sensors.appState.batteryLevel = 0.42
/// sensors.motion = .device
/// let device = SimulatedDevice(configuration, sensors: sensors)
/// ```
/// A ``SimulatedDevice`` and an ``InMemoryAnalytics`` ask these sources at once, on the thread on which the SDK would hand
/// the question over: what was taken can be read when the call returns. Snapshots are taken only if
/// `Configuration.snapshots` is set. Sensors that run read each half second that passes on a ``SimulatedDevice``; elsewhere
/// when told, see ``read(at:)``.
///
/// Any thread.
public final class SimulatedSensors: Sendable {
    /// A source of its own.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        /// What the device is.
        case deviceProperties
        /// What the app and the device are about.
        case appState
        /// Where the device is.
        case location
        /// The compass.
        case heading
        /// How the device moves.
        case motion
    }

    private struct State: Sendable {
        var deviceProperties = DeviceProperties()
        var appState = AppStateSnapshot()
        var location: Location?
        var isLocationAuthorized = true
        var heading: Heading?
        var motion: MotionMeans?
        var deviceMotion = SimulatedSensors.stillness
        var rawValues = Vector3(x: 0, y: 0, z: -1)
        var hanging: Set<Part> = []
        var work: [(part: Part, run: @Sendable () -> Void)] = []
        var asked: [Part: Int] = [:]
        var heard = Heard()
        var starts: [Part: Int] = [:]
        var stops: [Part: Int] = [:]
    }

    /// Who listens to sensors that run. The closures stand in a struct: bare ones are wrapped with every access.
    private struct Heard: Sendable {
        var heading: (@Sendable (Heading) -> Void)?
        var motion: (@Sendable (MotionReading) -> Void)?
        var means = MotionMeans.device
    }

    private let state = Locked(State())

    /// A device that knows nothing of itself, and has no sensor.
    public init() {}

    // MARK: What the sources know

    /// What the device and its system are.
    public var deviceProperties: DeviceProperties {
        get { state.withLock { $0.deviceProperties } }
        set { state.withLock { $0.deviceProperties = newValue } }
    }

    /// What the app and its device are about: battery, orientation, networks and so on.
    public var appState: AppStateSnapshot {
        get { state.withLock { $0.appState } }
        set { state.withLock { $0.appState = newValue } }
    }

    /// The last place that is known.
    public var location: Location? {
        get { state.withLock { $0.location } }
        set { state.withLock { $0.location = newValue } }
    }

    /// Whether the person allows the app to know the place.
    public var isLocationAuthorized: Bool {
        get { state.withLock { $0.isLocationAuthorized } }
        set { state.withLock { $0.isLocationAuthorized = newValue } }
    }

    /// What the compass reads; nil when there is none.
    public var heading: Heading? {
        get { state.withLock { $0.heading } }
        set { state.withLock { $0.heading = newValue } }
    }

    /// Which sensors of motion there are; with `device` there are raw ones, too. nil when there is none.
    public var motion: MotionMeans? {
        get { state.withLock { $0.motion } }
        set { state.withLock { $0.motion = newValue } }
    }

    /// What device motion reads, whenever it is read.
    public var deviceMotion: DeviceMotion {
        get { state.withLock { $0.deviceMotion } }
        set { state.withLock { $0.deviceMotion = newValue } }
    }

    /// What accelerometer, gyroscope and magnetometer each read, whenever they are read.
    public var rawValues: Vector3 {
        get { state.withLock { $0.rawValues } }
        set { state.withLock { $0.rawValues = newValue } }
    }

    // MARK: Trouble

    /// The sources that do not answer. What they were asked is done when they are taken out again.
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

    /// Whether no source at all answers.
    public var hangs: Bool {
        get { hanging == Set(Part.allCases) }
        set { hanging = newValue ? Set(Part.allCases) : [] }
    }

    // MARK: What was done with them

    /// How often a source was asked.
    public func asked(_ part: Part) -> Int { state.withLock { $0.asked[part] ?? 0 } }

    /// How often a sensor was started.
    public func starts(_ part: Part) -> Int { state.withLock { $0.starts[part] ?? 0 } }

    /// How often a sensor was stopped.
    public func stops(_ part: Part) -> Int { state.withLock { $0.stops[part] ?? 0 } }

    /// The sensors that run now.
    public var running: Set<Part> {
        state.withLock { state in
            var running: Set<Part> = []
            if state.heard.heading != nil { running.insert(.heading) }
            if state.heard.motion != nil { running.insert(.motion) }
            return running
        }
    }

    /// Has every sensor that runs read once, at this time.
    public func read(at time: Timestamp) {
        let (state, heard) = state.withLock { ($0, $0.heard) }
        if var heading = state.heading, !state.hanging.contains(.heading) {
            heading.time = time
            heard.heading?(heading)
        }
        guard let report = heard.motion, !state.hanging.contains(.motion) else { return }
        switch heard.means {
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

    /// What a device reads that lies on a table.
    private static let stillness = DeviceMotion(
        time: Timestamp(milliseconds: 0),
        attitude: .init(roll: 0, pitch: 0, yaw: 0),
        rotationRate: Vector3(x: 0, y: 0, z: 0),
        gravity: Vector3(x: 0, y: 0, z: -1),
        userAcceleration: Vector3(x: 0, y: 0, z: 0)
    )

    private struct Work: Sendable {
        var run: @Sendable () -> Void
    }

    // MARK: The sources

    /// The sources, for a configuration that names its own.
    public var sources: SnapshotSources {
        SnapshotSources(
            deviceProperties: Source(sensors: self),
            appState: Source(sensors: self),
            location: Source(sensors: self),
            heading: Compass(sensors: self),
            motion: MotionSensors(sensors: self)
        )
    }

    /// Where these sources are asked: at once, unless they hang.
    func thread(for part: SnapshotPart) -> any SourceThread {
        // Both list the same parts under the same names.
        Thread(sensors: self, part: Part(rawValue: part.rawValue) ?? .appState)
    }

    /// The process that used the sensors is gone, and with it all that it still wanted.
    func processEnded() {
        state.withLock { state in
            state.work = []
            state.heard = Heard()
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
                state.heard.heading = report
            }
        }

        func stop() {
            sensors.state.withLock { state in
                state.stops[.heading, default: 0] += 1
                state.heard.heading = nil
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
            _ means: MotionMeans,
            every interval: Duration,
            _ report: @escaping @Sendable (MotionReading) -> Void
        ) {
            sensors.state.withLock { state in
                state.starts[.motion, default: 0] += 1
                state.heard.means = means
                state.heard.motion = report
            }
        }

        func stop() {
            sensors.state.withLock { state in
                state.stops[.motion, default: 0] += 1
                state.heard.motion = nil
            }
        }
    }

    private func note(_ part: Part) {
        state.withLock { $0.asked[part, default: 0] += 1 }
    }
}
