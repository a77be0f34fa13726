// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import Foundation

/// A database of SQLite that somebody else made, read without a change to it.
///
/// Opening a database finishes or takes back what was under way in it, in its own files. So it is copied first, with the files beside
/// it that belong to it, and the copy is opened; it goes when this does. One thread at a time; every call may wait for the disk.
package final class ForeignDatabase {
    /// Why a database cannot be read.
    package enum Fault: Error, Hashable {
        /// The system has no SQLite that we know.
        case noSQLite
        /// It cannot be copied: the folder is closed, or the disk is full.
        case notCopied(String)
        /// SQLite does not take it for a database, or one with what is asked for; its number.
        case notReadable(Int32)
    }

    private let database: OpaquePointer
    private let scratch: String

    /// Copies a database and opens the copy.
    ///
    /// - Parameters:
    ///   - path: the database.
    ///   - scratch: a folder to be made for the copy. One that is there is left over from a process that was killed, and goes.
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
            // The shared memory is left out: it is made of the log again.
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
        // What stays is in the system's temporary folder, and goes with the next attempt.
        try? FileManager.default.removeItem(atPath: scratch)
    }

    /// The number that a question has for an answer.
    package func number(_ question: String) throws(Fault) -> Int64 {
        try ask(question)
        guard try next() else { throw .notReadable(0) }
        return ctrackway_database_number(database, 0)
    }

    /// The rows that a question has for an answer: of each the first column as a number and the second as text; nil where it is none.
    ///
    /// - Parameters:
    ///   - question: in SQL; `?1` is `first`, `?2` is `second`.
    package func rows(_ question: String, _ first: Int64, _ second: Int64) throws(Fault) -> [(Int64, [UInt8]?)] {
        try ask(question, first, second)
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

    private func ask(_ question: String, _ first: Int64 = 0, _ second: Int64 = 0) throws(Fault) {
        let code = ctrackway_database_ask(database, question, first, second)
        guard code == 0 else { throw .notReadable(code) }
    }

    private func next() throws(Fault) -> Bool {
        let answer = ctrackway_database_next(database)
        guard answer >= 0 else { throw .notReadable(-answer) }
        return answer == 1
    }
}
