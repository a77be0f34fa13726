// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// The tables in a ClickHouse database.
///
/// The SQL works with ClickHouse 18.16 and later. Thread-safe.
package struct ClickHouseStore: ColumnStore {
    /// The table of marks, which record the version and streams of the tables.
    static let markTable = "trackway"

    let client: ClickHouseClient
    let version: ClickHouseVersion

    /// Creates a store for a server with this version.
    package init(_ client: ClickHouseClient, version: ClickHouseVersion) {
        self.client = client
        self.version = version
    }

    package func completed() async throws(ColumnFailure) -> UInt64 {
        let counts = try await numbers("SELECT toInt64(max(block)), toInt64(uniqExact(block)) FROM blocks", columns: 2)
        if counts[0] == counts[1] { return UInt64(clamping: counts[0]) }
        let gap = try await numbers(
            """
            SELECT min(b) FROM (SELECT DISTINCT block AS b FROM blocks UNION ALL SELECT toInt64(0) AS b)
            WHERE b + 1 NOT IN (SELECT block FROM blocks)
            """,
            columns: 1
        )
        return UInt64(clamping: gap[0])
    }

    /// Returns the number of consecutive blocks, and the first week whose events are kept.
    ///
    /// The first `known` blocks are known to exist. Only the later blocks are read, unless the tables have lost some of
    /// the known ones.
    func completed(from known: UInt64) async throws(ColumnFailure) -> (block: UInt64, week: Int64?) {
        let found = try await numbers(
            "SELECT toInt64(min(block)), toInt64(max(block)), toInt64(uniqExact(block)), \(RetainedWeekSQL.week) FROM blocks "
                + "WHERE block >= \(known)",
            columns: 4
        )
        let week = found[3] < 0 ? nil : found[3]
        guard known > 0, found[0] == Int64(clamping: known), found[2] == found[1] - found[0] + 1 else {
            return (try await completed(), week)
        }
        return (UInt64(clamping: found[1]), week)
    }

    package func known(
        ids: [EventID],
        installations: [InstallationID],
        before block: UInt64
    ) async throws(ColumnFailure) -> KnownRows {
        var known = KnownRows()
        if !ids.isEmpty {
            let found = try await self.ids(
                "SELECT DISTINCT id FROM ids WHERE block < \(block) AND id IN given FORMAT RowBinary",
                externalRows: Self.rows(ids)
            )
            known.ids = Set(found.map { EventID(high: $0.high, low: $0.low) })
        }
        if !installations.isEmpty {
            let found = try await self.ids(
                "SELECT DISTINCT installation FROM erasures WHERE block < \(block) AND installation IN given FORMAT RowBinary",
                externalRows: Self.rows(installations)
            )
            known.erased = Set(found.map { InstallationID(high: $0.high, low: $0.low) })
        }
        return known
    }

    package func rejected(
        of accounts: [BlockBuilder.AccountKey],
        before block: UInt64
    ) async throws(ColumnFailure) -> [BlockBuilder.AccountKey: SequenceRanges] {
        let query =
            "SELECT DISTINCT installation, writer, first, last FROM ranges WHERE kind = \(RangeKind.rejected.rawValue) "
            + "AND block < \(block) AND (installation, writer) IN given FORMAT RowBinary"
        var externalRows = RowBinary()
        for account in accounts {
            externalRows.id(account.installation)
            externalRows.id(account.writer)
        }
        let structure = "installation FixedString(16), writer FixedString(16)"
        let table = ClickHouseClient.ExternalTable(name: "given", structure: structure, rows: externalRows.bytes)
        var rejected: [BlockBuilder.AccountKey: SequenceRanges] = [:]
        let answer = try await client.run(query, with: [table])
        do throws(RowFault) {
            try RowCursor.forEachRow(of: answer) { row throws(RowFault) in
                let (installation, writer) = (try row.idHalves(), try row.idHalves())
                let (first, last) = (try row.uint64(), try row.uint64())
                guard first <= last else { return }
                let account = BlockBuilder.AccountKey(
                    installation: InstallationID(high: installation.high, low: installation.low),
                    writer: WriterID(high: writer.high, low: writer.low)
                )
                rejected[account, default: SequenceRanges()].insert(first...last)
            }
        } catch {
            throw unreadable(query)
        }
        return rejected
    }

    package func insert(_ rows: [UInt8], into table: ColumnTable) async throws(ColumnFailure) {
        try await client.insert(table.insertStatement, rows, version.insertSettings)
    }

    /// Adds a mark to the table of marks.
    func mark(_ name: String, _ value: String) async throws(ColumnFailure) {
        var row = RowBinary()
        row.string(name)
        row.string(value)
        try await client.insert(
            "INSERT INTO \(Self.markTable) (name, value) FORMAT RowBinary",
            row.bytes,
            version.insertSettings
        )
    }

    package func erased(among installations: [InstallationID]) async throws(ColumnFailure) -> [InstallationID] {
        try await ids(
            "SELECT DISTINCT installation FROM erasures WHERE installation IN given FORMAT RowBinary",
            externalRows: Self.rows(installations)
        ).map { InstallationID(high: $0.high, low: $0.low) }
    }

    package func remove(_ installations: [InstallationID]) async throws(ColumnFailure) {
        let list = installations.map { "toFixedString(unhex('\(Self.hexadecimal($0))'), 16)" }.joined(separator: ", ")
        // The counts are recomputed first, because the rows to be removed show which counts to recompute.
        _ = try await client.run(NameCountSQL.recount(without: list), version.insertSettings, isLongRunning: true)
        for table in ColumnTable.installationTables {
            _ = try await client.run(
                "ALTER TABLE \(table.rawValue) DELETE WHERE installation IN (\(list))",
                isLongRunning: true
            )
        }
    }

    // MARK: Responses

    private func ids(_ query: String, externalRows rows: [UInt8]) async throws(ColumnFailure) -> [(
        high: UInt64, low: UInt64
    )] {
        let table = ClickHouseClient.ExternalTable(name: "given", structure: "id FixedString(16)", rows: rows)
        guard let found = RowBinary.ids(try await client.run(query, with: [table])) else { throw unreadable(query) }
        return found
    }

    /// Returns the integers in a response, row by row.
    func numbers(_ query: String, columns: Int) async throws(ColumnFailure) -> [Int64] {
        let answer = String(
            decoding: try await client.run(query + " FORMAT TabSeparated", isLongRunning: true),
            as: UTF8.self
        )
        let numbers = answer.split { $0 == "\n" || $0 == "\t" }.map { Int64($0) }
        let found = numbers.compactMap { $0 }
        guard found.count == numbers.count, found.count.isMultiple(of: columns), columns > 1 || !found.isEmpty else {
            throw unreadable(query)
        }
        return found
    }

    func unreadable(_ query: String) -> ColumnFailure {
        ColumnFailure(
            .notClickHouse,
            "\(client.address.server) is not ClickHouse or runs an unsupported version: its response to "
                + "“\(query.prefix(80))…” cannot be parsed."
        )
    }

    private static func rows(_ ids: [some UniqueID]) -> [UInt8] {
        var rows = RowBinary()
        for id in ids { rows.id(id) }
        return rows.bytes
    }

    private static func hexadecimal(_ id: some UniqueID) -> String {
        [id.high, id.low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

extension ClickHouseStore: AuditStore {
    package func rows(
        of blocks: ClosedRange<UInt64>,
        in table: ColumnTable
    ) async throws(ColumnFailure) -> [UInt64: Int] {
        let key = table.key.joined(separator: ", ")
        let counts = try await numbers(
            "SELECT block, toInt64(uniqExact(\(key))) FROM \(table.rawValue) WHERE block >= \(blocks.lowerBound) "
                + "AND block <= \(blocks.upperBound) GROUP BY block ORDER BY block",
            columns: 2
        )
        return stride(from: 0, to: counts.count, by: 2).reduce(into: [:]) { found, index in
            found[UInt64(clamping: counts[index])] = Int(counts[index + 1])
        }
    }

    package func statedCounts(of blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> [UInt64: [ColumnTable:
        Int]]
    {
        let columns = ["rows"] + ColumnTable.counted.map(\.rawValue)
        let list = columns.map { "toInt64(max(\($0)))" }.joined(separator: ", ")
        let counts = try await numbers(
            "SELECT block, \(list) FROM blocks WHERE block >= \(blocks.lowerBound) AND block <= \(blocks.upperBound) "
                + "GROUP BY block ORDER BY block",
            columns: columns.count + 1
        )
        return stride(from: 0, to: counts.count, by: columns.count + 1).reduce(into: [:]) { stated, index in
            let values = counts[(index + 1)...(index + columns.count)].map { Int($0) }
            var tables: [ColumnTable: Int] = [.events: values[0], .ids: values[0]]
            for (table, value) in zip(ColumnTable.counted, values.dropFirst()) { tables[table] = value }
            stated[UInt64(clamping: counts[index])] = tables
        }
    }

    package func expired(among blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> Set<UInt64> {
        let condition = "block >= \(blocks.lowerBound) AND block <= \(blocks.upperBound)"
        let expiredBlocks = RetainedWeekSQL.expiredBlocks(where: condition)
        let found = try await numbers(
            "SELECT toInt64(count()), toInt64(b) FROM (SELECT block AS b FROM (\(expiredBlocks))) GROUP BY b",
            columns: 2
        )
        return Set(stride(from: 1, to: found.count, by: 2).map { UInt64(clamping: found[$0]) })
    }

    package func erasedWithRows() async throws(ColumnFailure) -> [InstallationID] {
        var found: Set<InstallationID> = []
        for table in ColumnTable.installationTables {
            let rows = try await client.run(
                "SELECT DISTINCT installation FROM \(table.rawValue) WHERE installation IN (SELECT installation FROM erasures) "
                    + "FORMAT RowBinary",
                isLongRunning: true
            )
            guard let ids = RowBinary.ids(rows) else { throw unreadable("SELECT installation") }
            found.formUnion(ids.map { InstallationID(high: $0.high, low: $0.low) })
        }
        return Array(found)
    }

    package func erasedEvents(of blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> [UInt64: Int] {
        // Rows with the same key might not be merged yet.
        let counts = try await numbers(
            "SELECT block, toInt64(sum(e)) FROM (SELECT installation, block, max(events) AS e FROM counts "
                + "WHERE block >= \(blocks.lowerBound) AND block <= \(blocks.upperBound) "
                + "AND installation IN (SELECT installation FROM erasures) GROUP BY installation, block) GROUP BY block ORDER BY block",
            columns: 2
        )
        return stride(from: 0, to: counts.count, by: 2).reduce(into: [:]) { found, index in
            found[UInt64(clamping: counts[index])] = Int(counts[index + 1])
        }
    }
}
