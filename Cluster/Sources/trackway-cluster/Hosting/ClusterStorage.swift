// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import CollectorHTTP
internal import CollectorJetStream
internal import CollectorStore
internal import Foundation
internal import Logging
internal import TrackwayCommand
internal import TrackwayEvents
internal import TrackwayJournal

/// Stores records in JetStream, and answers queries from the index or ClickHouse.
struct ClusterStorageProvider: CollectorStorageProvider {
    /// The NATS servers that store the records.
    var engine: EngineSettings
    /// The database that answers queries; nil to use the index.
    var analysis: ClickHouseClient?
    /// Whether there is an index. Without one, the database answers every query.
    var hasIndex = true

    var summary: StorageSummary {
        var lines = [(label: "Engine", value: engine.text)]
        if let analysis {
            lines.append(
                ("Analysis", "\(analysis.address)" + (hasIndex ? "" : " answers all queries, without an index"))
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
    /// The check intervals for tables that answer some or all queries.
    private static let looks = (some: Duration.seconds(10), all: Duration.seconds(1))

    let host: CollectorHost
    let engine: Engine
    /// The index; nil for none.
    let index: SQLiteEventStore?
    let indexer: Indexer?
    /// The tables; nil for none.
    let tables: ClickHouseEventStore?
    let store: any EventStore
    /// Locks the folder for this collector.
    private let lock: any StorageLock

    var intake: any RecordIntake { engine.intake }
    var analysis: (any AnalysisStore)? { tables }

    /// Opens the files, without connecting to NATS yet.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be used, or if tables that answer every query are not usable.
    init(_ provider: ClusterStorageProvider, _ host: CollectorHost) async throws(CommandFailure) {
        self.host = host
        let proven = Locked<Engine?>(nil)
        tables = provider.analysis.map { client in
            ClickHouseEventStore(
                client,
                origin: { proven.withLock { $0 }?.facts?.stream.origin },
                end: { proven.withLock { $0 }?.intake.highest },
                plan: provider.hasIndex ? nil : host.plan
            )
        }
        if let tables, !provider.hasIndex {
            index = nil
            store = tables
            try await Self.check(tables, host.logger)
        } else {
            // The index may be needed: whether the stream's first records were purged is not known yet. The tables in
            // ClickHouse count visitors and users separately, and both stores must give the same answers.
            let opened = try host.openIndex(keepsLegacyIndex: true, joinsVisitors: false)
            index = opened
            store = opened
        }
        lock = try Self.lock(host.folder)
        try Self.checkFolder(host.folder, indexed: index?.indexed)
        let indexing = Locked<Indexer?>(nil)
        let indexed = store.indexed
        engine = Engine(
            provider.engine.addresses,
            credentials: provider.engine.credentials,
            tls: provider.engine.tls,
            options: host.intake,
            // The index's cursor is after the last record it has.
            known: indexed.streamSequence > 0 ? indexed.streamSequence - 1 : 0,
            clock: SystemClock(),
            chance: CollectorHost.chance,
            sleep: CollectorHost.sleep,
            notice: { [logger = host.logger] in logger.warning("\($0)") },
            relief: { [logger = host.logger] in logger.notice("\($0)") },
            committed: { position in indexing.withLock { $0 }?.durable(upTo: position) }
        )
        let stream = engine.records
        indexer = index.map { store in
            Indexer(
                stream: stream,
                store: store,
                limits: host.configuration.limits,
                plan: host.plan,
                notice: { [logger = host.logger] in logger.warning("\($0)") }
            )
        }
        let made = (indexer, engine)
        indexing.withLock { $0 = made.0 }
        proven.withLock { $0 = made.1 }
    }

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await indexer?.run() }
            group.addTask { await engine.run() }
            group.addTask { await watchTables() }
        }
    }

    /// Waits for proof of durability, then checks the origin of index and tables.
    func prepare() async throws(CommandFailure) {
        try await prove()
        // Only now is it known which stream the tables must have been filled from.
        if index == nil, let tables { try await Self.check(tables, host.logger) }
    }

