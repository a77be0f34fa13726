// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An SQL statement that selects the rejections in effect, by position.
///
/// These are all rejections that were not followed by an admission, each with its current reason. The SQL works with
/// ClickHouse 18.16 and later.
struct RejectionSelection {
    /// The columns of a rejection.
    enum Column: String, CaseIterable {
        case received, key, code, field, message, content, total, name, version
        /// The size of the content in bytes.
        case size

        /// Returns the column as an expression over a row.
        func sql(contentBytes: Int?) -> String {
            switch self {
            case .size: "toUInt64(length(content))"
            case .content: contentBytes.map { "substring(content, 1, \($0))" } ?? "content"
            case .received, .key, .code, .field, .message, .total, .name, .version: rawValue
            }
        }

        /// Whether the latest value is used, rather than the original one.
        var usesLatestValue: Bool { self == .code || self == .field || self == .message }
    }

    /// The last block to include.
    let block: UInt64
    /// The condition on `position`, applied before anything else is read; empty for none.
    var positionCondition = ""
    /// The condition on the columns; empty for none.
    var condition = ""
    /// The maximum number of content bytes to read; nil for all.
    var contentBytes: Int?

    /// Returns `SELECT position, … FROM …` with the given columns.
    func sql(_ columns: [Column]) -> String {
        let all = ["position"] + columns.map(\.rawValue)
        let source = "SELECT \(all.joined(separator: ", ")) FROM (\(unchanged(columns)) UNION ALL \(changed(columns)))"
        return condition.isEmpty ? source : source + " WHERE \(condition)"
    }

    private var rows: String {
        "FROM failures FINAL WHERE block <= \(block) AND installation NOT IN (SELECT installation FROM erasures)"
            + (positionCondition.isEmpty ? "" : " AND \(positionCondition)")
    }

    /// The positions that have steps other than a rejection; there are few of them.
    private var changedPositions: String { "(SELECT position FROM failures WHERE kind != 0 AND block <= \(block))" }

    private func unchanged(_ columns: [Column]) -> String {
        let list = ["position"] + columns.map { "\($0.sql(contentBytes: contentBytes)) AS \($0.rawValue)" }
        // An alias with a column's name would replace the column in conditions.
        let inner =
            "SELECT \(Self.read(columns).joined(separator: ", ")) \(rows) AND kind = 0 AND position NOT IN \(changedPositions)"
        return "SELECT \(list.joined(separator: ", ")) FROM (\(inner))"
    }

    private static func read(_ columns: [Column]) -> [String] {
        var names = ["position"]
        for column in columns {
            let name = column == .size ? Column.content.rawValue : column.rawValue
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// Returns a statement that follows the steps of each position.
    ///
    /// The first rejection after the last admission is in effect, with the latest reason.
    private func changed(_ columns: [Column]) -> String {
        // Columns that a lambda captures must also occur elsewhere in the statement; otherwise old versions of
        // ClickHouse lose them.
        let steps = "block * 268435456 + number"
        let grouped = columns.map { "groupArray(\($0.sql(contentBytes: contentBytes))) AS all_\($0.rawValue)" }
        let passed = columns.map { "all_\($0.rawValue)" }
        func list(_ parts: [String]) -> String { (["position"] + parts).joined(separator: ", ") }
        let first =
            "SELECT \(list(["groupArray(\(steps)) AS cs", "groupArray(kind) AS ks"] + grouped)) FROM "
            + "(SELECT \((Self.read(columns) + ["block", "number", "kind"]).joined(separator: ", ")) \(rows) "
            + "AND position IN \(changedPositions)) GROUP BY position"
        let second =
            "SELECT \(list(["cs", "ks"] + passed)), "
            + "arrayReduce('max', arrayFilter((c, k) -> k = 1, cs, ks)) AS gone FROM (\(first))"
        let third =
            "SELECT \(list(["cs", "ks"] + passed)), "
            + "arrayFilter((c, k) -> (k = 0 OR k = 3) AND c > gone, cs, ks) AS standing FROM (\(second)) WHERE gone >= 0"
        let fourth =
            "SELECT \(list(["cs", "ks"] + passed)), arrayReduce('min', standing) AS begun FROM (\(third)) "
            + "WHERE notEmpty(standing)"
        let fifth =
            "SELECT \(list(["cs"] + passed)), begun, "
            + "arrayReduce('max', arrayFilter((c, k) -> k = 2 AND c > begun, cs, ks)) AS said FROM (\(fourth))"
        let sixth =
            "SELECT \(list(passed)), indexOf(cs, begun) AS f, indexOf(cs, if(said = 0, begun, said)) AS r FROM (\(fifth))"
        let latest = columns.map { "all_\($0.rawValue)[\($0.usesLatestValue ? "r" : "f")] AS \($0.rawValue)" }
        return "SELECT \(list(latest)) FROM (\(sixth))"
    }
}
