// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import GRDB
internal import GRDBSQLite
internal import TrackwayEvents

/// Moves what transactions wrote from SQLite's log beside the file into the file, mostly beside the writer.
///
/// SQLite does it on the connection that writes, whose transactions wait meanwhile, and it begins its log anew only when all of
/// it was moved. Here another connection moves the most while transactions go on; the writer then moves the little that came
/// meanwhile. Nothing depends on it: a log that was not moved is longer, and is read as well.
final class IndexCheckpoint: Sendable {
    /// What a writer has to do after a transaction.
    enum Step: Sendable, Hashable {
        case nothing
        /// Has ``copy()`` begun, which then is told to have ended.
        case copy
        /// Moves what there is, on the writing connection.
        case finish
    }

    /// How far moving has come.
    struct Progress: Sendable {
        private enum Phase: Sendable {
            case waiting
            /// Another connection is at it.
            case copying
            case copied
        }

        private let limit: Int
        private var phase = Phase.waiting
        private var isClosed = false

        /// Nothing is to be moved before the log has `limit` pages.
        init(limit: Int) { self.limit = limit }

        /// A transaction is over, and the log has so many pages.
        mutating func committed(pages: Int) -> Step {
            switch phase {
            case _ where isClosed: return .nothing
            case .waiting where pages >= limit:
                phase = .copying
                return .copy
            case .copied:
                phase = .waiting
                return .finish
            // It is not to grow for ever beside a connection that does not come to an end.
            case .copying where pages >= limit * 4: return .finish
            case .waiting, .copying: return .nothing
            }
        }

        /// The other connection is done, or could do nothing.
        mutating func copied() {
            if phase == .copying { phase = .copied }
        }

        /// Nothing is done any more.
        mutating func close() { isClosed = true }
    }

    private struct State: Sendable {
        var progress: Progress
        /// The log's pages after the last transaction.
        var pages = 0
    }

    private let path: String
    private let state: Locked<State>
    private let queue = DispatchQueue(label: "trackway.index.checkpoint", qos: .utility)
    /// The connection that moves beside the writer; it is opened, used and closed on `queue`.
    private let connection: Locked<DatabaseQueue?>

    /// Moves into the file at `path`, whenever SQLite's log has `pages` of it.
    ///
    /// Many are better: pages that are written again and again, the last ones of each tree, are moved once for all of them.
    init(path: String, pages: Int) {
        self.path = path
        state = Locked(State(progress: Progress(limit: pages)))
        connection = Locked(nil)
    }

    /// Has a connection say how long the log is after its transactions, in place of SQLite's own checkpoints.
    ///
    /// The object must live as long as the connection does: the pool's configuration keeps it.
    func watch(_ db: Database) {
        sqlite3_wal_hook(
            db.sqliteConnection,
            { object, _, _, pages in
                guard let object else { return SQLITE_OK }
                let checkpoint = Unmanaged<IndexCheckpoint>.fromOpaque(object).takeUnretainedValue()
                checkpoint.state.withLock { $0.pages = Int(pages) }
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// A transaction of the indexer is over: moves what is due.
    ///
    /// - Complexity: O(1) mostly, O(pages written while the other connection moved) now and then.
    func committed(on pool: DatabasePool) async {
        switch state.withLock({ $0.progress.committed(pages: $0.pages) }) {
        case .nothing: return
        case .copy: queue.async { [self] in copy() }
        case .finish:
            do {
                try await pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
            } catch {
                // A full disk, or another process that does it: the log stays longer until the next time.
            }
        }
    }

    /// Ends moving, waiting for what has begun. To be called before the file is closed.
    func close() {
        state.withLock { $0.progress.close() }
        queue.sync {
            let last = connection.withLock { connection in
                defer { connection = nil }
                return connection
            }
            do {
                try last?.close()
            } catch {
                // Nothing is lost with it: the writer's connection has everything.
            }
        }
    }

    private func copy() {
        defer { state.withLock { $0.progress.copied() } }
        do {
            let connection = try open()
            try connection.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
        } catch {
            // As above; the writer then moves everything.
        }
    }

    private func open() throws -> DatabaseQueue {
        if let open = connection.withLock({ $0 }) { return open }
        var configuration = Configuration()
        configuration.label = "index checkpoint"
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA cache_size = -64")
        }
        let new = try DatabaseQueue(path: path, configuration: configuration)
        connection.withLock { $0 = new }
        return new
    }
}