    func runWhileServing() async {
        async let reported: Void = reportPlace()
        await followErasures()
        await reported
    }

    /// Follows erasures in the stream until the task is canceled.
    ///
    /// Does nothing with an index, which reads them itself.
    private func followErasures() async {
        guard index == nil, let tables else { return }
        await StreamedErasures(
            records: engine.records,
            highest: { [engine] in engine.intake.readable },
            tables: { tables.written },
            isGone: { ($0 as? StreamFault)?.isGap ?? false },
            found: { tables.ordered($0, at: $1) },
            notice: { [logger = host.logger] in logger.warning("\($0)") },
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
    /// Does not wait for a server that cannot be reached: erasures are then read from the stream as they arrive, and
    /// events of installations erased earlier are left out when the tables are filled.
    ///
    /// - Throws: ``CommandFailure`` for a fault that lasts until it is repaired.
    private static func check(_ tables: ClickHouseEventStore, _ logger: Logger) async throws(CommandFailure) {
        guard let fault = await tables.look() else { return }
        guard fault.isLasting else { return logger.warning("Nothing can be read yet: \(fault.reason)") }
        throw CommandFailure(
            .cannotCreate,
            "the tables cannot be used, so the collector does not start: \(fault.reason)"
        )
    }

    /// Repeatedly checks the tables' lag, and whether they can answer queries.
    private func watchTables() async {
        let isAll = index == nil
        await tables?.watch(every: isAll ? Self.looks.all : Self.looks.some, sleep: CollectorHost.sleep) {
            [logger = host.logger] trouble in
            let what = isAll ? "Readers" : "Queries"
            if let trouble {
                logger.warning("\(what) cannot be answered: \(trouble)")
            } else {
                logger.notice("\(what) can be answered again.")
            }
        }
    }

    /// Rejects a folder with a log, or with an index of one.
    ///
    /// Positions in a log and in a stream have the same bits and different meanings, so no index may see both.
    ///
    /// - Parameter indexed: The index's cursor; nil for no index.
    private static func checkFolder(_ folder: CollectorFolder, indexed: EventPosition?) throws(CommandFailure) {
        let hasMark = try EngineMark(in: folder) != nil
        let hasLog = FileManager.default.fileExists(atPath: folder.intake)
        guard hasLog || !hasMark && indexed ?? .start > .start else { return }
        throw CommandFailure(
            .cannotCreate,
            "the folder \(folder.path) has \(hasLog ? "an intake log" : "an index of an intake log")",
            remedy: """
                choose another folder with --data. The log's records stay there; keys, boards, and alerts may be \
                copied from it
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
            "another collector runs on \(folder.path)",
            remedy: "stop it first, or choose another folder with --data"
        )
    }

    private func prove() async throws(CommandFailure) {
        if let reasons = await engine.waitUntilDurable() {
            throw CommandFailure(
                .cannotCreate,
                "the NATS cluster cannot be used, so the collector does not start:\n" + reasons.joined(separator: "\n"),
                remedy: "`trackway-cluster engine check` with the same options shows each server"
            )
        }
        guard let facts = engine.facts?.stream else { return }
        let mark = EngineMark(stream: facts.name, created: facts.created)
        if let known = try EngineMark(in: host.folder) {
            guard known == mark else {
                throw CommandFailure(
                    .cannotCreate,
                    "the index in \(host.folder.path) was built from the stream \(known.stream) of \(known.created), "
                        + "but the stream \(mark.stream) is of \(mark.created)",
                    remedy:
                        "find out what happened to the stream, or choose another folder with --data for the new one"
                )
            }
        } else {
            try mark.write(to: host.folder)
        }
        if let index { try await check(index, facts) }
        if engine.intake.highest > 0 { indexer?.opened(upTo: engine.intake.end) }
    }
}
