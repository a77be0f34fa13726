// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorSQLite
internal import Foundation
internal import GRDB
internal import TrackwayCore
internal import TrackwayJournal

/// A folder with an intake log and an index of it.
///
/// Both are deleted at the end.
final class IndexEnvironment {
    let folder: String
    let log: SegmentedLog
    private(set) var store: SQLiteEventStore
    private(set) var indexer: Indexer
    private let checkpoints: CheckpointSchedule

    init(
        segmentBytes: Int = 1 << 20,
        eventsPerStep: Int = Indexer.defaultEventsPerStep,
        plan: PlanChecker? = nil,
        checkpoints: CheckpointSchedule = CheckpointSchedule()
    ) throws {
        self.checkpoints = checkpoints
        folder = FileManager.default.temporaryDirectory.path + "/trackway-store-" + UUID().uuidString
        log = try SegmentedLog(folder: folder + "/intake", options: LogOptions(segmentBytes: segmentBytes))
        store = try SQLiteEventStore(path: folder + "/index.sqlite", timeout: .zero, checkpoints: checkpoints)
        indexer = Indexer(folder: folder + "/intake", store: store, plan: plan, eventsPerStep: eventsPerStep)
    }

    deinit {
        log.close()
        do {
            try store.close()
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            // The system cleans the temporary folder.
        }
    }

    var path: String { folder + "/index.sqlite" }

    /// Appends a batch.
    ///
    /// It is not durable yet.
    @discardableResult
    func append(_ batch: Batch, kind: FrameKind = .intake) throws -> LogPosition {
        try append(batch.record, kind: kind)
    }

    @discardableResult
    func append(_ payload: [UInt8], kind: FrameKind = .intake) throws -> LogPosition {
        try payload.withUnsafeBytes { try log.append(kind: kind, payload: $0) }
    }

    /// Makes everything appended durable, and indexes it.
    func index() async throws {
        indexer.markDurable(upTo: log.end)
        try await indexer.catchUp()
    }

    /// Simulates a new process.
    ///
    /// Opens another store and indexer on the same files.
    func restart(
        eventsPerStep: Int = Indexer.defaultEventsPerStep,
        plan: PlanChecker? = nil,
        onStatus: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        try store.close()
        store = try SQLiteEventStore(path: path, timeout: .zero, checkpoints: checkpoints)
        indexer = Indexer(
            folder: folder + "/intake",
            store: store,
            plan: plan,
            eventsPerStep: eventsPerStep,
            onStatus: onStatus
        )
    }

    /// Returns every row of every table as text.
    ///
    /// Two indexes with the same dump are equal.
    func dump() throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer {
            do {
                try queue.close()
            } catch {
                // Opened only for reading; nothing is lost.
            }
        }
        return try queue.read { db in
            let tables = try String.fetchAll(
                db,
                sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'grdb%' ORDER BY name"
            )
            return try tables.flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1, 2").map { "\(table) \($0)" }
            }
        }
    }

    func all() async throws -> [StoredEvent] {
        try await store.events(matching: EventQuery(order: .oldestFirst, limit: 100_000))
    }

    func row(_ writer: UInt64 = 1) async throws -> LedgerRow? {
        try await store.ledger(installation: nil).first { $0.writer == .numbered(writer) }
    }
}

extension SQLiteEventStore {
    /// Returns every account, or those of one installation.
    func ledger(installation: InstallationID?) async throws -> [LedgerRow] {
        try await ledger(matching: LedgerQuery(installation: installation))
    }

    /// Returns counts per minute, distinguishing forty names.
    func minutes(since moment: Timestamp) async throws -> [MinuteCount] {
        try await minutes(since: moment, names: 40)
    }
}
