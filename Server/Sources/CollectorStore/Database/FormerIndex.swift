// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import GRDB

/// An index of an older version, whose rows have to be made anew from the log.
///
/// It is removed as a file. Deleting its rows would read all of it, minutes for ten million events, and nothing is answered meanwhile.
struct FormerIndex: Sendable {
    /// Since this step it says who was erased in a way that still holds.
    private static let firstWithErasures = "4"

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
        guard !steps.isEmpty, !steps.contains(IndexSchema.lastRenewal) else { return nil }
        guard steps.contains(Self.firstWithErasures) else {
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
