// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The streams that a database's tables are filled from.
///
/// A recreated stream with the same name counts as a different stream.
package struct ColumnOrigin: Sendable, Hashable {
    /// The stream of records, and its creation time as the engine reports it.
    package var records: String
    /// The stream of decisions and its creation time.
    package var decisions: String

    /// Creates an origin.
    package init(records: String, decisions: String) {
        self.records = records
        self.decisions = decisions
    }
}

/// A report on a server and its tables.
package struct ColumnReport: Sendable, Hashable {
    /// The server's version.
    package var version: String
    /// The number of consecutive written blocks, starting with the first.
    package var blocks: UInt64
    /// The sequence of the last record of these blocks; 0 for none.
    package var last: UInt64
    /// The number of events in these blocks.
    package var events: UInt64

    /// Creates a report.
    package init(version: String, blocks: UInt64, last: UInt64, events: UInt64) {
        self.version = version
        self.blocks = blocks
        self.last = last
        self.events = events
    }
}

/// Creates and verifies the tables of a database.
package struct ClickHouseTables: Sendable {
    private static let versionMark = "tables"
    private static let recordsMark = "records"
    private static let decisionsMark = "decisions"

    private let client: ClickHouseClient

    /// Creates an instance for the tables in the client's database.
    package init(_ client: ClickHouseClient) {
        self.client = client
    }

    /// Returns the server's version.
    ///
    /// - Throws: ``ColumnFailure``.
    package func serverVersion() async throws(ColumnFailure) -> ClickHouseVersion {
        let answer = String(
            decoding: try await client.run("SELECT version()", database: false).prefix(64),
            as: UTF8.self
        )
        guard let version = ClickHouseVersion(answer.prefix { $0 != "\n" }) else {
            throw ColumnFailure(
                .notClickHouse,
                "\(client.address.server) is not ClickHouse: no version found. Pass its HTTP port to \(client.option)."
            )
        }
        return version
    }

    /// Creates missing tables, and records which streams the tables belong to.
    ///
    /// Tables of the previous version are upgraded.
    ///
    /// - Returns: Whether the tables are new.
    /// - Throws: ``ColumnFailure``, including when the tables belong to other streams or have another version.
    package func create(for origin: ColumnOrigin) async throws(ColumnFailure) -> Bool {
        let version = try await serverVersion()
        _ = try await client.run("CREATE DATABASE IF NOT EXISTS \(client.address.database)", database: false)
        _ = try await client.run(
            "CREATE TABLE IF NOT EXISTS \(ClickHouseStore.markTable) (name String, value String) "
                + "ENGINE = ReplacingMergeTree ORDER BY (name, value)"
        )
        let marks = try await marks()
        try check(marks, isNew: true)
        for table in ColumnTable.allCases {
            _ = try await client.run(table.createStatement(settings: version.tableSettings))
        }
        if let known = self.origin(of: marks) { try check(known, origin) }
        if let previous = highestVersion(in: marks), TableUpgrade.versions.contains(previous) {
            try await TableUpgrade(from: previous, client, version).run()
            try await write([(Self.versionMark, "\(ColumnTable.version)")], version)
        }
        try await checkColumns()
        if self.origin(of: marks) != nil { return false }
        try await write(
            [
                (Self.recordsMark, origin.records), (Self.decisionsMark, origin.decisions),
                (Self.versionMark, "\(ColumnTable.version)"),
            ],
            version
        )
        return true
    }

    /// Verifies the tables, and opens them for writing.
    ///
    /// They must belong to trackway, have a supported version, and be filled from the given streams.
    ///
    /// - Parameter origin: The streams; nil if unknown.
    /// - Returns: The tables, for writing.
    /// - Throws: ``ColumnFailure``.
    package func open(of origin: ColumnOrigin?) async throws(ColumnFailure) -> ClickHouseStore {
        let version = try await serverVersion()
        let marks = try await marks()
        try check(marks, isNew: false)
        try await checkColumns()
        if let origin {
            guard let known = self.origin(of: marks) else {
                throw foreignTables("their stream is not recorded")
            }
            try check(known, origin)
        }
        return ClickHouseStore(client, version: version)
    }

    /// Verifies the tables, and opens them for reading.
    ///
    /// They must belong to trackway, have the supported version, and be filled from the given stream of records.
    ///
    /// - Parameter records: The stream, in the form of ``ColumnOrigin/records``; nil if unknown.
    /// - Returns: The tables, for reading, and the server's version.
    /// - Throws: ``ColumnFailure``.
    func open(ofRecords records: String?) async throws(ColumnFailure) -> (ClickHouseStore, ClickHouseVersion) {
        let version = try await serverVersion()
        let marks = try await marks()
        try check(marks, isNew: false)
        try await checkColumns()
        if let records, let known = origin(of: marks) {
            try check(known, ColumnOrigin(records: records, decisions: known.decisions))
        }
        return (ClickHouseStore(client, version: version), version)
    }

    /// Checks the server and the tables, including write access.
    ///
    /// - Throws: ``ColumnFailure``.
    package func report(of origin: ColumnOrigin?) async throws(ColumnFailure) -> ColumnReport {
        let store = try await open(of: origin)
        let version = try await serverVersion()
        // Existing marks are written again, which changes nothing and shows whether writing works.
        try await write([(Self.versionMark, "\(ColumnTable.version)")], version)
        let blocks = try await store.completed()
        let sums = try await store.numbers(
            "SELECT toInt64(max(l)), toInt64(sum(r)) FROM (SELECT block, max(last) AS l, max(rows) AS r FROM blocks "
                + "WHERE block <= \(blocks) GROUP BY block)",
            columns: 2
        )
        return ColumnReport(
            version: version.description,
            blocks: blocks,
            last: UInt64(clamping: sums.first ?? 0),
            events: UInt64(clamping: sums.last ?? 0)
        )
    }

    // MARK: Marks

    private func marks() async throws(ColumnFailure) -> [String: Set<String>] {
        let query = "SELECT DISTINCT name, value FROM \(ClickHouseStore.markTable) FORMAT TabSeparated"
        let answer = String(decoding: try await client.run(query), as: UTF8.self)
        var marks: [String: Set<String>] = [:]
        for line in answer.split(separator: "\n") {
            let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { marks[String(parts[0]), default: []].insert(String(parts[1])) }
        }
        return marks
    }

    private func write(_ marks: [(String, String)], _ version: ClickHouseVersion) async throws(ColumnFailure) {
        var rows = RowBinary()
        for (name, value) in marks {
            rows.string(name)
            rows.string(value)
        }
        try await client.insert(
            "INSERT INTO \(ClickHouseStore.markTable) (name, value) FORMAT RowBinary",
            rows.bytes,
            version.insertSettings
        )
    }

    private func check(_ marks: [String: Set<String>], isNew: Bool) throws(ColumnFailure) {
        if marks[Self.versionMark] == nil, isNew { return }
        guard let highest = highestVersion(in: marks) else {
            throw foreignTables("their version is not recorded")
        }
        guard highest <= ColumnTable.version else {
            throw ColumnFailure(
                .tables,
                "The tables in \(client.address) have version \(highest), but this program supports version "
                    + "\(ColumnTable.version): a newer version of trackway created them. Install that version here."
            )
        }
        if TableUpgrade.versions.contains(highest), isNew { return }
        guard !TableUpgrade.versions.contains(highest) else {
            throw ColumnFailure(
                .tables,
                "The tables in \(client.address) have the older version \(highest). Stop the forwarders of that version, and "
                    + "upgrade the tables with `trackway-cluster cluster init` and --clickhouse \(client.address)."
            )
        }
        guard highest == ColumnTable.version else {
            throw ColumnFailure(
                .tables,
                "The tables in \(client.address) have the older version \(highest); this program writes version "
                    + "\(ColumnTable.version), with more columns. Prepare another database for \(client.option) with "
                    + "`trackway-cluster cluster init`, and fill it from the stream with `trackway-cluster cluster forward`."
            )
        }
    }

    private func highestVersion(in marks: [String: Set<String>]) -> Int? {
        marks[Self.versionMark]?.compactMap { Int($0) }.max()
    }

    private func origin(of marks: [String: Set<String>]) -> ColumnOrigin? {
        guard let records = marks[Self.recordsMark], let decisions = marks[Self.decisionsMark], !records.isEmpty else {
            return nil
        }
        // Two marks of the same kind mean two streams; the tables then belong to neither.
        return ColumnOrigin(
            records: records.sorted().joined(separator: " and "),
            decisions: decisions.sorted().joined(separator: " and ")
        )
    }

    private func check(_ known: ColumnOrigin, _ origin: ColumnOrigin) throws(ColumnFailure) {
        for (found, expected) in [(known.records, origin.records), (known.decisions, origin.decisions)]
        where found != expected {
            throw ColumnFailure(
                .tables,
                "The tables in \(client.address) were filled from the stream \(found), but the engine has \(expected): "
                    + "the stream was recreated or is a different one. Find out what happened to it. To start over, "
                    + "pass another database to \(client.option), and prepare it with `trackway-cluster cluster init`."
            )
        }
    }

    private func checkColumns() async throws(ColumnFailure) {
        let names = ColumnTable.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let query =
            "SELECT table, name, type FROM system.columns WHERE database = '\(client.address.database)' AND table IN (\(names)) "
            + "FORMAT TabSeparated"
        let lines = Set(
            String(decoding: try await client.run(query), as: UTF8.self).split(separator: "\n").map(String.init)
        )
        for table in ColumnTable.allCases {
            for column in table.columns {
                let line = "\(table.rawValue)\t\(column.name)\t\(column.type.rawValue)"
                guard !lines.contains(line) else { continue }
                throw foreignTables("\(table.rawValue) has no column \(column.name) of type \(column.type.rawValue)")
            }
        }
    }

    private func foreignTables(_ reason: String) -> ColumnFailure {
        ColumnFailure(
            .tables,
            "The tables in \(client.address) were not created by trackway or are incomplete: \(reason). Create them "
                + "with `trackway-cluster cluster init` and --clickhouse \(client.address), or pass another database."
        )
    }
}
