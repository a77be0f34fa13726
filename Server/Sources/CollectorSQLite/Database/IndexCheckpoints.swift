// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import GRDBSQLite
internal import TrackwayCore

/// Decides when the write-ahead log is copied into the index's file.
///
/// Copying takes no lock that a transaction requires, so it runs concurrently with transactions. However, SQLite
/// restarts the log from its beginning only if the whole log has been copied when a transaction begins, and while an
/// index catches up, the next transaction begins immediately. Once every few transactions, the indexer therefore waits
/// until the few pages written since the last copy have been copied.
public struct CheckpointSchedule: Sendable {
    /// An action to take after a transaction.
    enum Step: Sendable, Hashable {
        case nothing
        /// Copy while the next transaction runs.
        case copy
        /// Copy before the next transaction begins.
        case copyFirst
    }

    /// The minimum number of uncopied pages that starts a copy.
    ///
    /// A page that changes repeatedly, such as the last page of each tree, is thus copied once for all its changes.
    let pages: Int
    /// The log length in pages at which the log must restart.
    let limit: Int
    /// The number of pages in the log.
    private(set) var logged = 0
    private var copied = 0
    private var isCopying = false

    /// Creates a schedule; sizes are in pages of 4 KiB.
    ///
    /// By default, a copy starts at 64 MiB of uncopied pages, and the log stays near or below 256 MiB.
    ///
    /// - Parameters:
    ///   - pages: The number of pages copied together.
    ///   - limit: The log length in pages at which the log restarts; at least `pages`.
    public init(pages: Int = 16_000, limit: Int = 64_000) {
        self.pages = pages
        self.limit = max(pages, limit)
    }

    /// Records the number of log pages after a transaction.
    mutating func transactionCommitted(_ pages: Int) {
        // Fewer pages than before mean that the log has restarted.
        if pages < logged { copied = 0 }
        logged = pages
    }

    /// Returns the action to take after a transaction.
    ///
    /// Unless the action is `.nothing`, a call to ``copyFinished(_:)`` must follow.
    ///
    /// - Parameter limit: The log length at which the log must restart, if lower than usual.
    mutating func step(limit lower: Int? = nil) -> Step {
        if logged >= min(limit, lower ?? limit) {
            isCopying = true
            return .copyFirst
        }
        guard !isCopying, logged - copied >= pages else { return .nothing }
        isCopying = true
        return .copy
    }

    /// Records the end of a copy, with the number of log pages now in the file.
    ///
    /// Nil means that copying failed; it is retried after the next transaction.
    mutating func copyFinished(_ pages: Int?) {
        isCopying = false
        // The log may have restarted during the copy.
        if let pages { copied = min(pages, logged) }
    }
}

/// Copies the write-ahead log of an index into its file, on a separate connection.
///
/// All methods can be called from any task.
final class IndexCheckpoints: Sendable {
    private let queue: DatabaseQueue
    /// The write-ahead log to copy.
    let log: WriteAheadLog

    /// Opens a connection to the database at a path.
    ///
    /// - Parameter log: The log of the writing connection.
    /// - Throws: SQLite errors.
    init(_ path: String, of log: WriteAheadLog) throws {
        self.log = log
        var configuration = Configuration()
        configuration.label = "index-checkpoints"
        configuration.prepareDatabase { db in
            // SQLite flushes the log before it copies pages into the file, and the file before the log restarts.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Copies pages if there are enough of them, and returns once the next transaction may begin.
    ///
    /// Call it after each transaction.
    ///
    /// - Parameter limit: The log length at which the log must restart, if lower than usual.
    func afterTransaction(limit: Int? = nil) async {
        switch log.plan.withLock({ $0.step(limit: limit) }) {
        case .nothing: break
        case .copy: queue.asyncWriteWithoutTransaction { [log] db in log.copy(db) }
        case .copyFirst:
            do {
                // This waits for a copy that is already in progress.
                try await queue.writeWithoutTransaction { [log] db in log.copy(db) }
            } catch {
                // The task was canceled, so no transaction follows.
                log.plan.withLock { $0.copyFinished(nil) }
            }
        }
    }

    /// Waits for a running copy and closes the connection.
    func close() {
        do {
            try queue.close()
        } catch {
            // The connection is no longer used; its remaining resources are freed with it.
        }
    }
}

/// Counts the pages in the write-ahead log, as reported by the writing connection.
final class WriteAheadLog: Sendable {
    /// The schedule that decides when the pages are copied.
    let plan: Locked<CheckpointSchedule>

    /// Creates a counter for an empty log.
    init(_ plan: CheckpointSchedule) {
        self.plan = Locked(plan)
    }

    /// Counts the log's pages after every transaction of a connection.
    ///
    /// This turns off SQLite's automatic checkpoints.
    ///
    /// - Parameter db: The connection, which must not outlive this object.
    func count(_ db: Database) {
        sqlite3_wal_hook(
            db.sqliteConnection,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                // The object is not retained: the caller of `count` keeps it alive while the connection exists.
                Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue().plan
                    .withLock { $0.transactionCommitted(Int(pages)) }
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Copies as much as possible without waiting.
    ///
    /// Pages that readers still use are not copied.
    fileprivate func copy(_ db: Database) {
        // The index was closed before this call ran.
        guard db.sqliteConnection != nil else { return }
        do {
            let pages = try db.checkpoint(.passive)
            plan.withLock { $0.copyFinished(pages.checkpointedFrameCount) }
        } catch {
            // The disk is full, or another process is copying. Nothing is lost: the log keeps the pages that were not
            // copied, and the transactions themselves report a full disk or a damaged file.
            plan.withLock { $0.copyFinished(nil) }
        }
    }
}
