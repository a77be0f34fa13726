// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
internal import TrackwayCore
internal import TrackwayJournal

/// A simulated device with an app, for tests that script user actions.
///
/// Scripts open the app, leave it, lock the device, kill the app, lose the network, set the clock, or restart the
/// device.
///
/// ```swift
/// let device = SimulatedDevice()
/// try await device.launch()
/// try device.show("Home")
/// device.wait(.seconds(20))
/// try await device.goHome()
/// #expect(device.story == [
///     "_first_open", "_app_start cold", "_session_start 1", "_screen_view Home", "_user_engagement 20s", "_app_end 20s",
/// ])
/// ```
/// The app uses the real ``Trackway/Analytics`` and its real journal. The disk is in memory, the network follows the
/// script of ``network``, and the clock moves only in ``wait(_:)`` and in steps that take time. In each step, the app
/// receives the same notifications as on a phone, in the same order. A step that is impossible in the current state
/// throws ``SimulatedDeviceError``.
///
/// Run a script in one task, one step at a time. Values can be read on any thread.
public final class SimulatedDevice: Sendable {
    /// A closure that runs in every process.
    ///
    /// It runs right after the app has created its analytics.
    public typealias SetUp = @Sendable (Analytics) -> Void
    /// A closure that creates the app's analytics in every process.
    ///
    /// The closure may use a compatibility module, for example. It passes its configuration to the given closure, which
    /// connects the configuration to the device, and returns the analytics.
    public typealias Making =
        @Sendable (_ onDevice: @escaping @Sendable (inout Configuration) -> Void) throws(TrackwayError) -> Analytics?

    struct State: Sendable {
        var app = SimulatedAppState.notRunning
        var process: SimulatedProcess?
        var appVersion: String
        var systemVersion: String
        var clock: ManualClock
        var storage: FaultyStorage
        var boots = 1
        var processes = 0
        /// The time at which the analytics report the start.
        ///
        /// Another event may trigger the report earlier.
        var startDue: MonotonicTime?
        /// The time of the running sensors' next reading.
        var nextReading: MonotonicTime?
        var history = SimulatedHistory()
        var diagnostics: [Diagnostic] = []
    }

    /// The network with the back ends, which accept everything by default.
    public let network: ScriptedTransport
    /// The sources of device properties and state.
    ///
    /// The SDK reads them if the configuration enables snapshots.
    public let sensors: SimulatedSensors
    let appID: String
    let making: Making
    let runsInBackground: Bool
    let setUp: SetUp
    let simulatedNetwork: SimulatedNetwork
    let state: Locked<State>

    /// The app's folder on the device's disk.
    public static let folder = "/app"

    /// Creates a device with an app that was never started.
    ///
    /// - Parameters:
    ///   - configuration: The app's configuration, in which the device replaces the transport, storage folder, and app
    ///     version; nil for ``usualConfiguration``.
    ///   - appVersion: The installed version of the app.
    ///   - systemVersion: The version of the operating system.
    ///   - runsInBackground: False if the system terminates the app as soon as the user leaves it.
    ///   - clock: The clock of the device's first boot.
    ///   - network: The back ends.
    ///   - sensors: The sources of device properties and state; empty by default.
    ///   - setUp: Runs in every process, right after the app has created its analytics, for example to set global
    ///     attributes.
    public convenience init(
        _ configuration: Configuration? = nil,
        appVersion: String = "1.0",
        systemVersion: String = "1.0",
        runsInBackground: Bool = true,
        clock: ManualClock = ManualClock(),
        network: ScriptedTransport = ScriptedTransport(),
        sensors: SimulatedSensors = SimulatedSensors(),
        setUp: @escaping SetUp = { _ in }
    ) {
        let configuration = configuration ?? Self.usualConfiguration
        self.init(
            appID: configuration.appID,
            appVersion: appVersion,
            systemVersion: systemVersion,
            runsInBackground: runsInBackground,
            clock: clock,
            network: network,
            sensors: sensors,
            setUp: setUp
        ) { (onDevice) throws(TrackwayError) in
            var configuration = configuration
            onDevice(&configuration)
            return try Analytics(configuration)
        }
    }

