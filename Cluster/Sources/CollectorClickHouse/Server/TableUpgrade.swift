// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Upgrades tables of versions 3 and 4.
///
/// Version 3 lacks the table of sign-ins, and both lack that of merged users. The rows are computed from the other
/// tables, so the stream may have been purged; aliases in expired weeks are not among them. Every step may run again,
/// and an interrupted upgrade starts over. No forwarder of an earlier version may run at the same time, because it would
/// write blocks without these rows.
struct TableUpgrade {
    /// The versions that can be upgraded.
    static let versions = 3...4
    /// The number of signed-in events that are sorted in one statement.
    private static let eventsPerStatement: Int64 = 2_000_000

    private let client: ClickHouseClient
    private let store: ClickHouseStore
    private let settings: [(String, String)]
    private let previous: Int

    /// Creates an upgrade.
    ///
    /// - Parameter previous: The version of the tables.
    init(from previous: Int, _ client: ClickHouseClient, _ version: ClickHouseVersion) {
        self.previous = previous
        self.client = client
        store = ClickHouseStore(client, version: version)
        settings = version.insertSettings
    }

    /// Adds the missing rows of all complete blocks.
    ///
    /// - Throws: ``ColumnFailure``.
    func run() async throws(ColumnFailure) {
        for table in [ColumnTable.signIns, .merges] { try await addColumn(of: table) }
        let block = try await store.completed()
        if previous < 4 { try await addSignIns(upTo: block) }
        try await addMerges(upTo: block)
    }

    private func addSignIns(upTo block: UInt64) async throws(ColumnFailure) {
        try await insert(Self.signInsOfOneUser(upTo: block))
        let shared = "installation IN (\(Self.sharedInstallations(upTo: block)))"
        let events = try await store.numbers(
            "SELECT toInt64(sum(events)) FROM people WHERE block <= \(block) AND user != '' AND \(shared)",
            columns: 1
        )
        let parts = (events.first ?? 0) / Self.eventsPerStatement + 1
        for part in 0..<parts {
            try await insert(
                Self.signIns(upTo: block, where: "cityHash64(installation) % \(parts) = \(part) AND \(shared)")
            )
        }
        try await insertSeparate(upTo: block)
    }

    private func addColumn(of table: ColumnTable) async throws(ColumnFailure) {
        let known = try await store.numbers(
            "SELECT toInt64(count()) FROM system.columns WHERE database = '\(client.address.database)' "
                + "AND table = '\(ColumnTable.blocks.rawValue)' AND name = '\(table.rawValue)'",
            columns: 1
        )
        guard known.first == 0 else { return }
        _ = try await client.run(
            "ALTER TABLE \(ColumnTable.blocks.rawValue) ADD COLUMN \(table.rawValue) UInt64",
            isLongRunning: true
        )
    }

    private func insert(_ rows: String) async throws(ColumnFailure) {
        let columns = ColumnTable.signIns.columns.map(\.name).joined(separator: ", ")
        let statement = "INSERT INTO \(ColumnTable.signIns.rawValue) (\(columns)) \(rows)"
        _ = try await client.run(statement, settings, isLongRunning: true)
    }

    private static func signedInRows(upTo block: UInt64) -> String {
        "block <= \(block) AND user != '' AND installation != \(SQLText.missingID)"
    }

    /// Returns a statement for the last event on each installation that has only one user.
    private static func signInsOfOneUser(upTo block: UInt64) -> String {
        "SELECT installation, max(last), any(number), any(user), argMax(block, last) FROM people "
            + "WHERE \(signedInRows(upTo: block)) GROUP BY installation HAVING min(user) = max(user)"
    }

    private static func sharedInstallations(upTo block: UInt64) -> String {
        "SELECT installation FROM people WHERE \(signedInRows(upTo: block)) GROUP BY installation HAVING min(user) != max(user)"
    }

    /// Returns a statement for the last event of each period.
    private static func signIns(upTo block: UInt64, where condition: String) -> String {
        let events =
            "SELECT installation, time, mark, user, b FROM (SELECT installation, time, user, block AS b FROM timeline "
            + "WHERE \(signedInRows(upTo: block)) AND \(condition)) AS t "
            + "ANY LEFT JOIN (SELECT user, any(number) AS mark FROM people WHERE user != '' GROUP BY user) AS m USING (user)"
        let sorted =
            "SELECT installation, arraySort(groupArray((time, mark, user, b))) AS s FROM (\(events)) GROUP BY installation"
        let ends =
            "SELECT installation, arrayFilter((x, n) -> tupleElement(x, 3) != tupleElement(n, 3), s, "
            + "arrayPushBack(arraySlice(s, 2), (toInt64(0), toInt64(0), '', toInt64(0)))) AS p FROM (\(sorted))"
        return "SELECT installation, tupleElement(x, 1), tupleElement(x, 2), tupleElement(x, 3), tupleElement(x, 4) "
            + "FROM (\(ends)) ARRAY JOIN p AS x"
    }

    /// Adds the statements of `_alias` events.
    ///
    /// The tables do not have the keys of events.
    private func addMerges(upTo block: UInt64) async throws(ColumnFailure) {
        let query =
            "SELECT position, block, time, received, installation, body FROM events FINAL WHERE block <= \(block) "
            + "AND name = \(SQLText.literal(CapturedName.alias)) AND installation != \(SQLText.missingID)"
        let answer = try await client.run(query + " FORMAT RowBinary", isLongRunning: true)
        var rows = RowBinary()
        do throws(RowFault) {
            try RowCursor.forEachRow(of: answer) { row throws(RowFault) in
                let (position, block, time) = (try row.position(), try row.int64(), try row.int64())
                let (received, installation) = (try row.time(), try row.installation())
                let body = try row.string()
                // Admission validated the text. An event that cannot be parsed has no attributes.
                let attributes = (try? JSONValue.parse(body))?["attributes"]?.object ?? JSONValue.Object()
                MergeRow(
                    MergeStatement(attributes: attributes, at: time),
                    at: position,
                    installation: installation,
                    key: "",
                    received: received
                ).write(to: &rows, block: block)
            }
        } catch {
            throw store.unreadable(query)
        }
        if !rows.bytes.isEmpty { try await store.insert(rows.bytes, into: .merges) }
    }

    /// Adds the rows of installations that keep anonymous events separate.
    private func insertSeparate(upTo block: UInt64) async throws(ColumnFailure) {
        func value(_ path: [String]) -> String { PositionRangeSQL.value(ColumnValues.name(of: path)) }
        let query =
            "SELECT installation, \(value(["user", "id"])) AS u, max(block) FROM contexts WHERE block <= \(block) "
            + "AND installation != \(SQLText.missingID) "
            + "AND \(value(["user", "separate"])) = \(SQLText.literal(QueryValue.boolean(true).columnBytes)) GROUP BY installation, u"
        let answer = try await client.run(query + " FORMAT RowBinary", isLongRunning: true)
        var rows = RowBinary()
        do throws(RowFault) {
            try RowCursor.forEachRow(of: answer) { row throws(RowFault) in
                let (installation, user) = (try row.idHalves(), try row.optionalText())
                let last = try row.int64()
                if let user, !PlaceholderUserID.contains(user) { return }
                rows.idHalves(installation.high, installation.low)
                rows.integer(SignIn.separate.time)
                rows.integer(SignIn.separate.mark)
                rows.string("")
                rows.integer(last)
            }
        } catch {
            throw store.unreadable(query)
        }
        if !rows.bytes.isEmpty { try await store.insert(rows.bytes, into: .signIns) }
    }
}
