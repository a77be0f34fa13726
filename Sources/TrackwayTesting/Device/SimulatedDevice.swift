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
        /// When the app's analytics look next that the app is still in sight.
        var nextBeat: MonotonicTime?
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
            destinations: [CollectorDestination(url: "http://collector.test", writeKey: "test")]
        )
    }

    /// A disk that also knows what was on it.
    static func freshStorage() -> FaultyStorage {
        FaultyStorage(MemoryStorage(remembersRemoved: true))
    }
}