    /// Creates a device whose app creates its analytics itself.
    ///
    /// For example, the app uses a compatibility module:
    ///
    /// ```swift
    /// let device = SimulatedDevice { onDevice in
    ///     Sift(rootDirPath: nil) { onDevice(&$0) }.analytics
    /// }
    /// try await device.launch()
    /// ```
    /// - Parameters:
    ///   - appID: The app id in events.
    ///   - appVersion: The installed version of the app.
    ///   - systemVersion: The version of the operating system.
    ///   - runsInBackground: False if the system terminates the app as soon as the user leaves it.
    ///   - clock: The clock of the device's first boot.
    ///   - network: The back ends.
    ///   - sensors: The sources of device properties and state; empty by default.
    ///   - setUp: Runs in every process, right after the app has created its analytics.
    ///   - making: Creates the app's analytics. All their files are in ``folder``.
    public init(
        appID: String = "test",
        appVersion: String = "1.0",
        systemVersion: String = "1.0",
        runsInBackground: Bool = true,
        clock: ManualClock = ManualClock(),
        network: ScriptedTransport = ScriptedTransport(),
        sensors: SimulatedSensors = SimulatedSensors(),
        setUp: @escaping SetUp = { _ in },
        making: @escaping Making
    ) {
        self.appID = appID
        self.making = making
        self.network = network
        self.sensors = sensors
        self.runsInBackground = runsInBackground
        self.setUp = setUp
        simulatedNetwork = SimulatedNetwork(backEnd: network)
        state = Locked(
            State(appVersion: appVersion, systemVersion: systemVersion, clock: clock, storage: Self.freshStorage())
        )
    }

    /// The default configuration: one collector, and the default automatic capture.
    public static var usualConfiguration: Configuration {
        Configuration(
            appID: "test",
            destinations: [
                DestinationConfiguration(CollectorDestination(url: "http://collector.test", writeKey: "test"))
            ],
            consent: .granted
        )
    }

    /// Returns an empty disk that remembers removed files.
    static func freshStorage() -> FaultyStorage {
        FaultyStorage(MemoryStorage(remembersRemoved: true))
    }
}

extension SimulatedDevice {
    // MARK: The app

    /// The state of the app.
    public var app: SimulatedAppState { state.withLock { $0.app } }

    /// The running app's analytics; nil until the app has created them, and while no app is running.
    public var analytics: Analytics? { state.withLock { $0.process?.analytics } }

    // MARK: Recorded events

    /// All events recorded so far.
    ///
    /// The events are ordered by process, then in the order of recording. They include pending, delivered, and dropped
    /// events, and events lost in a power loss or when the app was removed.
    ///
    /// - Complexity: O(size of the journal).
    public var events: [RecordedEvent] {
        refreshHistory()
        return state.withLock { $0.history.all }
    }

    /// A short description of each recorded event; see `RecordedEvent.story`.
    public var story: [String] { events.map(\.story) }

    /// The recorded events with this name.
    public func events(named name: String) -> [RecordedEvent] {
        events.filter { $0.event.name == name }
    }

    /// All events accepted by back ends in Trackway's own format.
    ///
    /// The events are in order of arrival; an event that arrived repeatedly is listed repeatedly.
    public var delivered: [DeliveredEvent] { network.delivered }

    /// All diagnostics so far.
    public var diagnostics: [Diagnostic] { state.withLock { $0.diagnostics } }

    // MARK: The device

    /// The clock of the current boot.
    public var clock: ManualClock { state.withLock { $0.clock } }

    /// The disk of the current process, with injectable faults.
    ///
    /// The value is replaced when the app's process ends.
    public var storage: FaultyStorage { state.withLock { $0.storage } }

    /// Adds the events on the disk to the history.
    func refreshHistory() {
        guard let disk = storage.base as? MemoryStorage else { return }
        // A deliberately damaged disk has no readable events, and before the first launch, the journal does not exist.
        guard let recorded = try? RecordedEvents.read(in: Self.folder, of: disk.includingRemoved()) else { return }
        state.withLock { $0.history.keep(recorded) }
    }
}

/// All events recorded on a ``SimulatedDevice``, even if their storage was deleted.
struct SimulatedHistory: Sendable {
    private struct Key: Hashable {
        var writer: WriterID
        var sequence: UInt64
    }

    private var events: [Key: RecordedEvent] = [:]
    /// The position of each writer in the order of their starts.
    private var order: [WriterID: Int] = [:]

    /// Registers the writer of a new process.
    mutating func began(_ writer: WriterID) {
        if order[writer] == nil { order[writer] = order.count }
    }

    /// Adds the events read from a storage.
    mutating func keep(_ recorded: [RecordedEvent]) {
        for event in recorded { events[Key(writer: event.writer, sequence: event.sequence)] = event }
    }

    /// All events, ordered by process, then in the order of recording.
    var all: [RecordedEvent] {
        events.values.sorted { left, right in
            (order[left.writer] ?? .max, left.sequence) < (order[right.writer] ?? .max, right.sequence)
        }
    }
}
