// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
public import Trackway
public import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayJournal
internal import TrackwayPlatform

/// A test environment for an app that creates its SDK itself.
///
/// For example, the app uses a compatibility module. The disk is in memory, the clock stands still, and the network
/// follows a script.
///
/// ```swift
/// let environment = InMemoryEnvironment()
/// let sift = Sift(rootDirPath: nil) { $0.run(in: environment) }
/// sift.append(SiftEvent(type: "checkout"))
/// environment.clock.advance(by: .seconds(60))
/// ```
/// One environment represents one process of one device; ``nextProcess()`` returns the environment of the process after
/// a kill. Everything created in an environment shares a clock, a network, and a disk; each storage folder is a
/// separate installation. Thread-safe.
public final class InMemoryEnvironment: Sendable {
    private struct State: Sendable {
        var folders: [String] = []
        /// The keys of encrypted folders.
        var encryption: [String: Encryption] = [:]
        var diagnostics: [Diagnostic] = []
        var lines: [String] = []
    }

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
    /// The device attributes in every event's context; `id` is the device's id.
    public let device: Attributes
    private let segmentBytes: Int
    private let state = Locked(State())
    /// Runs the tasks of the analytics.
    package let idle = IdleDetector()

    /// The folder of a configuration without one.
    public static let usualFolder = "/app"

    /// Creates an environment.
    ///
    /// - Parameters:
    ///   - storage: The disk of an earlier run, to continue with its contents; nil for an empty disk.
    ///   - clock: A clock to share; a new one by default.
    ///   - transport: A network to share; one that accepts everything by default.
    ///   - sensors: The sources of device properties and state; empty by default.
    ///   - device: The device attributes in every event's context.
    ///   - segmentBytes: The size of a segment on the disk in bytes, at least 4,096.
    public init(
        storage: FaultyStorage? = nil,
        clock: ManualClock = ManualClock(),
        transport: ScriptedTransport = ScriptedTransport(),
        sensors: SimulatedSensors = SimulatedSensors(),
        device: Attributes = ["platform": "Memory"],
        segmentBytes: Int = 65_536
    ) {
        self.storage = storage ?? FaultyStorage(MemoryStorage(remembersRemoved: true))
        self.clock = clock
        self.transport = transport
        self.sensors = sensors
        self.device = device
        self.segmentBytes = segmentBytes
    }

    /// Returns the environment of the next process, as if this one were killed.
    ///
    /// The new environment has the disk after the kill, and the same clock, network, and sensors. Work that still runs
    /// in this environment no longer affects that disk.
    public func nextProcess() -> InMemoryEnvironment {
        InMemoryEnvironment(
            storage: storageAfterKill(),
            clock: clock,
            transport: transport,
            sensors: sensors,
            device: device,
            segmentBytes: segmentBytes
        )
    }

    // MARK: Results

    /// All diagnostics so far.
    public var diagnostics: [Diagnostic] { state.withLock { $0.diagnostics } }

    /// Every event written to the log so far, as JSON.
    public var log: [String] { state.withLock { $0.lines } }

    /// All events recorded in this environment, and earlier events on its disk.
    ///
    /// The list includes pending, delivered, and dropped events, folder by folder, in the order of recording within
    /// each writer. It is empty if the disk cannot be read.
    ///
    /// - Complexity: O(size of the journals).
    public var recorded: [RecordedEvent] {
        state.withLock { $0.folders }.flatMap { recorded(in: $0) }
    }

    func recorded(in folder: String) -> [RecordedEvent] {
        var disk: any JournalStorage = (storage.base as? MemoryStorage)?.includingRemoved() ?? storage.base
        if let encryption = state.withLock({ $0.encryption[folder] }) {
            let keys = FolderKeys(encryption, cipher: SystemCipher.make)
            disk = EncryptedStorage(disk, root: folder, keys: keys)
        }
        // A disk with injected faults or deliberate damage may have no readable events; the test's assertions then
        // fail.
        return (try? RecordedEvents.read(in: folder, of: disk)) ?? []
    }

