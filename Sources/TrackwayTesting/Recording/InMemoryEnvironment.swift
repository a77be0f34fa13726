// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
public import Trackway
internal import TrackwayDelivery
public import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// An environment of a test's own for an app that makes its SDK itself, through a compatibility module say: memory for a disk, a clock that stands
/// still, a network that does what it is told.
///
/// ```swift
/// let environment = InMemoryEnvironment()
/// let sift = Sift(rootDirPath: nil) { $0.run(in: environment) }
/// sift.append(SiftEvent(type: "checkout"))
/// environment.clock.advance(by: .seconds(60))
/// ```
/// One environment is one process of one device; ``nextProcess()`` is the one after a kill. Whatever is made in it has a clock,
/// a network and a disk in common, and each storage folder is an installation of its own. Any thread.
public final class InMemoryEnvironment: Sendable {
    private struct State: Sendable {
        var folders: [String] = []
        /// The keys of folders that are encrypted.
        var encryption: [String: Encryption] = [:]
        var heard: [Diagnostic] = []
        var lines: [String] = []
    }

    /// The time.
    public let clock: ManualClock
    /// The network.
    public let transport: ScriptedTransport
    /// The disk, with faults to order.
    public let storage: FaultyStorage
    /// What the device knows of itself. The SDK asks for it if the configuration has snapshots taken.
    public let sensors: SimulatedSensors
    /// What every event's context says about the device; `id` is the device's name for the app.
    public let device: Attributes
    private let segmentBytes: Int
    private let state = Locked(State())
    /// Runs the tasks of the analytics.
    package let idle = IdleDetector()

    /// The folder of a configuration that names none.
    public static let usualFolder = "/app"

    /// Makes an environment.
    ///
    /// - Parameters:
    ///   - storage: a disk of an earlier run, to go on with what it holds; a fresh one when nil.
    ///   - clock: a clock to share; a fresh one when none is given.
    ///   - transport: a network to share; one that accepts everything when none is given.
    ///   - sensors: what the device knows of itself: nothing, unless it is told.
    ///   - device: what every event's context says about the device.
    ///   - segmentBytes: how much of the disk a segment takes at a time, at least 4,096.
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

    /// The next process on the same device, if this one is killed now: another environment, with the disk as that one finds it
    /// and the same clock, network and sensors. What still runs in this environment reaches that disk no more.
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

    // MARK: Seeing what happened

    /// Every diagnostic so far.
    public var diagnostics: [Diagnostic] { state.withLock { $0.heard } }

    /// Every event written to the log so far, as JSON.
    public var log: [String] { state.withLock { $0.lines } }

    /// Every event recorded in this environment and before it on its disk, folder by folder, in the order of recording within each
    /// writer: those that wait, and those that were delivered or dropped since. Empty when the disk cannot be read.
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
        // A disk told to fail, or damaged on purpose, has nothing to show; the test sees that.
        return (try? RecordedEvents.read(in: folder, of: disk)) ?? []
    }

    func storageAfterKill() -> FaultyStorage {
        FaultyStorage((storage.base as? MemoryStorage)?.afterKill() ?? storage.base)
    }

    func storageAfterPowerLoss(_ loss: PowerLoss) -> FaultyStorage {
        FaultyStorage((storage.base as? MemoryStorage)?.afterPowerLoss(loss) ?? storage.base)
    }

    // MARK: Passing time

    /// Flushes. Whenever everything waits for the time, moves the clock to the next time that something waits for.
    package func flush(_ analytics: Analytics, timeout: Duration = .seconds(5)) async -> FlushReport {
        let report = Locked<FlushReport?>(nil)
        _ = idle.task { () -> Void in
            let achieved = await analytics.flush(timeout: timeout)
            report.withLock { $0 = achieved }
        }
        while true {
            await untilIdle(analytics)
            if let report = report.withLock({ $0 }) { return report }
            clock.advanceToNextSleeper()
        }
    }

    /// Returns when the analytics wait for the time, for an answer or for the app.
    package func untilIdle(_ analytics: Analytics) async {
        var jobs: UInt64
        repeat {
            jobs = idle.jobs
            await idle.untilIdle()
            // After the work that those tasks put on the queue. A task that waited for it has a new job now.
            await analytics.storage.queue.run {}
        } while idle.jobs != jobs
    }

    // MARK: Parts

    func hear(_ diagnostic: Diagnostic) {
        state.withLock { $0.heard.append(diagnostic) }
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
    /// The environment, with the configuration's folder as a name on its disk.
    package func dependencies(for configuration: Configuration) throws(TrackwayError) -> Dependencies {
        dependencies(for: configuration, folder: configuration.storage.folder?.path ?? Self.usualFolder)
    }
}

extension Configuration {
    /// Has analytics of this configuration work in a test's own environment, whoever makes them: nothing of the real system is
    /// touched, and what they have to tell is in `InMemoryEnvironment.diagnostics` too.
    public mutating func run(in environment: InMemoryEnvironment) {
        dependencySource = environment
        delivery.transport = environment.transport
        let handler = onDiagnostic
        onDiagnostic = { diagnostic in
            environment.hear(diagnostic)
            handler?(diagnostic)
        }
    }
}
