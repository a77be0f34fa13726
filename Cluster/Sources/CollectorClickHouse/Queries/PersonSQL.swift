// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore

/// The users that anonymous events belong to, as SQL.
///
/// The expressions apply the rules of ``SignInHistory`` to the rows of ``ColumnTable/signIns``. They work with
/// ClickHouse 18.16 and later.
enum PersonSQL {
    /// The columns of an event that determine its person: the signed-in user, and otherwise the installation.
    static let eventColumns = "user AS signed, if(user = '', installation, \(SQLText.missingID)) AS anonymous"

    /// Returns a statement for events with the users they belong to.
    ///
    /// - Parameters:
    ///   - events: A source of events with `time` and ``eventColumns``.
    ///   - columns: The columns to select in addition to `user`, including `time`.
    ///   - merged: The merged users.
    static func resolve(_ events: String, columns: [String], upTo block: UInt64, _ merged: MergedUsers) -> String {
        // The lambda may only use columns of the innermost statement, or old versions do not find them.
        let joined =
            "SELECT \((columns + ["signed", "ends", "owners"]).joined(separator: ", ")) FROM \(events) AS v "
            + "ANY LEFT JOIN (\(periods(upTo: block))) AS h USING (anonymous)"
        return merged.mapped(
            "SELECT \(columns.joined(separator: ", ")), \(owner) AS user FROM (\(joined))",
            columns: columns
        )
    }

    /// The user of an event; empty if it belongs to no user.
    ///
    /// Old versions read a column only if it also occurs outside the lambda, hence the condition that is never true.
    private static let owner =
        "if(signed != '' OR time < toInt64(\(Int64.min)), signed, arrayFirst((o, e) -> e >= time, owners, ends))"

    /// Returns a statement for the users of each installation's anonymous events.
    ///
    /// Anonymous events up to a time of `ends` and after the previous one belong to the user of `owners`. Installations
    /// whose anonymous events belong to no user are omitted.
    ///
    /// - Parameter condition: A condition on the rows of ``ColumnTable/signIns``.
    static func periods(upTo block: UInt64, where condition: String = "1") -> String {
        let sorted =
            "SELECT installation, arraySort(groupArray((time, mark, user))) AS s FROM sign_ins "
            + "WHERE block <= \(block) AND \(condition) GROUP BY installation HAVING min(user) != ''"
        // The last event of each period is followed by one of another user.
        let ends =
            "SELECT installation, arrayFilter((x, n) -> tupleElement(x, 3) != tupleElement(n, 3), s, "
            + "arrayPushBack(arraySlice(s, 2), (toInt64(0), toInt64(0), ''))) AS p FROM (\(sorted))"
        return "SELECT installation AS anonymous, arrayMap(x -> tupleElement(x, 1), p) AS ends, "
            + "arrayMap(x -> tupleElement(x, 3), p) AS owners FROM (\(ends)) WHERE length(p) <= \(SignInHistory.maximumPeriods)"
    }

    /// Returns a statement for the end of the last period on each installation.
    ///
    /// - Parameter condition: A condition on the rows of ``ColumnTable/signIns``.
    static func lastEnds(upTo block: UInt64, where condition: String = "1") -> String {
        "SELECT anonymous AS visitor, ends[length(ends)] AS end, toUInt8(1) AS joins "
            + "FROM (\(periods(upTo: block, where: condition)))"
    }

    /// The condition that a row with the last event time `l`, joined with ``lastEnds(upTo:where:)``, is a person.
    ///
    /// A visitor is not a separate person if its last event, and so every event, belongs to a user.
    static let isPerson = "NOT (joins AND l <= end)"
}