    func storageAfterKill() -> FaultyStorage {
        FaultyStorage((storage.base as? MemoryStorage)?.afterKill() ?? storage.base)
    }

    func storageAfterPowerLoss(_ loss: PowerLoss) -> FaultyStorage {
        FaultyStorage((storage.base as? MemoryStorage)?.afterPowerLoss(loss) ?? storage.base)
    }

    // MARK: Time

    /// Flushes, and advances the clock whenever all tasks are waiting for it.
    ///
    /// Each advance ends at the wake time of the next sleeper.
    package func flush(_ analytics: Analytics, timeout: Duration = .seconds(5)) async -> FlushReport {
        await advancing(analytics) { await analytics.flush(timeout: timeout) }
    }

    /// Runs `body`, and advances the clock like ``flush(_:timeout:)``.
    package func advancing<Result: Sendable>(
        _ analytics: Analytics,
        _ body: @escaping @Sendable () async -> Result
    ) async -> Result {
        let outcome = Locked<Result?>(nil)
        _ = idle.task { () -> Void in
            let achieved = await body()
            outcome.withLock { $0 = achieved }
        }
        while true {
            await waitUntilIdle(analytics)
            if let outcome = outcome.withLock({ $0 }) { return outcome }
            clock.advanceToNextSleeper()
        }
    }

    /// Waits until the analytics are idle.
    ///
    /// Idle analytics wait for the clock, a response, or the app.
    package func waitUntilIdle(_ analytics: Analytics) async {
        var jobs: UInt64
        repeat {
            jobs = idle.jobs
            await idle.waitUntilIdle()
            // This call returns after the work that those tasks enqueued. A task that waited for that work has a new
            // job by then.
            await analytics.storage.queue.run {}
        } while idle.jobs != jobs
    }

    // MARK: Helpers

    func add(_ diagnostic: Diagnostic) {
        state.withLock { $0.diagnostics.append(diagnostic) }
    }

    func dependencies(for configuration: Configuration, folder: String) -> Dependencies {
        state.withLock { state in
            if !state.folders.contains(folder) { state.folders.append(folder) }
            state.encryption[folder] = configuration.storage.encryption ?? state.encryption[folder]
        }
        var app: Attributes = [
            "id": .string(configuration.appID), "version": .string(configuration.appVersion ?? "1.0"),
        ]
        if let build = configuration.appBuild { app["build"] = .string(build) }
        var environment = Dependencies(
            clock: clock,
            ids: EventIDGenerator(),
            storage: storage,
            folder: folder,
            segmentBytes: segmentBytes,
            transport: transport,
            sleeper: ManualSleeper(clock),
            random: SeededGenerator(seed: 1),
            facts: ContextFacts(app: app, device: device, boot: "memory"),
            log: { _ in },
            write: { [state] line in state.withLock { $0.lines.append(line) } }
        )
        environment.startTask = { [idle] body in idle.task(body) }
        environment.snapshotSources = sensors.sources
        environment.sourceThread = { [sensors] in sensors.thread(for: $0) }
        return environment
    }
}

extension InMemoryEnvironment: DependencySource {
    /// Returns the dependencies for a configuration, with its folder on this disk.
    package func dependencies(for configuration: Configuration) throws(TrackwayError) -> Dependencies {
        dependencies(for: configuration, folder: configuration.storage.folder?.path ?? Self.usualFolder)
    }
}

extension Configuration {
    /// Makes analytics with this configuration run in a test environment.
    ///
    /// The analytics can be created anywhere in the app, and do not use the real system. Their diagnostics are also in
    /// `InMemoryEnvironment.diagnostics`.
    public mutating func run(in environment: InMemoryEnvironment) {
        dependencySource = environment
        delivery.transport = environment.transport
        let handler = onDiagnostic
        onDiagnostic = { diagnostic in
            environment.add(diagnostic)
            handler?(diagnostic)
        }
    }
}
