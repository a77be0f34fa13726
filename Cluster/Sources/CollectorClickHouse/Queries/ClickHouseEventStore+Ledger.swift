// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// Reads writers' accounts, erasures, and arrivals per minute.
extension ClickHouseEventStore {
    private struct Writer {
        let key: BlockBuilder.AccountKey
        let recorded: UInt64
        let repeats: UInt64
        let received: Timestamp
        let number: Int64
    }

    private static func writers(_ installation: InstallationID?, _ block: UInt64) -> String {
        "FROM writers FINAL WHERE block <= \(block) AND installation NOT IN (SELECT installation FROM erasures)"
            + (installation.map { " AND installation = \(SQLText.literal($0))" } ?? "")
    }

    /// Returns ledger rows, numbered by the position of the writer's first batch.
    package func ledger(matching query: LedgerQuery) async throws(StoreError) -> [LedgerRow] {
        guard query.limit > 0 else { return [] }
        let block = try await completed()
        let statement =
            "SELECT installation, writer, max(recorded), sum(repeats), max(received), min(first) AS n "
            + "\(Self.writers(query.installation, block)) GROUP BY installation, writer "
            + "HAVING n < \(query.after ?? .max) ORDER BY n DESC, installation DESC, writer DESC LIMIT \(query.limit)"
        let writers = try await list(statement) { row throws(RowFault) in
            Writer(
                key: BlockBuilder.AccountKey(installation: try row.id(), writer: try row.id()),
                recorded: try row.uint64(),
                repeats: try row.uint64(),
                received: Timestamp(milliseconds: max(0, try row.int64())),
                number: try row.int64()
            )
        }
        let counts = try await rangeCounts(of: writers.map(\.key), block)
        var (rows, bytes): ([LedgerRow], Int) = ([], 0)
        var rest = writers[...]
        // No more ranges are read at once than one response may contain.
        while bytes < ResponseBudget.bytes, !rest.isEmpty {
            let batchSize = AccountReader.writersPerRead(
                rest.lazy.map { counts[$0.key] ?? 0 },
                atMost: UInt64(LedgerRow.maxRanges)
            )
            let part = rest.prefix(batchSize)
            rest = rest.dropFirst(batchSize)
            let accounts = try await accounts(of: part.map(\.key), block)
            for writer in part where bytes < ResponseBudget.bytes {
                var account = accounts[writer.key]?.account ?? WriterAccount()
                account.recorded = writer.recorded
                let row = LedgerRow(
                    installation: writer.key.installation,
                    writer: writer.key.writer,
                    account,
                    duplicates: writer.repeats,
                    lastReceived: writer.received,
                    number: writer.number
                )
                bytes += row.responseBytes
                rows.append(row)
            }
        }
        return rows
    }

    /// A meter without a limit on rows.
    ///
    /// An account may have any number of ranges in the table, while the ranges kept in memory are limited.
    private var rangeMeter: QueryMeter {
        var unlimited = budget
        unlimited.events = .max
        return QueryMeter(unlimited, clock: clock)
    }

    /// Returns the number of ranges that each writer has in the table.
    ///
    /// Some ranges may touch or overlap.
    private func rangeCounts(
        of writers: [BlockBuilder.AccountKey],
        _ block: UInt64
    ) async throws(StoreError) -> [BlockBuilder.AccountKey: UInt64] {
        guard !writers.isEmpty else { return [:] }
        var counts: [BlockBuilder.AccountKey: UInt64] = [:]
        var meter = rangeMeter
        try await rows(
            "SELECT installation, writer, count() FROM ranges WHERE block <= \(block) "
                + "AND (installation, writer) IN given GROUP BY installation, writer",
            with: [Self.externalTable(of: writers)],
            &meter
        ) { row throws(RowFault) in
            (
                key: BlockBuilder.AccountKey(installation: try row.id(), writer: try row.id()),
                count: try row.uint64()
            )
        } _: { row throws(StoreError) in
            counts[row.key] = row.count
        }
        return counts
    }

    /// Reads the accounts of writers, range by range.
    private func accounts(
        of writers: [BlockBuilder.AccountKey],
        _ block: UInt64
    ) async throws(StoreError) -> [BlockBuilder.AccountKey: AccountReader] {
        var accounts: [BlockBuilder.AccountKey: AccountReader] = [:]
        var meter = rangeMeter
        try await rows(
            "SELECT installation, writer, kind, reason, first, last FROM ranges WHERE block <= \(block) "
                + "AND (installation, writer) IN given ORDER BY installation, writer, first, last",
            with: [Self.externalTable(of: writers)],
            &meter
        ) { row throws(RowFault) in
            (
                key: BlockBuilder.AccountKey(installation: try row.id(), writer: try row.id()),
                kind: try row.uint8(), reason: try row.text(), first: try row.uint64(), last: try row.uint64()
            )
        } _: { range throws(StoreError) in
            guard let kind = RangeKind(rawValue: Int64(range.kind)) else { return }
            accounts[range.key, default: AccountReader()].add(
                first: range.first,
                last: range.last,
                kind,
                reason: range.reason
            )
        }
        return accounts
    }

    private static func externalTable(of writers: [BlockBuilder.AccountKey]) -> ClickHouseClient.ExternalTable {
        var externalRows = RowBinary()
        for writer in writers {
            externalRows.id(writer.installation)
            externalRows.id(writer.writer)
        }
        return ClickHouseClient.ExternalTable(
            name: "given",
            structure: "installation FixedString(16), writer FixedString(16)",
            rows: externalRows.bytes
        )
    }

