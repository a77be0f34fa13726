// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore
internal import Foundation
internal import GRDB
internal import TrackwayJournal

/// An index created by an older version, whose rows must be rebuilt from the log.
///
/// The file is deleted, or, if it is uncertain whether all of its source data still exists, renamed. Deleting its rows
/// instead would read the whole file, which takes minutes for ten million events, and no query could be answered during
/// that time.
struct LegacyIndex: Sendable {
    /// The path of a preserved index that had to be rebuilt.
    ///
    /// Its source data may be incomplete.
    static func path(of index: String) -> String { index + ".former" }

    private struct Erased: Sendable {
        let number: Int64
        let id: Data
    }

    private struct Erasure: Sendable {
        let installation: Int64
        let time: Int64
        let key: String
        let isByOperator: Bool
    }

    private let erased: [Erased]
    private let erasures: [Erasure]

    /// Reads the data to preserve from the open index.
    ///
    /// Returns nil if the index is new or its rows do not need to be rebuilt.
    ///
    /// - Throws: SQLite errors.
    init?(_ db: Database) throws {
        let steps = try IndexSchema.migrator.appliedIdentifiers(db)
        guard !steps.isEmpty, !steps.contains(IndexMigration.lastRenewal.rawValue) else { return nil }
        guard steps.contains(IndexMigration.firstWithErasures.rawValue) else {
            (erased, erasures) = ([], [])
            return
        }
        erased = try Row.fetchAll(db, sql: "SELECT number, id FROM installations WHERE erased = 1")
            .map { Erased(number: $0[0], id: $0[1]) }
        erasures = try Row.fetchAll(db, sql: "SELECT installation, time, key, operator FROM erasures")
            .map { Erasure(installation: $0[0], time: $0[1], key: $0[2], isByOperator: $0[3]) }
    }

    /// Copies the erased installations into a new index.
    ///
    /// The new index must never restore the data of these installations, not even before it has read their erasures
    /// from the log again.
    ///
    /// - Throws: SQLite errors.
    func enter(_ db: Database) throws {
        for one in erased {
            try db.execute(
                sql: "INSERT INTO installations (number, id, erased) VALUES (?, ?, 1)",
                arguments: [one.number, one.id]
            )
        }
        for one in erasures {
            try db.execute(
                sql: "INSERT INTO erasures (installation, time, key, operator) VALUES (?, ?, ?, ?)",
                arguments: [one.installation, one.time, one.key, one.isByOperator]
            )
        }
    }
}

extension SQLiteEventStore {
    /// The path of a preserved index of an older version, or nil.
    ///
    /// The index was preserved when the store was opened this time or earlier.
    public var legacyIndexPath: String? {
        let path = LegacyIndex.path(of: path)
        return IndexFiles.exists(path) ? path : nil
    }

    /// Deletes the preserved index of an older version.
    ///
    /// Call this once all of its source data is known to exist.
    ///
    /// - Throws: ``StoreError``; the file then remains.
    public func discardLegacyIndex() throws(StoreError) {
        guard let legacyIndexPath else { return }
        do {
            try storage.remove(legacyIndexPath)
        } catch {
            throw StoreError("The old index \(legacyIndexPath) cannot be removed: \(error).")
        }
    }
}
