// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

/// The table operations needed to erase users.
package protocol UserErasureStore: Sendable {
    /// Returns the sequence of the last record of the complete blocks; 0 for none.
    func lastRecord() async throws(ColumnFailure) -> UInt64

    /// Returns the number of consecutive existing blocks, starting with the first.
    func completed() async throws(ColumnFailure) -> UInt64

    /// Returns all installations of a user, except erased ones.
    ///
    /// Merged users are not included: each one has its own request, because the statements that merge them can change
    /// before the last request is carried out.
    ///
    /// - Parameter isErased: Whether the erasure of another user was requested. An installation of erased users only is
    ///   not shared.
    func installations(
        of user: String,
        _ isErased: @Sendable (String) -> Bool
    ) async throws(ColumnFailure) -> [UserInstallation]

    /// Returns the number of events that the erasure of a user would remove.
    ///
    /// - Parameter isErased: Whether the erasure of another user was requested.
    func eventCount(of user: String, _ isErased: @Sendable (String) -> Bool) async throws(ColumnFailure) -> Int

    /// Returns the ids of all users with rows of blocks after the given one.
    func users(after block: UInt64) async throws(ColumnFailure) -> [String]

    /// Removes a person's rows, and corrects the sums of the others.
    ///
    /// The call can be repeated, also after a process was killed while it ran.
    ///
    /// - Parameter rejections: The positions of the person's rejected events and batches.
    func removeRows(of plan: ErasurePlan, rejections: [Int64]) async throws(ColumnFailure)

    /// Returns the number of rows that still belong to a person.
    func remainingRows(of plan: ErasurePlan) async throws(ColumnFailure) -> Int

    /// Waits until the server has deleted the files with removed rows.
    ///
    /// - Parameter sleep: Waits; returns early when canceled.
    func waitForRemovedParts(_ sleep: @Sendable (Duration) async -> Void) async throws(ColumnFailure)
}

extension ClickHouseStore: UserErasureStore {
    /// The time after which a change that is not complete counts as failed; it is requested again.
    private static let changeTimeout = 6_000
    /// The maximum number of rows in one statement.
    private static let rowsPerStatement = 300

    private var sql: UserErasureSQL { UserErasureSQL(database: client.address.database) }

    package func eventCount(
        of user: String,
        _ isErased: @Sendable (String) -> Bool
    ) async throws(ColumnFailure) -> Int {
        try await erasurePreview(of: [user], user, isErased)?.events ?? 0
    }

    package func removeRows(of plan: ErasurePlan, rejections: [Int64]) async throws(ColumnFailure) {
        guard let user = plan.user else { return try await waitForChanges() }
        for table in ErasingTable.allCases { _ = try await client.run(table.createStatement) }
        var row = RowBinary()
        row.string(user)
        try await client.insert(
            "INSERT INTO \(ErasingTable.users.rawValue) (user) FORMAT RowBinary",
            row.bytes,
            version.insertSettings
        )
        for statement in sql.collect(plan) {
            _ = try await client.run(statement, version.insertSettings, isLongRunning: true)
        }
        try await collectRejections(user, rejections)
        try await delete(sql.deletions)
        try await delete(sql.unusedContexts)
        try await delete(sql.contextRows)
        for rows in sql.lastUsers {
            _ = try await client.run(rows.collect, version.insertSettings, isLongRunning: true)
            try await delete([(rows.table, sql.isErasedUser)])
            _ = try await client.run(rows.restore, version.insertSettings, isLongRunning: true)
        }
        for correction in sql.corrections { try await correct(correction) }
        try await correctBlocks()
        // These rows show that the removal is incomplete, so they are removed last.
        try await delete([(.people, sql.isErasedUser)])
        let isImmediate = version.dropsTablesLater ? " SYNC" : ""
        for table in ErasingTable.allCases {
            _ = try await client.run("DROP TABLE IF EXISTS \(table.rawValue)\(isImmediate)", isLongRunning: true)
        }
    }

