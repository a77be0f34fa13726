// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
public import TrackwayEvents
internal import TrackwayWire

/// The real ``Trackway/Analytics`` in an environment of the test's own: memory for a disk, a clock that stands still, a network
/// that does what it is told.
///
/// ```swift
/// let memory = try InMemoryAnalytics()
/// CheckoutModel(analytics: memory.analytics).buy("A-1")
/// #expect(memory.events(named: "purchase").first?.attributes["sku"] == "A-1")
/// ```
/// Nothing is sent by itself while the clock stands, unless many events wait; `flush` sends. A flush that has to wait, for
/// a retry say, goes on when the clock is moved: start it in a task of its own, and ``ManualClock/advance(by:)``.
public struct InMemoryAnalytics: Sendable {
    /// What the app under test gets.
    public let analytics: Analytics
    /// The time.
    public let clock: ManualClock
    /// The network.
    public let transport: ScriptedTransport
    /// The disk, with faults to order.
    public let storage: FaultyStorage
    /// What the device knows of itself. The SDK asks for it if the configuration has snapshots taken.
    public let sensors: SimulatedSensors
    /// The installation's folder on that disk.
    public let folder: String
    package let environment: InMemoryEnvironment

    /// The folder when none is named.
    public static let usualFolder = "/app"

    /// Makes analytics in memory.
    ///
    /// - Parameters:
    ///   - configuration: as the app has it; its transport and storage folder are not used. When nil,
    ///     ``usualConfiguration``.
    ///   - storage: a disk of an earlier run, to go on with what it holds; a fresh one when nil.
    ///   - clock: a clock to share; a fresh one when nil.
    ///   - transport: a network to share; one that accepts everything when nil.
    ///   - sensors: what the device knows of itself: nothing, unless it is told.
    ///   - folder: the installation's folder.
    ///   - segmentBytes: how much of the disk a segment takes at a time, at least 4,096.
    /// - Throws: `TrackwayError`, as the real one does.
    public init(
        _ configuration: Configuration? = nil,
        storage: FaultyStorage? = nil,
        clock: ManualClock = ManualClock(),
        transport: ScriptedTransport = ScriptedTransport(),
        sensors: SimulatedSensors = SimulatedSensors(),
        folder: String = InMemoryAnalytics.usualFolder,
        segmentBytes: Int = 65_536
    ) throws(TrackwayError) {
        environment = InMemoryEnvironment(
            storage: storage,
            clock: clock,
            transport: transport,
            sensors: sensors,
            segmentBytes: segmentBytes
        )
        self.clock = clock
        self.transport = transport
        self.sensors = sensors
        self.storage = environment.storage
        self.folder = folder
        var configuration = configuration ?? Self.usualConfiguration
        configuration.run(in: environment)
        analytics = try Analytics(configuration, in: environment.dependencies(for: configuration, folder: folder))
    }

    /// The configuration when none is given: one collector, and nothing recorded but what the app under test records.
    public static var usualConfiguration: Configuration {
        var configuration = Configuration(
            appID: "test",
            destinations: [
                DestinationConfiguration(CollectorDestination(url: "http://collector.test", writeKey: "test"))
            ]
        )
        configuration.capture = []
        return configuration
    }

    /// Every event recorded on this disk, in the order of recording within each writer: those that wait, and those that
    /// were delivered or dropped since. Empty when the disk cannot be read.
    ///
    /// - Complexity: O(size of the journal).
    public var recorded: [RecordedEvent] {
        environment.recorded(in: folder)
    }

    /// The recorded events with this name.
    public func events(named name: String) -> [RecordedEvent] {
        recorded.filter { $0.event.name == name }
    }

    /// Every diagnostic so far.
    public var diagnostics: [Diagnostic] { environment.diagnostics }

    /// Every event written to the log so far, as JSON.
    public var log: [String] { environment.log }

    /// The disk as the next process finds it when this one is killed now. Make the next analytics with it.
    public func storageAfterKill() -> FaultyStorage {
        environment.storageAfterKill()
    }

    /// The disk as it is when the power fails now. Make the next analytics with it.
    public func storageAfterPowerLoss(_ loss: PowerLoss = .everythingUnflushed) -> FaultyStorage {
        environment.storageAfterPowerLoss(loss)
    }
}
