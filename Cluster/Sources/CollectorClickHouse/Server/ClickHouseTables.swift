// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Which streams a database's tables are made of. A stream of the same name that was made anew is another.
package struct ColumnOrigin: Sendable, Hashable {
    /// The stream of records, and when it was made, in the engine's words.
    package var records: String
    /// The stream of decisions, and when it was made.
    package var decisions: String

    /// An origin.
    package init(records: String, decisions: String) {
        self.records = records
        self.decisions = decisions
    }
}

/// What there is to tell of a server and its tables.
package struct ColumnReport: Sendable, Hashable {
    /// The server's version.
    package var version: String
    /// How many blocks are written from the first one on, without a gap.
    package var blocks: UInt64
    /// The sequence of the last record of the last of them; 0 for none.
    package var last: UInt64
    /// How many events all blocks have.
    package var events: UInt64

    /// A report.
    package init(version: String, blocks: UInt64, last: UInt64, events: UInt64) {
        self.version = version
        self.blocks = blocks
        self.last = last
        self.events = events
    }
}

/// Makes the tables of a database, and sees whether they are what they have to be.
package struct ClickHouseTables: Sendable {
    private static let versionMark = "tables"
    private static let recordsMark = "records"
    private static let decisionsMark = "decisions"

    private let client: ClickHouseClient

    /// The tables behind a client.
    package init(_ client: ClickHouseClient) {
        self.client = client
    }

    /// The server's version.
    ///
    /// - Throws: ``ColumnFailure``.
    package func serverVersion() async throws(ColumnFailure) -> ClickHouseVersion {
        let answer = String(
            decoding: try await client.ask("SELECT version()", database: false).prefix(64),
            as: UTF8.self
        )
        guard let version = ClickHouseVersion(answer.prefix { $0 != "\n" }) else {
            throw ColumnFailure(
                .stranger,
                "At \(client.address.server) is no ClickHouse: it does not tell its version. Name its port of HTTP behind \(client.option)."
            )
        }
        return version
    }

    /// Makes what is missing, and notes of which streams the tables are.
    ///
    /// - Returns: Whether there were none of ours.
    /// - Throws: ``ColumnFailure``, also when they are of other streams, or of a newer version.
    package func make(of origin: ColumnOrigin) async throws(ColumnFailure) -> Bool {
        let version = try await serverVersion()
        _ = try await client.ask("CREATE DATABASE IF NOT EXISTS \(client.address.database)", database: false)
        _ = try await client.ask(
            "CREATE TABLE IF NOT EXISTS \(ClickHouseStore.markTable) (name String, value String) "
                + "ENGINE = ReplacingMergeTree ORDER BY (name, value)"
        )
        let marks = try await marks()
        try check(marks, isNew: true)
        for table in ColumnTable.allCases {
            _ = try await client.ask(table.creation(settings: version.tableSettings))
        }
        try await checkColumns()
        if let known = self.origin(of: marks) {
            try check(known, origin)
            return false
        }
        try await write(
            [
                (Self.recordsMark, origin.records), (Self.decisionsMark, origin.decisions),
                (Self.versionMark, "\(ColumnTable.version)"),
            ],
            version
        )
        return true
    }

    /// Sees that the tables are ours, of a version that is known here, and made of these streams.
    ///
    /// - Parameter origin: The streams; nil when that is not known.
    /// - Returns: The tables, to be written into.
    /// - Throws: ``ColumnFailure``.
    package func open(of origin: ColumnOrigin?) async throws(ColumnFailure) -> ClickHouseStore {
        let version = try await serverVersion()
        let marks = try await marks()
        try check(marks, isNew: false)
        try await checkColumns()
        if let origin {
            guard let known = self.origin(of: marks) else {
                throw strangers("they do not say of which stream they are")
            }
            try check(known, origin)
        }
        return ClickHouseStore(client, version: version)
    }

    /// Sees that the tables are ours, of the version that is known here, and made of a stream of records.
    ///
    /// - Parameter records: The stream, as ``ColumnOrigin/records`` has it; nil when that is not known.
    /// - Returns: The tables, to be read, and the server's version.
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

    /// Looks at everything, writing included.
    ///
    /// - Throws: ``ColumnFailure``.
    package func report(of origin: ColumnOrigin?) async throws(ColumnFailure) -> ColumnReport {
        let store = try await open(of: origin)
        let version = try await serverVersion()
        // What is there already is written again: that changes nothing, and shows whether writing goes.
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
        let answer = String(decoding: try await client.ask(query), as: UTF8.self)
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
        let versions = marks[Self.versionMark] ?? []
        if versions.isEmpty, isNew { return }
        guard let highest = versions.compactMap({ Int($0) }).max() else {
            throw strangers("they do not say of which version they are")
        }
        guard highest <= ColumnTable.version else {
            throw ColumnFailure(
                .tables,
                "The tables in \(client.address) are of version \(highest), and this trackway knows version \(ColumnTable.version): a newer "
                    + "one made them. Install that version here, too."
            )
        }
        guard highest == ColumnTable.version else {
            throw ColumnFailure(
                .tables,
                "The tables in \(client.address) are of version \(highest), and this trackway writes version \(ColumnTable.version), which "
                    + "has more columns: an older one made them. Name another database behind \(client.option), prepare it with `trackway "
                    + "engine init`, and `trackway-cluster forward` fills it from the stream."
            )
        }
    }

    private func origin(of marks: [String: Set<String>]) -> ColumnOrigin? {
        guard let records = marks[Self.recordsMark], let decisions = marks[Self.decisionsMark], !records.isEmpty else {
            return nil
        }
        // Two of a kind are of two streams, and then the tables are of neither.
        return ColumnOrigin(
            records: records.sorted().joined(separator: " and "),
            decisions: decisions.sorted().joined(separator: " and ")
        )
    }

    private func check(_ known: ColumnOrigin, _ origin: ColumnOrigin) throws(ColumnFailure) {
        for (has, wanted) in [(known.records, origin.records), (known.decisions, origin.decisions)] where has != wanted
        {
            throw ColumnFailure(
                .tables,
                "The tables in \(client.address) were made of the stream \(has), and the engine has \(wanted): it was made anew, or is "
                    + "another. See what became of it; to begin anew, name another database behind \(client.option), and prepare it with `trackway "
                    + "engine init`."
            )
        }
    }

    private func checkColumns() async throws(ColumnFailure) {
        let names = ColumnTable.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let query =
            "SELECT table, name, type FROM system.columns WHERE database = '\(client.address.database)' AND table IN (\(names)) "
            + "FORMAT TabSeparated"
        let lines = Set(
            String(decoding: try await client.ask(query), as: UTF8.self).split(separator: "\n").map(String.init)
        )
        for table in ColumnTable.allCases {
            for column in table.columns {
                let line = "\(table.rawValue)\t\(column.name)\t\(column.type.rawValue)"
                guard !lines.contains(line) else { continue }
                throw strangers("\(table.rawValue) has no column \(column.name) of type \(column.type.rawValue)")
            }
        }
    }

    private func strangers(_ reason: String) -> ColumnFailure {
        ColumnFailure(
            .tables,
            "The tables in \(client.address) are not trackway's, or not whole: \(reason). Make them with `trackway-cluster engine init` and "
                + "--to \(client.address), or name another database."
        )
    }
}
