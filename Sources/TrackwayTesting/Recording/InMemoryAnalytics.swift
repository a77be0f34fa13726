// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
public import TrackwayCore
internal import TrackwayDestinationKit

/// The real ``Trackway/Analytics`` in a test environment.
///
/// The disk is in memory, the clock stands still, and the network follows a script.
///
/// ```swift
/// let memory = try InMemoryAnalytics()
/// CheckoutModel(analytics: memory.analytics).buy("A-1")
/// #expect(memory.events(named: "purchase").first?.attributes["sku"] == "A-1")
/// ```
/// While the clock stands still, nothing is sent automatically unless many events are pending; call `flush` to send
/// events. A flush that has to wait, for example for a retry, continues when the clock moves: start it in a separate
/// task, and call ``ManualClock/advance(by:)``.
public struct InMemoryAnalytics: Sendable {
    /// The analytics for the app under test.
    public let analytics: Analytics
    /// The clock.
    public let clock: ManualClock
    /// The network.
    public let transport: ScriptedTransport
    /// The disk, with injectable faults.
    public let storage: FaultyStorage
    /// The sources of device properties and state.
    ///
    /// The SDK reads them if the configuration enables snapshots.
    public let sensors: SimulatedSensors
    /// The installation's folder on the disk.
    public let folder: String
    package let environment: InMemoryEnvironment

    /// The default folder.
    public static let usualFolder = "/app"

    /// Creates analytics in memory.
    ///
    /// - Parameters:
    ///   - configuration: The app's configuration, whose transport and storage folder are not used; nil for
    ///     ``usualConfiguration``.
    ///   - storage: The disk of an earlier run, to continue with its contents; nil for an empty disk.
    ///   - clock: A clock to share; a new one by default.
    ///   - transport: A network to share; one that accepts everything by default.
    ///   - sensors: The sources of device properties and state; empty by default.
    ///   - folder: The installation's folder.
    ///   - segmentBytes: The size of a segment on the disk in bytes, at least 4,096.
    /// - Throws: `TrackwayError`, as the real initializer does.
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

    /// The default configuration: one collector, and no automatic capture.
    public static var usualConfiguration: Configuration {
        var configuration = Configuration(
            appID: "test",
            destinations: [
                DestinationConfiguration(CollectorDestination(url: "http://collector.test", writeKey: "test"))
            ],
            consent: .granted
        )
        configuration.capture = []
        return configuration
    }

    /// All events recorded on this disk.
    ///
    /// The list includes pending, delivered, and dropped events, in the order of recording within each writer. It is
    /// empty if the disk cannot be read.
    ///
    /// - Complexity: O(size of the journal).
    public var recorded: [RecordedEvent] {
        environment.recorded(in: folder)
    }

    /// The recorded events with this name.
    public func events(named name: String) -> [RecordedEvent] {
        recorded.filter { $0.event.name == name }
    }

    /// All diagnostics so far.
    public var diagnostics: [Diagnostic] { environment.diagnostics }

    /// Every event written to the log so far, as JSON.
    public var log: [String] { environment.log }

    /// Returns the disk for the next process if this one is killed.
    ///
    /// Create the next analytics with it.
    public func storageAfterKill() -> FaultyStorage {
        environment.storageAfterKill()
    }

    /// Returns the disk that remains if the power is lost now.
    ///
    /// Create the next analytics with it.
    public func storageAfterPowerLoss(_ loss: PowerLoss = .everythingUnflushed) -> FaultyStorage {
        environment.storageAfterPowerLoss(loss)
    }
}
