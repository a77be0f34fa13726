// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorHTTP
internal import CollectorJetStream
internal import CollectorSQLite
internal import Foundation
internal import Logging
internal import TrackwayCommand
internal import TrackwayCore
internal import TrackwayJournal

/// Stores records in JetStream, and answers queries from the index or ClickHouse.
struct ClusterStorageProvider: CollectorStorageProvider {
    /// The NATS servers that store the records.
    var engine: EngineSettings
    /// The database that answers queries; nil to use the index.
    var clickHouse: ClickHouseClient?
    /// Whether there is an index.
    ///
    /// Without an index, the database answers every query.
    var hasIndex = true
    /// The cluster's erasure key; nil if users are not erased.
    var erasureKey: ErasureKey?

    var summary: StorageSummary {
        var lines = [(label: "NATS", value: engine.text)]
        if let clickHouse {
            lines.append(
                ("Queries", "\(clickHouse.address)" + (hasIndex ? "" : " answers every query, without an index"))
            )
        }
        return StorageSummary(
            lines: lines,
            durability: "replicated",
            acknowledged: "is on the disks of a majority of the NATS servers"
        )
    }

    func open(for host: CollectorHost) async throws(CommandFailure) -> any CollectorStorage {
        try await ClusterStorage(self, host)
    }
}

/// The storage of a running collector in a cluster.
struct ClusterStorage: CollectorStorage {
    /// The intervals between checks of tables that answer some or all queries.
    private static let checkIntervals = (some: Duration.seconds(10), all: Duration.seconds(1))

    let host: CollectorHost
    let engine: Engine
    /// The index; nil for none.
    let index: SQLiteEventStore?
    let indexer: Indexer?
    /// The tables; nil for none.
    let tables: ClickHouseEventStore?
    let store: any EventStore
    /// The cluster's erasures; nil without a key.
    let erasureStream: ErasureStream?
    /// The lock that reserves the folder for this collector.
    private let lock: any StorageLock

    var intake: any RecordIntake { engine.intake }
    var analysis: (any AnalysisStore)? { tables }
    var erasureRegister: (any ErasureRegister)? { index == nil ? erasureStream : nil }