    private func collectRejections(_ user: String, _ positions: [Int64]) async throws(ColumnFailure) {
        for start in stride(from: 0, to: positions.count, by: 1_000) {
            let part = positions[start..<min(positions.count, start + 1_000)]
            _ = try await client.run(sql.collectRejections(at: part), version.insertSettings, isLongRunning: true)
        }
        var row = RowBinary()
        row.string(JSONValue.string(user).json())
        let given = ClickHouseClient.ExternalTable(name: "given", structure: "mark String", rows: row.bytes)
        _ = try await client.run(sql.collectRejections, with: [given])
    }

    /// Deletes rows, and waits until they are deleted.
    private func delete(_ deletions: [(ColumnTable, String)]) async throws(ColumnFailure) {
        for (table, condition) in deletions {
            _ = try await client.run("ALTER TABLE \(table.rawValue) DELETE WHERE \(condition)", isLongRunning: true)
        }
        try await waitForChanges()
    }

    private func correct(_ correction: UserErasureSQL.Correction) async throws(ColumnFailure) {
        let width = max(correction.columns.count, 1) + 1
        let found = try await numbers(correction.values, columns: width)
        var (changed, empty): ([[Int64]], [Int64]) = ([], [])
        for start in stride(from: 0, to: found.count, by: width) {
            let row = Array(found[start..<start + width])
            if correction.deletesEmpty, row[1] == 0 { empty.append(row[0]) } else { changed.append(row) }
        }
        func list(_ values: [Int64], _ type: ColumnTable.Kind = .int64) -> String {
            "[" + values.map { "to\(type.rawValue)(\($0))" }.joined(separator: ", ") + "]"
        }
        for start in stride(from: 0, to: changed.count, by: Self.rowsPerStatement) {
            let part = changed[start..<min(changed.count, start + Self.rowsPerStatement)]
            let keys = list(part.map { $0[0] })
            let assignments = correction.columns.enumerated().map { index, column in
                "\(column.name) = transform(\(correction.key), \(keys), "
                    + "\(list(part.map { $0[index + 1] }, column.type)), \(column.name))"
            }
            _ = try await client.run(
                "ALTER TABLE \(correction.table.rawValue) UPDATE \(assignments.joined(separator: ", ")) "
                    + "WHERE has(\(keys), \(correction.key))",
                isLongRunning: true
            )
        }
        for start in stride(from: 0, to: empty.count, by: Self.rowsPerStatement) {
            let part = Array(empty[start..<min(empty.count, start + Self.rowsPerStatement)])
            _ = try await client.run(
                "ALTER TABLE \(correction.table.rawValue) DELETE WHERE has(\(list(part)), \(correction.key))",
                isLongRunning: true
            )
        }
        // Later corrections are computed from the corrected rows.
        if !changed.isEmpty || !empty.isEmpty { try await waitForChanges() }
    }

    /// Corrects the row counts of the blocks with erased events, so that an audit does not miss the erased rows.
    private func correctBlocks() async throws(ColumnFailure) {
        let stated = try await numbers(
            "SELECT block, \((["rows"] + ColumnTable.counted.map(\.rawValue)).map { "toInt64(max(\($0)))" }.joined(separator: ", ")) "
                + "FROM blocks WHERE \(sql.isAffectedBlock) GROUP BY block",
            columns: ColumnTable.counted.count + 2
        )
        guard !stated.isEmpty else { return }
        var found: [[Int64: Int64]] = []
        for table in [ColumnTable.ids] + ColumnTable.counted {
            let counts = try await numbers(
                "SELECT block, toInt64(uniqExact(\(table.key.joined(separator: ", ")))) FROM \(table.rawValue) "
                    + "WHERE \(sql.isAffectedBlock) GROUP BY block",
                columns: 2
            )
            found.append(
                stride(from: 0, to: counts.count, by: 2).reduce(into: [:]) { $0[counts[$1]] = counts[$1 + 1] }
            )
        }
        let width = found.count + 1
        let rows = stride(from: 0, to: stated.count, by: width).map { start in
            [stated[start]] + found.indices.map { min(stated[start + 1 + $0], found[$0][stated[start]] ?? 0) }
        }
        for start in stride(from: 0, to: rows.count, by: Self.rowsPerStatement) {
            let part = rows[start..<min(rows.count, start + Self.rowsPerStatement)]
            let keys = "[" + part.map { "toInt64(\($0[0]))" }.joined(separator: ", ") + "]"
            let names = ["rows"] + ColumnTable.counted.map(\.rawValue)
            let assignments = names.enumerated().map { index, name in
                "\(name) = transform(block, \(keys), [\(part.map { "toUInt64(\($0[index + 1]))" }.joined(separator: ", "))], \(name))"
            }
            _ = try await client.run(
                "ALTER TABLE blocks UPDATE \(assignments.joined(separator: ", ")) WHERE has(\(keys), block)",
                isLongRunning: true
            )
        }
        try await waitForChanges()
    }

