// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import Foundation

/// Read-only access to another SDK's SQLite database.
///
/// Opening a database commits or rolls back its unfinished transactions, which changes its files. This type therefore
/// copies the database with its journal files and opens the copy, which it deletes on deinit. Use the database from one
/// thread at a time; every call may block on disk I/O.
package final class LegacyDatabase {
    /// The reason why a database cannot be read.
    package enum Fault: Error, Hashable {
        /// The system has no supported SQLite library.
        case noSQLite
        /// The database cannot be copied.
        ///
        /// For example, the folder is not accessible or the disk is full.
        case notCopied(String)
        /// SQLite cannot open the file or run the query.
        ///
        /// The value is SQLite's result code, or 0 if a query for a number returned no row.
        case notReadable(Int32)
    }

    private let database: OpaquePointer
    private let scratch: String

    /// Copies a database and opens the copy.
    ///
    /// - Parameters:
    ///   - path: The path of the database.
    ///   - scratch: The folder to create for the copy. An existing folder was left by a killed process, and is deleted
    ///     first.
    package init(copying path: String, into scratch: String) throws(Fault) {
        let files = FileManager.default
        let copy = scratch + "/copy"
        do {
            if files.fileExists(atPath: scratch) { try files.removeItem(atPath: scratch) }
            try files.createDirectory(
                atPath: scratch,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            // The shared-memory file is not copied: SQLite rebuilds it from the write-ahead log.
            for suffix in ["", "-journal", "-wal"] where suffix.isEmpty || files.fileExists(atPath: path + suffix) {
                try files.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
        } catch {
            Self.remove(scratch)
            throw .notCopied(error.localizedDescription)
        }
        var code: Int32 = 0
        guard let database = ctrackway_database_open(copy, &code) else {
            Self.remove(scratch)
            throw code == -1 ? .noSQLite : .notReadable(code)
        }
        self.database = database
        self.scratch = scratch
    }

    deinit {
        ctrackway_database_close(database)
        Self.remove(scratch)
    }

    private static func remove(_ scratch: String) {
        // A leftover copy is in the system's temporary folder. The next attempt deletes it.
        try? FileManager.default.removeItem(atPath: scratch)
    }

    /// Runs a query that returns one number.
    package func number(_ query: String) throws(Fault) -> Int64 {
        try prepare(query)
        guard try next() else { throw .notReadable(0) }
        return ctrackway_database_number(database, 0)
    }

    /// Runs a query and returns its rows.
    ///
    /// - Parameters:
    ///   - query: The query in SQL; `?1` is `first`, `?2` is `second`.
    /// - Returns: For each row, the first column as a number and the second as text; nil if the second has no text.
    package func rows(_ query: String, _ first: Int64, _ second: Int64) throws(Fault) -> [(Int64, [UInt8]?)] {
        try prepare(query, first, second)
        var rows: [(Int64, [UInt8]?)] = []
        while try next() {
            var count: Int64 = 0
            let text = ctrackway_database_text(database, 1, &count).map { start in
                Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
            }
            rows.append((ctrackway_database_number(database, 0), text))
        }
        return rows
    }

    private func prepare(_ query: String, _ first: Int64 = 0, _ second: Int64 = 0) throws(Fault) {
        let code = ctrackway_database_query(database, query, first, second)
        guard code == 0 else { throw .notReadable(code) }
    }

    private func next() throws(Fault) -> Bool {
        let answer = ctrackway_database_next(database)
        guard answer >= 0 else { throw .notReadable(-answer) }
        return answer == 1
    }
}
