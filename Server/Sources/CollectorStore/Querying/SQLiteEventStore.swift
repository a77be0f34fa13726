// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import GRDB
package import TrackwayEvents
package import TrackwayJournal

/// The index in one SQLite file: what pages and queries read, and what the ``Indexer`` writes.
///
/// Reads see the last complete transaction and never wait for the indexer, nor it for them. Callable from any task.
package final class SQLiteEventStore: EventStore {
    /// The file's path.
    package let path: String
    /// Where a damaged index was put when this one was opened; nil when it was in order.
    package let putAside: String?

    let database: IndexDatabase
    let signal: ProgressSignal
    private let state: Locked<State>

    private struct State: Sendable {
        var progress: IndexProgress
        var erased: Set<InstallationID>
        var trouble: String?
        var isClosed = false
    }

    /// Opens the index at `path`, making it when missing; its folder must exist.
    ///
    /// A damaged file is renamed (`.damaged`) and a new, empty one begun: the indexer fills it again from the log.
    ///
    /// - Parameters:
    ///   - path: the file; SQLite puts two more beside it.
    ///   - storage: how a damaged file is put aside.
    ///   - patience: how long a write waits for another process that holds the file.
    /// - Throws: ``StoreError`` when the file cannot be used, or was made by a newer version.
    package init(
        path: String,
        storage: any JournalStorage = DiskStorage(),
        patience: Duration = .seconds(2)
    ) throws(StoreError) {
        self.path = path
        database = try IndexDatabase(path: path, storage: storage, patience: patience)
        putAside = database.putAside
        let progress: IndexProgress
        let erased: Set<InstallationID>
        do {
            (progress, erased) = try database.pool.read { (try IndexProgress($0), try ErasureRows.installations($0)) }
        } catch {
            throw StoreError("The index \(path) cannot be read: \(error).")
        }
        state = Locked(State(progress: progress, erased: erased))
        signal = ProgressSignal(at: progress.position)
    }

    package var indexed: EventPosition { signal.position }

    package func progress() -> AsyncStream<EventPosition> {
        signal.listen()
    }

    package func events(matching query: EventQuery) async throws(StoreError) -> [StoredEvent] {
        try await read { try EventRows.matching(query, $0) }
    }

    package func event(_ id: EventID) async throws(StoreError) -> StoredEvent? {
        try await read { try EventRows.withID(id, $0) }
    }

    package func count(matching query: EventQuery) async throws(StoreError) -> Int {
        var everything = EventQuery()
        everything.after = query.after
        everything.order = query.order
        everything.limit = query.limit
        if query == everything { return Int(progressNow.events) }
        return try await read { try EventRows.count(query, $0) }
    }

    package func ledger(installation: InstallationID?) async throws(StoreError) -> [LedgerRow] {
        try await read { try LedgerRows.all(of: installation, $0) }
    }

    package func erasures(
        installation: InstallationID?,
        limit: Int
    ) async throws(StoreError) -> [StoredErasure] {
        try await read { try ErasureRows.latest(of: installation, limit: limit, $0) }
    }

    package func isErased(_ installation: InstallationID) -> Bool {
        state.withLock { $0.erased.contains(installation) }
    }

    package func failed(before position: EventPosition?, limit: Int) async throws(StoreError) -> [FailedEvent] {
        try await read { try FailedRows.before(position, limit: limit, $0) }
    }

    package func minutes(since moment: Timestamp) async throws(StoreError) -> [MinuteCount] {
        try await read { try MinuteRows.since(moment, $0) }
    }

    package func sessions(matching query: SessionQuery) async throws(StoreError) -> [StoredSession] {
        try await read { try SessionRows.matching(query, $0) }
    }

    package func screens(matching query: ScreenQuery) async throws(StoreError) -> ScreenFlow {
        try await read { try ScreenRows.flow(query, $0) }
    }

    package func users(matching query: UserQuery) async throws(StoreError) -> [StoredUser] {
        try await read { try UserRows.matching(query, $0) }
    }

    package func devices(matching query: DeviceQuery) async throws(StoreError) -> [StoredDevice] {
        try await read { try DeviceRows.matching(query, $0) }
    }

    package func device(_ installation: InstallationID, limit: Int) async throws(StoreError) -> DeviceHistory? {
        try await read { try DeviceRows.history(of: installation, limit: limit, $0) }
    }

    package func totals() async throws(StoreError) -> StoreTotals {
        let installations = try await read { db in
            try Int64.fetchOne(db, sql: "SELECT count(*) FROM installations WHERE erased = 0") ?? 0
        }
        let (progress, erased, trouble) = state.withLock { ($0.progress, $0.erased.count, $0.trouble) }
        return StoreTotals(
            events: UInt64(clamping: progress.events),
            installations: UInt64(clamping: installations),
            failed: UInt64(clamping: progress.failed),
            duplicates: UInt64(clamping: progress.duplicates),
            damaged: UInt64(clamping: progress.damaged),
            erasedInstallations: UInt64(erased),
            erasedEvents: UInt64(clamping: progress.erased),
            trouble: trouble
        )
    }

    /// Ends the progress streams and closes the file. Queries in flight are finished first; a second close does nothing.
    package func close() throws(StoreError) {
        signal.finish()
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        do {
            try database.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        } catch {
            // The log beside the file stays and is read at the next opening.
        }
        do {
            try database.pool.close()
        } catch {
            throw StoreError("The index \(path) cannot be closed: \(error).")
        }
    }

    // MARK: For the indexer

    /// The progress of the last complete transaction.
    var progressNow: IndexProgress { state.withLock { $0.progress } }

    /// A transaction is complete: tells everybody who waits.
    func committed(_ progress: IndexProgress, erased: Set<InstallationID>) {
        state.withLock { state in
            state.progress = progress
            state.erased.formUnion(erased)
            state.trouble = nil
        }
        signal.advance(to: progress.position)
    }

    /// The index follows again, with nothing new to show.
    func recovered() {
        state.withLock { $0.trouble = nil }
    }

    /// The index does not follow at the moment.
    func stumbled(_ trouble: String) {
        state.withLock { $0.trouble = trouble }
    }

    private func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(StoreError) -> Result {
        do {
            return try await database.pool.read(body)
        } catch {
            throw StoreError("The index \(path) cannot answer: \(error).")
        }
    }
}
