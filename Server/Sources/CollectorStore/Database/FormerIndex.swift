// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Collector
internal import Foundation
internal import GRDB
internal import TrackwayJournal

/// An index of an older version, whose rows have to be made anew from the log.
///
/// It is removed as a file, or put aside where it is not sure that there still is everything it was made of. Deleting its rows would read all of it, minutes for ten million events, and nothing is answered meanwhile.
struct FormerIndex: Sendable {
    /// Where an index is kept that had to be made anew and may not be possible to make anew.
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

    /// What is kept of the index that is open; nil when it is a new one, or none whose rows have to be made anew.
    ///
    /// - Throws: What SQLite throws.
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

    /// Says in a new index who was erased: it must not bring them back, not even until it has read about them again.
    ///
    /// - Throws: What SQLite throws.
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
    /// Where an index of an older version was put, now or earlier; nil when there is none.
    public var former: String? {
        let path = FormerIndex.path(of: path)
        return IndexFiles.exist(path) ? path : nil
    }

    /// Removes the index of an older version that was put aside: everything it was made of is there.
    ///
    /// - Throws: ``StoreError``; it is still there then.
    public func discardFormer() throws(StoreError) {
        guard let former else { return }
        do {
            try storage.remove(former)
        } catch {
            throw StoreError("The former index \(former) cannot be removed: \(error).")
        }
    }
}
