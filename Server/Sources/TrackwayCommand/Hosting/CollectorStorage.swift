// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore
internal import CollectorHTTP
public import CollectorSQLite
internal import Foundation
internal import Logging
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

/// The storage of a running collector.
public protocol CollectorStorage: Sendable {
    /// The intake, which receives records.
    var intake: any RecordIntake { get }
    /// The store that answers queries.
    var store: any EventStore { get }
    /// The store that answers analytics queries instead of ``store``, if any.
    var analysis: (any AnalysisStore)? { get }
    /// The erasures of this machine; nil in a cluster.
    var erasures: ErasureQueue? { get }
    /// The erasures of the collector or its cluster; nil if users cannot be erased.
    var erasureRegister: (any ErasureRegister)? { get }

    /// Indexes records and maintains connections until the task is canceled.
    func run() async

    /// Waits until the collector may accept requests.
    ///
    /// Called once, while ``run()`` runs.
    ///
    /// - Throws: ``CommandFailure`` with the cause and a suggestion.
    func prepare() async throws(CommandFailure)

    /// Runs while the collector accepts requests, until the task is canceled.
    func runWhileServing() async

    /// Closes files and releases locks.
    ///
    /// Called once, after everything else has ended.
    ///
    /// - Throws: The error of the file that could not be closed.
    func close() throws
}

extension CollectorStorage {
    public var erasures: ErasureQueue? { nil }
    /// The default for storage whose erasures are those of this machine.
    public var erasureRegister: (any ErasureRegister)? { erasures }
}

/// A provider that opens the storage of a collector.
public protocol CollectorStorageProvider: Sendable {
    /// The description that `trackway serve` prints when it is ready.
    var summary: StorageSummary { get }

    /// Opens the storage in the folder of `host`.
    ///
    /// Connections to other machines are made later, by ``CollectorStorage/run()``.
    ///
    /// - Throws: ``CommandFailure`` when a file or folder cannot be used.
    func open(for host: CollectorHost) async throws(CommandFailure) -> any CollectorStorage
}

/// A description of a collector's storage.
public struct StorageSummary: Sendable {
    /// Lines of the start-up message: a label and a value.
    public var lines: [(label: String, value: String)]
    /// The durability of acknowledged events in JSON output: `disk` or `replicated`.
    public var durability: String
    /// The state of acknowledged events after shutdown, such as `is on disk`.
    public var acknowledged: String

    /// Creates a description.
    public init(lines: [(label: String, value: String)] = [], durability: String, acknowledged: String) {
        self.lines = lines
        self.durability = durability
        self.acknowledged = acknowledged
    }
}

/// A provider of storage in the collector's folder.
///
/// The storage is an intake log and an index.
public struct LocalStorageProvider: CollectorStorageProvider {
    /// Creates a provider.
    public init() {}

    public var summary: StorageSummary {
        StorageSummary(durability: "disk", acknowledged: "is on disk")
    }

    public func open(for host: CollectorHost) async throws(CommandFailure) -> any CollectorStorage {
        try LocalStorage(host)
    }
}

/// An intake log and its index, both in the collector's folder.
private struct LocalStorage: CollectorStorage {
    let intake: any RecordIntake
    var store: any EventStore { index }
    var analysis: (any AnalysisStore)? { nil }
    let erasures: ErasureQueue?
    private let index: SQLiteEventStore
    private let indexer: Indexer

