// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

/// A folder with an intake log and an index of it.
///
/// Both are deleted at the end.
final class IndexEnvironment {
    let folder: String
    let log: SegmentedLog
    private(set) var store: SQLiteEventStore
    private(set) var indexer: Indexer
    private let checkpoints: CheckpointSchedule
    /// The key for erasures.
    static let erasureKey = ErasureKey(randomUInt64: { 0x5eed })
    private(set) var erasures: ErasureQueue

    init(
        segmentBytes: Int = 1 << 20,
        eventsPerStep: Int = Indexer.defaultEventsPerStep,
        plan: PlanChecker? = nil,
        checkpoints: CheckpointSchedule = CheckpointSchedule()
    ) throws {
        self.checkpoints = checkpoints
        folder = FileManager.default.temporaryDirectory.path + "/trackway-store-" + UUID().uuidString
        log = try SegmentedLog(folder: folder + "/intake", options: LogOptions(segmentBytes: segmentBytes))
        erasures = try ErasureQueue(ErasureFiles(folder: folder + "/erasures"), key: Self.erasureKey)
        store = try SQLiteEventStore(
            path: folder + "/index.sqlite",
            timeout: .zero,
            checkpoints: checkpoints,
            erasures: erasures
        )
        indexer = Indexer(folder: folder + "/intake", store: store, plan: plan, eventsPerStep: eventsPerStep)
        setEraser()
    }

    private func setEraser() {
        let eraser = LogEraser(
            folder: folder + "/intake",
            queue: erasures,
            limits: AdmissionLimits(),
            clock: SystemClock(),
            completeSegment: { [log] in try log.completeSegment() },
            commit: { [log] kind, record in
                _ = try record.withUnsafeBytes { try log.append(kind: kind, payload: $0) }
            }
        )
        indexer.setEraser(eraser)
    }

    /// Requests the erasure of a user, indexes the request, and completes the erasure.
    ///
    /// - Returns: The receipt.
    @discardableResult
    func erase(user: String, received: Int64 = 1_800_000_000_000) async throws -> ErasureReceipt? {
        try requestErasure(of: user, received: received)
        try await index()
        try await indexer.completeErasures()
        return try erasures.receipts().first
    }

    /// Appends a request to erase a user.
    func requestErasure(of user: String, received: Int64 = 1_800_000_000_000) throws {
        let record = UserErasureRecord(
            received: Timestamp(milliseconds: received),
            key: "officer",
            identity: Self.erasureKey.hash(user: user),
            user: user
        )
        try append(record.bytes, kind: .userErasure)
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

    /// Makes everything appended durable and indexes it.
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
        erasures = try ErasureQueue(ErasureFiles(folder: folder + "/erasures"), key: Self.erasureKey)
        store = try SQLiteEventStore(path: path, timeout: .zero, checkpoints: checkpoints, erasures: erasures)
        indexer = Indexer(
            folder: folder + "/intake",
            store: store,
            plan: plan,
            eventsPerStep: eventsPerStep,
            onStatus: onStatus
        )
        setEraser()
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
                let order = try db.columns(in: table).count > 1 ? "1, 2" : "1"
                return try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY \(order)").map { "\(table) \($0)" }
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