    /// Opens the files, without connecting to NATS yet.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be used, or if tables that must answer every query are unusable.
    init(_ provider: ClusterStorageProvider, _ host: CollectorHost) async throws(CommandFailure) {
        self.host = host
        let openedEngine = Locked<Engine?>(nil)
        tables = provider.clickHouse.map { client in
            ClickHouseEventStore(
                client,
                origin: { openedEngine.withLock { $0 }?.facts?.stream.origin },
                end: { openedEngine.withLock { $0 }?.intake.highest },
                plan: provider.hasIndex ? nil : host.plan
            )
        }
        if let tables, !provider.hasIndex {
            index = nil
            store = tables
            try await Self.check(tables, host.logger)
        } else {
            // The legacy index may still be needed, because it is not known yet whether the stream's first records were
            // purged.
            let openedIndex = try host.openIndex(keepsLegacyIndex: true)
            index = openedIndex
            store = openedIndex
        }
        lock = try Self.lock(host.folder)
        try Self.checkFolder(host.folder, indexed: index?.indexed)
        let openedIndexer = Locked<Indexer?>(nil)
        let indexed = store.indexed
        engine = Engine(
            provider.engine.addresses,
            credentials: provider.engine.credentials,
            tls: provider.engine.tls,
            options: host.intake,
            // The index's cursor is one past the index's last record.
            known: indexed.streamSequence > 0 ? indexed.streamSequence - 1 : 0,
            clock: SystemClock(),
            randomUInt64: CollectorHost.randomUInt64,
            sleep: CollectorHost.sleep,
            onWarning: { [logger = host.logger] in logger.warning("\($0)") },
            onRecovery: { [logger = host.logger] in logger.notice("\($0)") },
            onCommit: { position in openedIndexer.withLock { $0 }?.markDurable(upTo: position) }
        )
        erasureStream = provider.erasureKey.map { [engine] in
            engine.erasures(key: $0, randomUInt64: CollectorHost.randomUInt64)
        }
        if index == nil, let erasureStream { tables?.refuseUsers(of: erasureStream) }
        let stream = engine.records
        indexer = index.map { store in
            Indexer(
                stream: stream,
                store: store,
                limits: host.configuration.limits,
                plan: host.plan,
                onStatus: { [logger = host.logger] in logger.warning("\($0)") }
            )
        }
        let pair = (indexer, engine)
        openedIndexer.withLock { $0 = pair.0 }
        openedEngine.withLock { $0 = pair.1 }
    }

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await indexer?.run() }
            group.addTask { await engine.run() }
            group.addTask { await watchTables() }
        }
    }

    /// Waits for proof of durability, then checks the origin of the index and the tables.
    func prepare() async throws(CommandFailure) {
        try await proveDurability()
        // Until this point, the stream that the tables must have been filled from is unknown.
        if index == nil, let tables { try await Self.check(tables, host.logger) }
        // Erased users must be known before anything is accepted.
        _ = try await engine.openErasures(erasureStream)
    }

    func runWhileServing() async {
        async let reported: Void = reportIndexPosition()
        async let read: Void? = erasureStream?.run(sleep: CollectorHost.sleep)
        await followErasures()
        _ = await (reported, read)
    }

    /// Follows erasures in the stream until the task is canceled.
    ///
    /// Does nothing if there is an index, which reads erasures itself.
    private func followErasures() async {
        guard index == nil, let tables else { return }
        await ErasureFollower(
            records: engine.records,
            streamEnd: { [engine] in engine.intake.readable },
            tableEnd: { tables.written },
            isPermanentlyMissing: { ($0 as? StreamFault)?.isGap ?? false },
            onErasure: { tables.addPendingErasure(of: $0, at: $1) },
            onWarning: { [logger = host.logger] in logger.warning("\($0)") },
            limits: host.configuration.limits,
            sleep: CollectorHost.sleep
        ).run()
    }

    func close() throws {
        lock.release()
        try index?.close()
    }

    /// Checks tables that answer every query.
    ///
    /// Erased installations must be known before anything is accepted.
    ///
    /// Does not wait for a server that cannot be reached. In that case, erasures are read from the stream as they
    /// arrive, and events of installations erased earlier are excluded when the tables are filled.
    ///
    /// - Throws: ``CommandFailure`` for a permanent fault, which must be repaired.
    private static func check(_ tables: ClickHouseEventStore, _ logger: Logger) async throws(CommandFailure) {
        guard let fault = await tables.refresh() else { return }
        guard fault.isPermanent else { return logger.warning("Queries cannot be answered yet: \(fault.reason)") }
        throw CommandFailure(
            .cannotCreate,
            "the tables cannot be used, so the collector does not start: \(fault.reason)"
        )
    }

    /// Repeatedly checks the tables' lag, and whether they can answer queries.
    private func watchTables() async {
        let answersAll = index == nil
        await tables?.watch(
            every: answersAll ? Self.checkIntervals.all : Self.checkIntervals.some,
            sleep: CollectorHost.sleep
        ) {
            [logger = host.logger] problem in
            let subject = answersAll ? "Read requests" : "Analysis queries"
            if let problem {
                logger.warning("\(subject) cannot be answered: \(problem)")
            } else {
                logger.notice("\(subject) can be answered again.")
            }
        }
    }

    /// Rejects a folder that contains a log, or an index that was built from one.
    ///
    /// Positions in a log and in a stream use the same bits with different meanings, so no index may contain both.
    ///
    /// - Parameter indexed: The index's cursor; nil for no index.
    private static func checkFolder(_ folder: CollectorFolder, indexed: EventPosition?) throws(CommandFailure) {
        let hasIndexSource = try IndexSource(in: folder) != nil
        let hasLog = FileManager.default.fileExists(atPath: folder.intake)
        guard hasLog || !hasIndexSource && indexed ?? .start > .start else { return }
        throw CommandFailure(
            .cannotCreate,
            "the folder \(folder.path) has \(hasLog ? "an intake log" : "an index of an intake log")",
            remedy: """
                choose another folder with --data. The log's records stay in this folder; keys, boards, and \
                alerts can be copied from it
                """
        )
    }

    private static func lock(_ folder: CollectorFolder) throws(CommandFailure) -> any StorageLock {
        do {
            if let lock = try DiskStorage().lock(folder.clusterLock) { return lock }
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "the folder \(folder.path) cannot be locked: \(error)",
                remedy: "check the permissions of \(folder.path), or choose another folder with --data"
            )
        }
        throw CommandFailure(
            .cannotCreate,
            "another collector is using the folder \(folder.path)",
            remedy: "stop it first, or choose another folder with --data"
        )
    }

    private func proveDurability() async throws(CommandFailure) {
        if let reasons = await engine.waitUntilDurable() {
            throw CommandFailure(
                .cannotCreate,
                "the NATS cluster cannot be used, so the collector does not start:\n" + reasons.joined(separator: "\n"),
                remedy: "`trackway-cluster cluster check` with the same options shows each server"
            )
        }
        guard let facts = engine.facts?.stream else { return }
        let source = IndexSource(stream: facts.name, created: facts.created)
        if let recorded = try IndexSource(in: host.folder) {
            guard recorded == source else {
                throw CommandFailure(
                    .cannotCreate,
                    "the index in \(host.folder.path) was built from the stream \(recorded.stream) created at "
                        + "\(recorded.created), but the stream \(source.stream) was created at \(source.created)",
                    remedy:
                        "find out what happened to the stream, or choose another folder with --data for the new one"
                )
            }
        } else {
            try source.write(to: host.folder)
        }
        if let index { try await check(index, facts) }
        if engine.intake.highest > 0 { indexer?.logOpened(upTo: engine.intake.end) }
    }
}