    init(_ host: CollectorHost) throws(CommandFailure) {
        if FileManager.default.fileExists(atPath: host.folder.indexSource) {
            throw CommandFailure(
                .cannotCreate,
                "the folder \(host.folder.path) belongs to a collector of a cluster (it contains stream.json)",
                remedy: "start it with `trackway-cluster serve --nats`, or choose another folder with --data"
            )
        }
        let erasures = try host.openErasures()
        self.erasures = erasures
        index = try host.openIndex(erasures: erasures)
        let indexer = Indexer(
            folder: host.folder.intake,
            store: index,
            limits: host.configuration.limits,
            plan: host.plan,
            onStatus: { [logger = host.logger] in logger.warning("\($0)") }
        )
        self.indexer = indexer
        let intake = try host.openIntake(
            needed: { [index, segmentBytes = host.intake.segmentBytes] in
                index.bytesNeeded(upTo: $0, segmentBytes: segmentBytes)
            },
            committed: { indexer.markDurable(upTo: $0) }
        )
        self.intake = intake
        indexer.setEraser(
            LogEraser(
                folder: host.folder.intake,
                queue: erasures,
                limits: host.configuration.limits,
                clock: SystemClock(),
                completeSegment: { try intake.completeSegment() },
                commit: { _ = try await intake.commit(kind: $0, record: $1) }
            )
        )
        indexer.setRetention(
            LogRetention(
                folder: host.folder.intake,
                policy: host.limits,
                clock: SystemClock(),
                completeSegment: {
                    let end = try intake.completeSegment(createsNext: true)
                    indexer.markDurable(upTo: end)
                    return end
                },
                removeSegments: { try intake.removeSegments(before: $0) },
                onStatus: { [logger = host.logger] in logger.warning("\($0)") }
            )
        )
    }

    func run() async { await indexer.run() }

    func prepare() async throws(CommandFailure) {}

    func runWhileServing() async {}

    func close() throws { try index.close() }
}

extension CollectorHost {
    /// Opens the index in the collector's folder.
    ///
    /// - Parameters:
    ///   - keepsLegacyIndex: Whether to keep the index of an earlier version next to the new one, for a source that may
    ///     have lost its first records.
    ///   - erasures: The erasures; nil if the source of the index cannot be rewritten.
    /// - Throws: ``CommandFailure`` when the file cannot be opened.
    public func openIndex(
        keepsLegacyIndex: Bool = false,
        erasures: ErasureQueue? = nil
    ) throws(CommandFailure) -> SQLiteEventStore {
        do {
            let store = try SQLiteEventStore(
                path: folder.index,
                keepsLegacyIndex: keepsLegacyIndex,
                erasures: erasures
            )
            if let quarantinedPath = store.quarantinedPath {
                logger.warning("\(store.failureReason ?? "") The damaged file was moved to \(quarantinedPath).")
            }
            return store
        } catch {
            throw CommandFailure(
                .cannotCreate,
                error.message,
                remedy:
                    "check the permissions of \(folder.path); if deleted, the index is rebuilt from the intake log"
            )
        }
    }

    /// Opens the erasures and their key.
    fileprivate func openErasures() throws(CommandFailure) -> ErasureQueue {
        do {
            let files = try ErasureFiles(folder: folder.erasures)
            guard try FileManager.default.fileExists(atPath: folder.erasureKey) || files.isEmpty else {
                throw ErasureError(
                    "\(folder.erasureKey) is missing, and with it erased users are not recognized. Restore the file "
                        + "from a backup, or delete \(folder.erasures) to start without the earlier erasures."
                )
            }
            let key = try ErasureKey.open(folder.erasureKey, randomUInt64: Self.randomUInt64)
            return try ErasureQueue(files, key: key)
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "cannot open the erasures: \(error)",
                remedy: "check the permissions of \(folder.path), and restore unreadable files from a backup"
            )
        }
    }

    /// Opens the intake log.
    fileprivate func openIntake(
        needed: @escaping @Sendable (LogPosition) -> Int,
        committed: @escaping @Sendable (LogPosition) -> Void
    ) throws(CommandFailure) -> Intake {
        do {
            return try Intake(
                folder: folder.intake,
                options: intake,
                durability: configuration.isEphemeral ? .memory : .disk,
                clock: SystemClock(),
                bytesNeeded: needed,
                onCommit: committed
            )
        } catch let error as JournalError where error.code == .locked {
            throw CommandFailure(
                .cannotCreate,
                "another collector is using \(folder.path)",
                remedy: "stop it first, or pass another folder with --data"
            )
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "cannot open the intake log: \(error)",
                remedy: "check the permissions of \(folder.path), or pass another folder with --data"
            )
        }
    }
}
