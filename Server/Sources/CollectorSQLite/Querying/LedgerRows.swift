// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads the ledger: one row per writer, computed from its ranges.
enum LedgerRows {
    private struct Writer {
        let number: Int64
        let installation: InstallationID
        let id: WriterID
        let duplicates: UInt64
        let received: Timestamp
        var account = WriterAccount()
    }

    static func matching(_ query: LedgerQuery, _ db: Database) throws -> [LedgerRow] {
        let condition = query.installation == nil ? "" : " AND i.id = ?3"
        let statement = try RawStatement(
            db,
            """
            SELECT w.number, i.id, w.id, w.recorded, w.duplicates, w.received
            FROM writers w JOIN installations i ON i.number = w.installation
            WHERE w.number < ?1\(condition) ORDER BY w.number DESC LIMIT ?2
            """
        )
        statement.bind(1, query.after ?? .max)
        statement.bind(2, Int64(max(0, query.limit)))
        if let installation = query.installation { statement.bind(3, installation) }
        let ranges = try RawStatement(db, "SELECT kind, reason, first, last FROM ranges WHERE writer = ?")
        return try statement.collectWithinBudget { statement in
            guard let installation = statement.id(1, as: InstallationID.self),
                let id = statement.id(2, as: WriterID.self)
            else { return nil }
            var writer = Writer(
                number: statement.integer(0),
                installation: installation,
                id: id,
                duplicates: UInt64(clamping: statement.integer(4)),
                received: Timestamp(milliseconds: statement.integer(5))
            )
            writer.account.recorded = UInt64(clamping: statement.integer(3))
            try fill(&writer.account, from: ranges, writer: writer.number)
            return row(writer)
        }
    }

    static func count(of installation: InstallationID?, _ db: Database) throws -> Int {
        let statement = try RawStatement(
            db,
            installation == nil
                ? "SELECT count(*) FROM writers"
                : "SELECT count(*) FROM writers WHERE installation = (SELECT number FROM installations WHERE id = ?)"
        )
        if let installation { statement.bind(1, installation) }
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    private static func fill(_ account: inout WriterAccount, from ranges: RawStatement, writer: Int64) throws {
        ranges.bind(1, writer)
        while try ranges.step() {
            guard let kind = RangeKind(rawValue: ranges.integer(0)) else { continue }
            account.insert(
                first: UInt64(clamping: ranges.integer(2)),
                last: UInt64(clamping: ranges.integer(3)),
                kind,
                reason: ranges.text(1)
            )
        }
    }

    private static func row(_ writer: Writer) -> LedgerRow {
        LedgerRow(
            installation: writer.installation,
            writer: writer.id,
            writer.account,
            duplicates: writer.duplicates,
            lastReceived: writer.received,
            number: writer.number
        )
    }
}
