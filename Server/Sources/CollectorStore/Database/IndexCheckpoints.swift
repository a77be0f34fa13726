// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import GRDBSQLite
internal import TrackwayEvents

/// When what stands in the write-ahead log is copied into the index's file.
///
/// Copying needs no lock that a transaction needs, so it is done beside them. But the log begins again from its front only when a
/// transaction begins with all of it copied, and the next one begins at once while an index catches up: then the indexer waits, once for
/// several transactions, for the little that was written since.
public struct CheckpointPlan: Sendable {
    /// What is to be done after a transaction.
    enum Step: Sendable, Hashable {
        case nothing
        /// Copy, while the next transaction runs.
        case copy
        /// Copy before the next transaction begins.
        case copyFirst
    }

    /// So many pages are copied together: pages that are written again and again, the last ones of each tree, are copied once for all of
    /// them.
    let pages: Int
    /// With so many pages in it the log has to begin again.
    let limit: Int
    /// So many pages stand in the log.
    private(set) var logged = 0
    private var copied = 0
    private var isCopying = false

    /// A plan in pages of 4 KiB: 64 MiB are copied together, and the log is not much longer than 256 MiB.
    ///
    /// - Parameters:
    ///   - pages: How many pages are copied together.
    ///   - limit: With so many pages in the log it begins again; not fewer than `pages`.
    public init(pages: Int = 16_000, limit: Int = 64_000) {
        self.pages = pages
        self.limit = max(pages, limit)
    }

    /// A transaction left so many pages in the log.
    mutating func committed(_ pages: Int) {
        // Fewer than before: it has begun again.
        if pages < logged { copied = 0 }
        logged = pages
    }

    /// What is to be done now. ``finished(_:)`` must follow what is not nothing.
    ///
    /// - Parameter limit: With so many pages in it the log has to begin again, if that are fewer than usual.
    mutating func step(limit lower: Int? = nil) -> Step {
        if logged >= min(limit, lower ?? limit) {
            isCopying = true
            return .copyFirst
        }
        guard !isCopying, logged - copied >= pages else { return .nothing }
        isCopying = true
        return .copy
    }

    /// Copying has ended, and so many pages of the log stand in the file; nil when it failed: it is tried again with the next transaction.
    mutating func finished(_ pages: Int?) {
        isCopying = false
        // The log may have begun again meanwhile.
        if let pages { copied = min(pages, logged) }
    }
}

/// Copies the write-ahead log of an index into its file, on a connection of its own.
///
/// Callable from any task.
final class IndexCheckpoints: Sendable {
    private let queue: DatabaseQueue
    /// The log that is copied.
    let log: WriteAheadLog

    /// Opens the connection.
    ///
    /// - Parameter log: That of the connection that writes.
    /// - Throws: What SQLite throws.
    init(_ path: String, of log: WriteAheadLog) throws {
        self.log = log
        var configuration = Configuration()
        configuration.label = "index-checkpoints"
        configuration.prepareDatabase { db in
            // The log is flushed before pages of it are written into the file, and the file before the log begins again.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// To be called after each transaction: has pages copied when there are enough, and returns once the next one may begin.
    ///
    /// - Parameter limit: With so many pages in it the log has to begin again, if that are fewer than usual.
    func afterTransaction(limit: Int? = nil) async {
        switch log.plan.withLock({ $0.step(limit: limit) }) {
        case .nothing: break
        case .copy: queue.asyncWriteWithoutTransaction { [log] db in log.copy(db) }
        case .copyFirst:
            do {
                // What runs already is finished first.
                try await queue.writeWithoutTransaction { [log] db in log.copy(db) }
            } catch {
                // Cancelled: there is no next transaction.
                log.plan.withLock { $0.finished(nil) }
            }
        }
    }

    /// Finishes what runs, and closes the connection.
    func close() {
        do {
            try queue.close()
        } catch {
            // Nothing is read or written by it any more; what it still holds is freed with it.
        }
    }
}

/// How many pages stand in the write-ahead log, as the connection that writes counts them.
final class WriteAheadLog: Sendable {
    /// What is done about them.
    let plan: Locked<CheckpointPlan>

    /// A log that is empty.
    init(_ plan: CheckpointPlan) {
        self.plan = Locked(plan)
    }

    /// Has every transaction of a connection counted; SQLite does not copy by itself then.
    ///
    /// - Parameter db: The connection, which must not live longer than this object.
    func count(_ db: Database) {
        sqlite3_wal_hook(
            db.sqliteConnection,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                // Not retained: whoever calls `count` keeps the object for as long as the connection.
                Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue().plan
                    .withLock { $0.committed(Int(pages)) }
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Copies as much as can be copied without waiting for anybody: what readers still look at stays.
    fileprivate func copy(_ db: Database) {
        // The index was closed before it came to this.
        guard db.sqliteConnection != nil else { return }
        do {
            let pages = try db.checkpoint(.passive)
            plan.withLock { $0.finished(pages.checkpointedFrameCount) }
        } catch {
            // No space, or another process copies at the moment. Nothing is lost: the log keeps what is not copied, and a disk that
            // is full, or a file that is broken, is told by the transactions themselves.
            plan.withLock { $0.finished(nil) }
        }
    }
}
