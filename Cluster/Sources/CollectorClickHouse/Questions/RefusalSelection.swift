// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What stands refused, place by place, as a statement: of everything that was refused what was not admitted since, with the reason that
/// it is refused for now. In SQL that versions from 18.16 on take.
struct RefusalSelection {
    /// What can be read of what stands refused.
    enum Column: String, CaseIterable {
        case received, key, code, field, message, content, total, name, version
        /// How many bytes the content has.
        case size

        /// As an expression over a row.
        func sql(contentBytes: Int?) -> String {
            switch self {
            case .size: "toUInt64(length(content))"
            case .content: contentBytes.map { "substring(content, 1, \($0))" } ?? "content"
            case .received, .key, .code, .field, .message, .total, .name, .version: rawValue
            }
        }

        /// Whether it is as it was said last, and not as it was at first.
        var isOfReason: Bool { self == .code || self == .field || self == .message }
    }

    /// The last block that counts.
    let block: UInt64
    /// What must hold of `position`, before anything else is read; empty for nothing.
    var places = ""
    /// What must hold of the columns; empty for nothing.
    var condition = ""
    /// So many bytes of the content are read; nil for all.
    var contentBytes: Int?

    /// `SELECT position, … FROM …` with these columns.
    func sql(_ columns: [Column]) -> String {
        let all = ["position"] + columns.map(\.rawValue)
        let source = "SELECT \(all.joined(separator: ", ")) FROM (\(plain(columns)) UNION ALL \(folded(columns)))"
        return condition.isEmpty ? source : source + " WHERE \(condition)"
    }

    private var rows: String {
        "FROM failures FINAL WHERE block <= \(block) AND installation NOT IN (SELECT installation FROM erasures)"
            + (places.isEmpty ? "" : " AND \(places)")
    }

    /// Places at which more happened than that something was refused. They are few.
    private var touched: String { "(SELECT position FROM failures WHERE kind != 0 AND block <= \(block))" }

    private func plain(_ columns: [Column]) -> String {
        let list = ["position"] + columns.map { "\($0.sql(contentBytes: contentBytes)) AS \($0.rawValue)" }
        // What is named like a column would be taken for it in conditions.
        let inner =
            "SELECT \(Self.read(columns).joined(separator: ", ")) \(rows) AND kind = 0 AND position NOT IN \(touched)"
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

    /// Follows the steps of each place: the first refusal behind the last admission stands, for the reason that was said last.
    private func folded(_ columns: [Column]) -> String {
        // What a function of lists takes from outside has to stand elsewhere in the statement, too: old versions forget it else.
        let steps = "block * 268435456 + number"
        let gathered = columns.map { "groupArray(\($0.sql(contentBytes: contentBytes))) AS all_\($0.rawValue)" }
        let passed = columns.map { "all_\($0.rawValue)" }
        func list(_ parts: [String]) -> String { (["position"] + parts).joined(separator: ", ") }
        let first =
            "SELECT \(list(["groupArray(\(steps)) AS cs", "groupArray(kind) AS ks"] + gathered)) FROM "
            + "(SELECT \((Self.read(columns) + ["block", "number", "kind"]).joined(separator: ", ")) \(rows) "
            + "AND position IN \(touched)) GROUP BY position"
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
        let taken = columns.map { "all_\($0.rawValue)[\($0.isOfReason ? "r" : "f")] AS \($0.rawValue)" }
        return "SELECT \(list(taken)) FROM (\(sixth))"
    }
}