    /// Waits until all requested changes of tables are complete.
    private func waitForChanges() async throws(ColumnFailure) {
        for attempt in 0..<Self.changeTimeout {
            let left = try await numbers(
                "SELECT toInt64(count()) FROM system.mutations WHERE database = '\(client.address.database)' AND NOT is_done",
                columns: 1
            )
            if left.first == 0 { return }
            // A canceled sleep ends early; the next query then fails.
            try? await ContinuousClock().sleep(for: .milliseconds(attempt < 20 ? 25 : 100))
            if Task.isCancelled { break }
        }
        throw ColumnFailure(
            .busy,
            "Changes of the tables in \(client.address) are not complete: see system.mutations. They will be requested again."
        )
    }

    package func remainingRows(of plan: ErasurePlan) async throws(ColumnFailure) -> Int {
        var count = 0
        for installation in plan.installations {
            for table in ColumnTable.installationTables {
                let found = try await numbers(
                    "SELECT toInt64(count()) FROM \(table.rawValue) WHERE installation = \(SQLText.literal(installation))",
                    columns: 1
                )
                count += Int(clamping: found.first ?? 0)
            }
        }
        guard let user = plan.user else { return count }
        var row = RowBinary()
        row.string(user)
        let given = ClickHouseClient.ExternalTable(name: "given", structure: "user String", rows: row.bytes)
        let name = SQLText.literal(ColumnValues.name(of: ["user", "id"]))
        let conditions: [(ColumnTable, String)] =
            [.events, .sessions, .people, .visits, .timeline, .traits, .signIns, .devices].map {
                ($0, "user IN (SELECT user FROM given)")
            } + [
                (.places, "kind = \(PlaceAggregates.OwnerKind.user.rawValue) AND whose IN (SELECT user FROM given)"),
                (.contexts, "values[indexOf(names, \(name))] IN (SELECT concat('t', user) FROM given)"),
                (.merges, "user IN (SELECT user FROM given) OR target IN (SELECT user FROM given)"),
            ]
        for (table, condition) in conditions {
            let query = "SELECT toInt64(count()) FROM \(table.rawValue) WHERE \(condition) FORMAT RowBinary"
            let answer = try await client.run(query, with: [given])
            do throws(RowFault) {
                try RowCursor.forEachRow(of: answer) { row throws(RowFault) in count += Int(clamping: try row.int64()) }
            } catch {
                throw unreadable(query)
            }
        }
        return count
    }

    package func waitForRemovedParts(_ sleep: @Sendable (Duration) async -> Void) async throws(ColumnFailure) {
        let query =
            "SELECT concat(table, ' ', name) FROM system.parts WHERE database = '\(client.address.database)' AND NOT active "
            + "FORMAT TabSeparated"
        func parts() async throws(ColumnFailure) -> Set<Substring> {
            Set(String(decoding: try await client.run(query), as: UTF8.self).split(separator: "\n"))
        }
        let removed = try await parts()
        while !Task.isCancelled, try await !removed.isDisjoint(with: parts()) { await sleep(.milliseconds(500)) }
    }
}
