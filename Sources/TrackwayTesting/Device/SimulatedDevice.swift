// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
internal import TrackwayEvents
internal import TrackwayJournal

/// A device with an app on it, for tests that play what people do: open the app, leave it, lock the device, kill the app,
/// lose the network, set the clock, restart.
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
/// The app works with the real ``Trackway/Analytics`` and its real journal; the disk is memory, the clock stands still
/// until ``wait(_:)`` or a step that says so, and the network does what ``network`` is told. Each step makes the system
/// say exactly what a phone's says, in its order; a step that cannot happen now throws ``SimulatedDeviceError``.
///
/// A script is one task's work, one step after the other; reading may happen on any thread.
public final class SimulatedDevice: Sendable {
    /// What the app does right after it made its analytics, in every process.
    public typealias SetUp = @Sendable (Analytics) -> Void
    /// How the app makes its analytics, in every process; through a compatibility module, say. It hands its configuration to the closure it
    /// is given, which has it work on the device, and answers what it made.
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
        /// When the app's analytics tell of the start by themselves, should nothing else bring it about.
        var startDue: MonotonicTime?
        /// When sensors that run read next.
        var nextReading: MonotonicTime?
        var history = SimulatedHistory()
        var diagnostics: [Diagnostic] = []
    }

    /// The back-ends: by default they accept everything.
    public let network: ScriptedTransport
    /// What the device knows of itself. The SDK asks for it if the configuration has snapshots taken.
    public let sensors: SimulatedSensors
    let appID: String
    let making: Making
    let runsInBackground: Bool
    let setUp: SetUp
    let air: SimulatedAir
    let state: Locked<State>

    /// The app's folder on the device's disk.
    public static let folder = "/app"

    /// Makes a device on which the app is installed and has never been started.
    ///
    /// - Parameters:
    ///   - configuration: the app's; its transport, storage folder and app version are the device's business. When nil,
    ///     ``usualConfiguration``.
    ///   - appVersion: the version of the app that is installed.
    ///   - systemVersion: the version of the operating system.
    ///   - runsInBackground: false for an app that the system ends as soon as the person leaves it.
    ///   - clock: tells the time of the device's first boot.
    ///   - network: the back-ends.
    ///   - sensors: what the device knows of itself: nothing, unless it is told.
    ///   - setUp: what the app does right after it made its analytics, in every process; sets global attributes, say.
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

    /// Makes a device with an app that makes its analytics itself, through a compatibility module say.
    ///
    /// ```swift
    /// let device = SimulatedDevice { onDevice in
    ///     Sift(rootDirPath: nil) { onDevice(&$0) }.analytics
    /// }
    /// try await device.launch()
    /// ```
    /// - Parameters:
    ///   - appID: which app events name.
    ///   - appVersion: the version of the app that is installed.
    ///   - systemVersion: the version of the operating system.
    ///   - runsInBackground: false for an app that the system ends as soon as the person leaves it.
    ///   - clock: tells the time of the device's first boot.
    ///   - network: the back-ends.
    ///   - sensors: what the device knows of itself: nothing, unless it is told.
    ///   - setUp: what the app does right after it made its analytics, in every process.
    ///   - making: how the app makes its analytics. Everything it makes lies in ``folder``.
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
        air = SimulatedAir(backEnd: network)
        state = Locked(
            State(appVersion: appVersion, systemVersion: systemVersion, clock: clock, storage: Self.freshStorage())
        )
    }

    /// The configuration when none is given: one collector, and what is captured by default.
    public static var usualConfiguration: Configuration {
        Configuration(
            appID: "test",
            destinations: [
                DestinationConfiguration(CollectorDestination(url: "http://collector.test", writeKey: "test"))
            ]
        )
    }

    /// A disk that also knows what was on it.
    static func freshStorage() -> FaultyStorage {
        FaultyStorage(MemoryStorage(remembersRemoved: true))
    }
}

extension SimulatedDevice {
    // MARK: The app

    /// What the app is doing.
    public var app: SimulatedAppState { state.withLock { $0.app } }

    /// What the running app works with; nil while it does not run, or has not made it yet.
    public var analytics: Analytics? { state.withLock { $0.process?.analytics } }

    // MARK: What was recorded

    /// Everything recorded so far, process after process, each in its own order: what waits, what was delivered or dropped
    /// since, and what a power loss or the app's removal took.
    ///
    /// - Complexity: O(size of the journal).
    public var events: [RecordedEvent] {
        look()
        return state.withLock { $0.history.all }
    }

    /// Everything recorded so far, each event in a few words; see `RecordedEvent.story`.
    public var story: [String] { events.map(\.story) }

    /// The recorded events with this name.
    public func events(named name: String) -> [RecordedEvent] {
        events.filter { $0.event.name == name }
    }

    /// Every event that back-ends in Trackway's own format have taken, in order, as often as it came.
    public var delivered: [DeliveredEvent] { network.delivered }

    /// Every diagnostic so far.
    public var diagnostics: [Diagnostic] { state.withLock { $0.diagnostics } }

    // MARK: The device

    /// The clock of the present boot.
    public var clock: ManualClock { state.withLock { $0.clock } }

    /// The disk as the present process sees it, with faults to order. Another one after the app's process ended.
    public var storage: FaultyStorage { state.withLock { $0.storage } }

    /// Takes into the history what the disk holds.
    func look() {
        guard let disk = storage.base as? MemoryStorage else { return }
        // A disk that was damaged on purpose has nothing to show, and before the first start there is no journal.
        guard let recorded = try? RecordedEvents.read(in: Self.folder, of: disk.includingRemoved()) else { return }
        state.withLock { $0.history.keep(recorded) }
    }
}

/// Everything that was recorded on a ``SimulatedDevice``, whatever became of the storage it was recorded on.
struct SimulatedHistory: Sendable {
    private struct Place: Hashable {
        var writer: WriterID
        var sequence: UInt64
    }

    private var events: [Place: RecordedEvent] = [:]
    /// When each writer began: first come, first told.
    private var order: [WriterID: Int] = [:]

    /// A process began to write.
    mutating func began(_ writer: WriterID) {
        if order[writer] == nil { order[writer] = order.count }
    }

    /// Keeps what a storage holds.
    mutating func keep(_ recorded: [RecordedEvent]) {
        for event in recorded { events[Place(writer: event.writer, sequence: event.sequence)] = event }
    }

    /// Every event: process after process, each in its own order.
    var all: [RecordedEvent] {
        events.values.sorted { left, right in
            (order[left.writer] ?? .max, left.sequence) < (order[right.writer] ?? .max, right.sequence)
        }
    }
}
