// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector

/// Quarters of an hour, by which events of a name are counted: every zone's midnight is one's beginning.
enum QuarterSQL {
    /// In milliseconds.
    static let length: Int64 = 900_000

    /// The quarter of a moment, counted from 1970.
    static func quarter(of milliseconds: Int64) -> Int64 {
        // Any number may have been sent: nothing is added to it.
        milliseconds / length - (milliseconds % length < 0 ? 1 : 0)
    }

    /// The quarter of the column `time`.
    static let ofTime = "intDiv(time, \(length)) - if(modulo(time, \(length)) < 0, 1, 0)"
}

/// Keeps the counts of names right when somebody is erased.
///
/// A row counts for all installations of a block together, so it cannot be removed with one of them. The blocks that have something of it
/// are counted anew from their events. The rows have the keys that are there already, and a number by which they count in place of
/// those: that of the last block that erased somebody, so that rows which are written again later, by whoever slept, change nothing.
///
/// Blocks whose events went by age keep their counts as they are: there is nothing to count them anew from.
enum NameCounts {
    /// The statement that counts anew, without some installations and without all who are erased. It may be carried out any number of times, as
    /// long as it was carried out once before rows of the installations are removed.
    ///
    /// - Parameter list: The installations, as literals.
    static func recount(without list: String) -> String {
        let all = "SELECT DISTINCT block FROM devices WHERE installation IN (\(list))"
        let blocks = "(\(all) AND block NOT IN (\(KeptWeeks.blocksGone(where: "block IN (\(all))"))))"
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
