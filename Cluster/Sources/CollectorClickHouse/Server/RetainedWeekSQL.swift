// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The first week whose events are kept, in SQL.
///
/// The SQL works with ClickHouse 18.16 and later. The week is recorded as a mark rather than in a separate table: the
/// current version of the tables has marks, and programs that do not know this mark ignore it.
enum RetainedWeekSQL {
    /// The mark's name.
    ///
    /// There may be several marks with this name; the highest value is used.
    static let mark = "kept_from_week"

    /// The week, as an expression; -1 if no week has ever expired.
    static let week =
        "(SELECT if(count() > 0, max(toInt64OrZero(value)), toInt64(-1)) FROM \(ClickHouseStore.markTable) "
        + "WHERE name = '\(mark)')"

    /// Returns a query for the blocks whose events are no longer kept.
    ///
    /// A block contains events of only one week.
    ///
    /// - Parameter condition: A condition on the column `block` that selects the blocks to consider.
    static func expiredBlocks(where condition: String) -> String {
        "SELECT DISTINCT block FROM places WHERE kind = \(PlaceAggregates.OwnerKind.all.rawValue) AND whose = '' AND \(condition) "
            + "AND intDiv(arrived, \(BlockCutter.millisecondsPerWeek)) < \(week)"
    }
}

extension ClickHouseStore: ExpiryStore {
    package func firstWeek() async throws(ColumnFailure) -> Int64? {
        let found = try await numbers("SELECT \(RetainedWeekSQL.week)", columns: 1)
        return found.first.flatMap { $0 < 0 ? nil : $0 }
    }

    package func clock() async throws(ColumnFailure) -> Timestamp {
        let seconds = try await numbers("SELECT toInt64(toUnixTimestamp(now()))", columns: 1)
        return Timestamp(milliseconds: (seconds.first ?? 0) * 1_000)
    }

    package func weeks() async throws(ColumnFailure) -> [StoredWeek] {
        let rows = try await numbers(
            "SELECT toInt64(partition) AS p, toInt64(sum(rows)), toInt64(sum(bytes_on_disk)) FROM system.parts WHERE active "
                + "AND database = '\(client.address.database)' AND table = '\(ColumnTable.events.rawValue)' GROUP BY p ORDER BY p",
            columns: 3
        )
        return stride(from: 0, to: rows.count, by: 3).map { index in
            StoredWeek(
                number: rows[index],
                rows: UInt64(clamping: rows[index + 1]),
                bytes: UInt64(clamping: rows[index + 2])
            )
        }
    }

    package func recordFirstWeek(_ week: Int64) async throws(ColumnFailure) {
        try await mark(RetainedWeekSQL.mark, "\(week)")
    }

    package func drop(week: Int64) async throws(ColumnFailure) {
        for table in ColumnTable.partitionedByWeek {
            _ = try await client.run("ALTER TABLE \(table.rawValue) DROP PARTITION \(week)", isLongRunning: true)
        }
    }
}
