// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Reading the ledger: one row per writer, reckoned from its ranges.
enum LedgerRows {
    private struct Writer {
        let number: Int64
        let installation: InstallationID
        let id: WriterID
        let duplicates: UInt64
        let received: Timestamp
        var account = Account()
    }

    static func all(of installation: InstallationID?, _ db: Database) throws -> [LedgerRow] {
        let condition = installation == nil ? "" : " WHERE i.id = ?"
        let statement = try RawStatement(
            db,
            """
            SELECT w.number, i.id, w.id, w.recorded, w.duplicates, w.received
            FROM writers w JOIN installations i ON i.number = w.installation\(condition)
            ORDER BY w.received DESC, w.number DESC
            """
        )
        if let installation { statement.bind(1, installation) }
        var writers: [Writer] = []
        while try statement.step() {
            guard let installation = statement.id(1, as: InstallationID.self),
                let id = statement.id(2, as: WriterID.self)
            else { continue }
            var writer = Writer(
                number: statement.integer(0),
                installation: installation,
                id: id,
                duplicates: UInt64(clamping: statement.integer(4)),
                received: Timestamp(milliseconds: statement.integer(5))
            )
            writer.account.recorded = UInt64(clamping: statement.integer(3))
            writers.append(writer)
        }
        let ranges = try RawStatement(db, "SELECT kind, reason, first, last FROM ranges WHERE writer = ?")
        return try writers.map { writer in
            var writer = writer
            try fill(&writer.account, from: ranges, writer: writer.number)
            return row(writer)
        }
    }

    private static func fill(_ account: inout Account, from ranges: RawStatement, writer: Int64) throws {
        ranges.bind(1, writer)
        while try ranges.step() {
            let (first, last) = (UInt64(clamping: ranges.integer(2)), UInt64(clamping: ranges.integer(3)))
            guard first <= last, let kind = RangeKind(rawValue: ranges.integer(0)) else { continue }
            switch kind {
            case .received: account.received.insert(first...last)
            case .rejected: account.rejected.insert(first...last)
            case .skipped: account.skipped.insert(first...last)
            case .dropped: account.dropped[ranges.text(1), default: SequenceRanges()].insert(first...last)
            }
        }
    }

    private static func row(_ writer: Writer) -> LedgerRow {
        let reckoning = writer.account.reckoning()
        return LedgerRow(
            installation: writer.installation,
            writer: writer.id,
            recorded: writer.account.recorded,
            received: reckoning.received,
            rejected: reckoning.rejected,
            duplicates: writer.duplicates,
            dropped: reckoning.dropped,
            skipped: reckoning.skipped,
            gaps: reckoning.gaps,
            lastReceived: writer.received
        )
    }
}
