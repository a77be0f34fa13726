// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import TrackwayCore

/// The accounts of all writers, computed from the tables.
struct TableLedger {
    /// One account.
    struct Row: Hashable, Comparable {
        let installation: InstallationID
        let writer: WriterID
        let recorded: UInt64
        let received: UInt64
        let rejected: UInt64
        let duplicates: UInt64
        let dropped: [String: UInt64]
        let gaps: [ClosedRange<UInt64>]
        let last: Timestamp

        static func < (left: Row, right: Row) -> Bool {
            (left.installation, left.writer) < (right.installation, right.writer)
        }
    }

    let rows: [Row]

    init(_ store: InMemoryTables) {
        var accounts: [Key: WriterAccount] = [:]
        var repeats: [Key: Int] = [:]
        var last: [Key: Int] = [:]
        for row in store.rows(.writers) {
            guard let key = Key(row) else { continue }
            let recorded = UInt64(InMemoryTables.count(row, "recorded"))
            accounts[key, default: WriterAccount()].recorded = max(accounts[key]?.recorded ?? 0, recorded)
            repeats[key, default: 0] += InMemoryTables.count(row, "repeats")
            last[key] = max(last[key] ?? .min, InMemoryTables.count(row, "received"))
        }
        for row in store.rows(.ranges) {
            guard let key = Key(row) else { continue }
            let range = UInt64(InMemoryTables.count(row, "first"))...UInt64(InMemoryTables.count(row, "last"))
            switch RangeKind(rawValue: Int64(InMemoryTables.count(row, "kind"))) {
            case .received: accounts[key, default: WriterAccount()].received.insert(range)
            case .rejected: accounts[key, default: WriterAccount()].rejected.insert(range)
            case .skipped: accounts[key, default: WriterAccount()].skipped.insert(range)
            case .dropped:
                let reason = InMemoryTables.text(row, "reason")
                accounts[key, default: WriterAccount()].dropped[reason, default: SequenceRanges()].insert(range)
            // These tables keep every range.
            case .expired, .untracked, nil: break
            }
        }
        rows = accounts.map { key, account in
            let totals = account.totals()
            return Row(
                installation: key.installation,
                writer: key.writer,
                recorded: account.recorded,
                received: totals.received,
                rejected: totals.rejected,
                duplicates: UInt64(repeats[key] ?? 0),
                dropped: totals.dropped,
                gaps: totals.gaps,
                last: Timestamp(milliseconds: Int64(last[key] ?? 0))
            )
        }.sorted()
    }

    private struct Key: Hashable {
        let installation: InstallationID
        let writer: WriterID

        init?(_ row: InMemoryTables.Row) {
            guard let installation = InMemoryTables.installation(row), case .id(let high, let low)? = row["writer"]
            else {
                return nil
            }
            self.installation = installation
            writer = WriterID(high: high, low: low)
        }
    }
}

extension TableLedger.Row {
    /// Creates a row from an index's account.
    init(_ row: LedgerRow) {
        self.init(
            installation: row.installation,
            writer: row.writer,
            recorded: row.recorded,
            received: row.received,
            rejected: row.rejected,
            duplicates: row.duplicates,
            dropped: row.dropped,
            gaps: row.gaps,
            last: row.lastReceived
        )
    }
}
