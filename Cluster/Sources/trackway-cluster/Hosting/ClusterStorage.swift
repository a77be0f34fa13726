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

/// Keeps records in a JetStream stream, and answers queries from an index in the folder, from ClickHouse, or from both.
struct ClusterStorageProvider: CollectorStorageProvider {
    /// The servers that keep the records.
    var engine: EngineSettings
    /// The database that answers queries; nil for the index.
    var analysis: ClickHouseClient?
    /// Whether there is an index; if not, the database answers every query.
    var hasIndex = true

    var summary: StorageSummary {
        var lines = [(label: "Engine", value: engine.text)]
        if let analysis {
            lines.append(
                ("Analysis", "\(analysis.address)" + (hasIndex ? "" : " answers all queries; there is no index"))
            )
        }
        return StorageSummary(
            lines: lines,
            durability: "replicated",
            acknowledged: "is on the disks of a majority of the engine's servers"
        )
    }

    func open(for host: CollectorHost) async throws(CommandFailure) -> any CollectorStorage {
        try await ClusterStorage(self, host)
    }
}

/// The storage of a running collector of a cluster.
struct ClusterStorage: CollectorStorage {
    /// Intervals between checks of tables that answer some queries, and of tables that answer all.
    private static let looks = (some: Duration.seconds(10), all: Duration.seconds(1))

    let host: CollectorHost
    let engine: Engine
    /// The index; nil for none.
    let index: SQLiteEventStore?
    let indexer: Indexer?
    /// The tables; nil for none.
    let tables: ClickHouseEventStore?
    let store: any EventStore
    /// Reserves the folder for this collector.
    private let lock: any StorageLock

    var intake: any RecordIntake { engine.intake }
    var analysis: (any AnalysisStore)? { tables }

    /// Opens files. The engine's connections are not made yet.
    ///
    /// - Throws: ``CommandFailure`` when a file cannot be used, or when tables that answer every query are not what they have to be.
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
            // The first records of a stream may have been purged, and that is not known yet.
            // The tables in ClickHouse count visitors and users separately, and both stores give the same answers.
            let opened = try host.openIndex(keepsFormer: true, joinsVisitors: false)
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
            // The index's cursor is behind the last record that it has.
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

    /// Waits until the engine is proven, and checks that its stream is the one that index and tables were made of.
    func prepare() async throws(CommandFailure) {
        try await prove()
        // Only now it is known which stream the tables must have been made of.
        if index == nil, let tables { try await Self.check(tables, host.logger) }
    }

    func runWhileServing() async {
        async let reported: Void = reportPlace()
        await followErasures()
        await reported
    }

    /// Follows erasures in the stream until the task is canceled. Does nothing with an index, which reads them by itself.
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

    /// Checks tables that answer every query: erased installations must be known before anything is accepted.
    ///
    /// A server that cannot be reached is waited for. Erasures are read from the stream then, as they come; events of installations that were
    /// erased before are left out where the tables are filled.
    ///
    /// - Throws: ``CommandFailure`` with a fault that lasts until somebody repairs it.
    private static func check(_ tables: ClickHouseEventStore, _ logger: Logger) async throws(CommandFailure) {
        guard let fault = await tables.look() else { return }
        guard fault.isLasting else { return logger.warning("Nothing can be read yet: \(fault.reason)") }
        throw CommandFailure(
            .cannotCreate,
            "the tables cannot be used, so the collector does not start: \(fault.reason)"
        )
    }

    /// Checks repeatedly whether queries can be answered and how far the tables are filled.
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

    /// Positions in a log and in a stream have the same bits and different meanings, so no index may see both.
    ///
    /// - Parameter indexed: The index's cursor; nil for no index.
    private static func checkFolder(_ folder: CollectorFolder, indexed: EventPosition?) throws(CommandFailure) {
        let hasMark = try EngineMark(in: folder) != nil
        let hasLog = FileManager.default.fileExists(atPath: folder.intake)
        guard hasLog || !hasMark && indexed ?? .start > .start else { return }
        throw CommandFailure(
            .cannotCreate,
            "the folder \(folder.path) has \(hasLog ? "an intake log of its own" : "an index of an intake log")",
            remedy:
                "choose another folder with --data: the log's records stay where they are. Keys, boards and alerts may be copied from it"
        )
    }

    private static func lock(_ folder: CollectorFolder) throws(CommandFailure) -> any StorageLock {
        do {
            if let lock = try DiskStorage().lock(folder.clusterLock) { return lock }
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "the folder \(folder.path) cannot be locked: \(error)",
                remedy: "check who may write \(folder.path), or choose another folder with --data"
            )
        }
        throw CommandFailure(
            .cannotCreate,
            "another collector runs on \(folder.path)",
            remedy: "stop it first, or choose another folder with --data"
        )
    }

    private func prove() async throws(CommandFailure) {
        if let reasons = await engine.reasonsAgainst() {
            throw CommandFailure(
                .cannotCreate,
                "the engine cannot be used, so the collector does not start:\n" + reasons.joined(separator: "\n"),
                remedy: "`trackway-cluster engine check` with the same options shows each server"
            )
        }
        guard let facts = engine.facts?.stream else { return }
        let mark = EngineMark(stream: facts.name, created: facts.created)
        if let known = try EngineMark(in: host.folder) {
            guard known == mark else {
                throw CommandFailure(
                    .cannotCreate,
                    "the index in \(host.folder.path) was made of the stream \(known.stream) of \(known.created), and the engine's "
                        + "\(mark.stream) is of \(mark.created)",
                    remedy:
                        "find out what happened to the stream; to begin with the new one, choose another folder with --data"
                )
            }
        } else {
            try mark.write(to: host.folder)
        }
        if let index { try await check(index, facts) }
        if engine.intake.highest > 0 { indexer?.opened(upTo: engine.intake.end) }
    }
}