    package func writers(installation: InstallationID?) async throws(StoreError) -> Int {
        let block = try await completed()
        let statement = "SELECT uniqExact(installation, writer) \(Self.writers(installation, block))"
        return Int(clamping: try await list(statement) { row throws(RowFault) in try row.uint64() }.first ?? 0)
    }

    package func erasures(
        installation: InstallationID?,
        limit: Int
    ) async throws(StoreError) -> [StoredErasure] {
        guard limit > 0 else { return [] }
        let block = try await completed()
        let owner = installation.map { " AND installation = \(SQLText.literal($0))" } ?? ""
        let statement =
            "SELECT installation, argMin(time, block) AS t, argMin(key, block), argMin(operator, block) FROM erasures "
            + "WHERE block <= \(block)\(owner) GROUP BY installation ORDER BY t DESC, installation DESC LIMIT \(limit)"
        var erasures = try await list(statement) { row throws(RowFault) in
            StoredErasure(
                installation: try row.id(),
                time: try row.time(),
                key: try row.text(),
                isByOperator: try row.uint8() != 0,
                events: 0
            )
        }
        guard !erasures.isEmpty else { return [] }
        var externalRows = RowBinary()
        for erasure in erasures { externalRows.id(erasure.installation) }
        let counts = try await list(
            "SELECT installation, sum(events) + sum(repeats) + sum(refused) FROM counts FINAL WHERE block <= \(block) "
                + "AND installation IN given GROUP BY installation",
            externalRows: externalRows.bytes,
            of: "installation FixedString(16)"
        ) { row throws(RowFault) in (installation: try row.id(InstallationID.self), events: try row.uint64()) }
        let events = Dictionary(counts.map { ($0.installation, $0.events) }, uniquingKeysWith: { first, _ in first })
        for index in erasures.indices { erasures[index].events = events[erasures[index].installation] ?? 0 }
        return erasures
    }

    // MARK: Minutes

    package func minutes(since moment: Timestamp, names: Int) async throws(StoreError) -> [MinuteCount] {
        let block = try await completed()
        // The minute that contains `moment` is included.
        let first = max(moment.milliseconds, Int64.min + 59_999) - 59_999
        let within = "FROM places FINAL WHERE kind = \(PlaceAggregates.OwnerKind.all.rawValue) AND block <= \(block)"
        // Round down to the minute, even for times before 1970.
        let source =
            "FROM (SELECT received - ((received % toInt64(60000)) + toInt64(60000)) % toInt64(60000) AS minute, name, position FROM events FINAL "
            + "WHERE block <= \(block) AND position >= (SELECT min(first) \(within) AND arrived >= \(first)) "
            + "AND received >= \(first)\(keptCondition) AND installation NOT IN (SELECT installation FROM erasures)) "
            + "WHERE minute >= \(first)"
        let totals = try await list("SELECT toInt64(minute) AS m, count() \(source) GROUP BY m ORDER BY m") {
            row throws(RowFault) in (minute: try row.int64(), events: try row.uint64())
        }
        // The names that occurred first are counted separately, up to the same number as in an SQLite index.
        let counts = try await list(
            "SELECT toInt64(minute) AS m, name, count(), min(position) AS f \(source) GROUP BY m, name "
                + "ORDER BY m, f LIMIT \(MinuteTally.maxNames) BY m"
        ) { row throws(RowFault) in
            let count = MinuteTally.Count(minute: try row.int64(), name: try row.text(), events: try row.uint64())
            _ = try row.int64()
            return count
        }
        var tally = MinuteTally(named: counts, atMost: names)
        for total in totals { tally.add(total.minute, events: total.events) }
        return tally.answer
    }
}

/// Combines event counts by name into counts per minute.
struct MinuteTally {
    /// The maximum number of names counted separately in one minute, as in an SQLite index.
    static let maxNames = 200

    /// The number of a name's events that arrived in a minute.
    struct Count {
        let minute: Int64
        let name: String
        let events: UInt64
    }

    private var counts: [Int64: [Count]] = [:]
    private var named: Set<String> = []
    /// The counts of the minutes added so far.
    private(set) var answer: [MinuteCount] = []

    /// Creates a tally that lists the `names` most frequent names of the whole time range.
    init(named all: [Count], atMost names: Int) {
        var sums: [[UInt8]: UInt64] = [:]
        for count in all {
            counts[count.minute, default: []].append(count)
            sums[Array(count.name.utf8), default: 0] += count.events
        }
        let busiest = sums.sorted { left, right in
            left.value != right.value ? left.value > right.value : left.key.lexicographicallyPrecedes(right.key)
        }
        named = Set(busiest.prefix(max(0, names)).map { String(decoding: $0.key, as: UTF8.self) })
    }

    /// Adds the next minute, with the number of events that arrived in it.
    mutating func add(_ minute: Int64, events: UInt64) {
        var count = MinuteCount(minute: Timestamp(milliseconds: minute), events: events)
        var namedEvents: UInt64 = 0
        for name in counts[minute] ?? [] where named.contains(name.name) {
            count.names[name.name] = name.events
            namedEvents += name.events
        }
        count.others = events - min(events, namedEvents)
        answer.append(count)
    }
}
