// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
internal import TrackwayDelivery
public import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// The real ``Trackway/Analytics`` in a world of the test's own: memory for a disk, a clock that stands still, a network
/// that does what it is told.
///
/// ```swift
/// let memory = try InMemoryAnalytics()
/// Shop(analytics: memory.analytics).buy("A-1")
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
    private let heard: Locked<[Diagnostic]>
    private let lines: Locked<[String]>

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
        let storage = storage ?? FaultyStorage(MemoryStorage(remembersRemoved: true))
        let heard = Locked<[Diagnostic]>([])
        let lines = Locked<[String]>([])
        var configuration = configuration ?? Self.usualConfiguration
        configuration.transport = transport
        let handler = configuration.onDiagnostic
        configuration.onDiagnostic = { diagnostic in
            heard.withLock { $0.append(diagnostic) }
            handler?(diagnostic)
        }
        var world = World(
            clock: clock,
            ids: EventIDGenerator(),
            storage: storage,
            folder: folder,
            segmentBytes: segmentBytes,
            transport: transport,
            sleeper: ManualSleeper(clock),
            random: SeededGenerator(seed: 1),
            facts: ContextFacts(
                app: ["id": .string(configuration.appID), "version": .string(configuration.appVersion ?? "1.0")],
                device: ["platform": "Memory"],
                boot: "memory"
            ),
            log: { _ in },
            write: { line in lines.withLock { $0.append(line) } }
        )
        world.snapshotSources = sensors.sources
        world.sourceThread = { sensors.thread(for: $0) }
        self.clock = clock
        self.transport = transport
        self.sensors = sensors
        self.storage = storage
        self.folder = folder
        self.heard = heard
        self.lines = lines
        analytics = try Analytics(configuration, in: world)
    }

    /// The configuration when none is given: one collector, and nothing recorded but what the app under test records.
    public static var usualConfiguration: Configuration {
        var configuration = Configuration(
            appID: "test",
            destinations: [CollectorDestination(url: "http://collector.test", writeKey: "test")]
        )
        configuration.capture = .none
        return configuration
    }

    /// Every event recorded on this disk, in the order of recording within each writer: those that wait, and those that
    /// were delivered or dropped since. Empty when the disk cannot be read.
    ///
    /// - Complexity: O(size of the journal).
    public var recorded: [RecordedEvent] {
        let disk: any JournalStorage = (storage.base as? MemoryStorage)?.includingRemoved() ?? storage.base
        // A disk told to fail, or damaged on purpose, has nothing to show; the test sees that.
        return (try? RecordedEvents.read(in: folder, of: disk)) ?? []
    }

    /// The recorded events with this name.
    public func events(named name: String) -> [RecordedEvent] {
        recorded.filter { $0.event.name == name }
    }

    /// Every diagnostic so far.
    public var diagnostics: [Diagnostic] { heard.withLock { $0 } }

    /// Every event written to the log so far, as JSON.
    public var log: [String] { lines.withLock { $0 } }

    /// The disk as the next process finds it when this one is killed now. Make the next analytics with it.
    public func storageAfterKill() -> FaultyStorage {
        FaultyStorage((storage.base as? MemoryStorage)?.afterKill() ?? storage.base)
    }

    /// The disk as it is when the power fails now. Make the next analytics with it.
    public func storageAfterPowerLoss(_ loss: PowerLoss = .everythingUnflushed) -> FaultyStorage {
        FaultyStorage((storage.base as? MemoryStorage)?.afterPowerLoss(loss) ?? storage.base)
    }
}
