// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore

/// Quarter hours, the intervals by which events with a name are counted.
///
/// In nearly every time zone, midnight is the beginning of a quarter hour.
enum QuarterSQL {
    /// The length of a quarter hour in milliseconds.
    static let length: Int64 = 900_000

    /// Returns the number of the quarter hour that contains a time.
    ///
    /// Quarter hours are counted from 1970.
    static func quarter(of milliseconds: Int64) -> Int64 {
        // Clients may send any number, so adding to it might overflow.
        milliseconds / length - (milliseconds % length < 0 ? 1 : 0)
    }

    /// The number of the quarter hour of the column `time`.
    static let ofTime = "intDiv(time, \(length)) - if(modulo(time, \(length)) < 0, 1, 0)"
}

/// Corrects the counts of names when installations are erased.
///
/// A row counts all installations of a block together, so it cannot be removed when one of them is erased. Instead, the
/// blocks with data from an erased installation are recounted from their events. The new rows have the keys of the
/// existing ones, and a version that makes them take precedence: the number of the last block that erased an
/// installation. Therefore, rows that a delayed process rewrites later change nothing.
///
/// Blocks whose events expired by age keep their counts, because the events to recount are gone.
enum NameCountSQL {
    /// Returns the statement that recounts names, excluding the given installations and all erased ones.
    ///
    /// The statement may run any number of times, but must run at least once before the installations' rows are
    /// removed.
    ///
    /// - Parameter list: The installations, as literals.
    static func recount(without list: String) -> String {
        let all = "SELECT DISTINCT block FROM devices WHERE installation IN (\(list))"
        let blocks = "(\(all) AND block NOT IN (\(RetainedWeekSQL.expiredBlocks(where: "block IN (\(all))"))))"
        let columns = ColumnTable.names.columns.map(\.name).joined(separator: ", ")
        return "INSERT INTO names (\(columns)) SELECT n, q, b, sum(e), min(f), max(l), min(p), "
            + "toUInt64((SELECT max(block) FROM erasures)) FROM ("
            + "SELECT name AS n, quarter AS q, block AS b, toUInt64(0) AS e, toInt64(\(Int64.max)) AS f, "
            + "toInt64(\(Int64.min)) AS l, toInt64(\(Int64.max)) AS p FROM names WHERE block IN \(blocks) "
            + "UNION ALL SELECT name AS n, toInt64(\(QuarterSQL.ofTime)) AS q, block AS b, toUInt64(1) AS e, time AS f, time AS l, "
            + "position AS p FROM events FINAL WHERE block IN \(blocks) AND installation NOT IN (\(list)) "
            + "AND installation NOT IN (SELECT installation FROM erasures)) GROUP BY n, q, b"
    }
}
