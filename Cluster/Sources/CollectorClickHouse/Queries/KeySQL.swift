// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The rows that point queries select, as SQL expressions.
enum KeySQL {
    /// The maximum number of keys in one statement.
    static let maxKeys = 200

    /// Returns the condition that a row is visible.
    ///
    /// A row is visible if its block is complete and its installation is not erased.
    static func visibleRows(upTo block: UInt64) -> String {
        "block <= \(block) AND installation NOT IN (SELECT installation FROM erasures)"
    }

    /// The visitor of a row of ``ColumnTable/people`` or ``ColumnTable/traits``.
    ///
    /// It is the missing id if the row belongs to a user.
    static let visitor = "if(user = '', installation, \(SQLText.missingID))"

    /// Returns the condition that a row belongs to given people.
    ///
    /// No user's id is empty.
    static func belongsTo(_ people: [PersonKey]) -> String {
        var users: [String] = []
        var visitors: [String] = []
        for person in people {
            switch person {
            case .user(let id): if !id.isEmpty { users.append(SQLText.literal(id)) }
            case .visitor(let id): visitors.append(SQLText.literal(id))
            }
        }
        var parts: [String] = []
        if !users.isEmpty { parts.append("user IN (\(users.joined(separator: ", ")))") }
        if !visitors.isEmpty { parts.append("(user = '' AND installation IN (\(visitors.joined(separator: ", "))))") }
        return parts.isEmpty ? "0" : "(" + parts.joined(separator: " OR ") + ")"
    }

    /// Returns the condition that a row's user is one of the given ones.
    static func isUser(_ users: [String]) -> String {
        let list = users.map { SQLText.literal($0) }
        return list.count == 1 ? "user = \(list[0])" : "user IN (\(list.joined(separator: ", ")))"
    }

    /// Returns an installation as a literal; the missing id for nil.
    static func literal(_ installation: InstallationID?) -> String {
        installation.map { SQLText.literal($0) } ?? SQLText.missingID
    }

    /// Returns the condition that a row comes after a cursor, latest first.
    static func isAfter(_ cursor: TimeCursor, _ time: String, _ number: String) -> String {
        "(\(time) < \(cursor.time.milliseconds) OR (\(time) = \(cursor.time.milliseconds) AND \(number) < \(cursor.number)))"
    }
}

extension RowCursor {
    /// Reads a value of type `FixedString(16)` as an installation.
    ///
    /// Nil for the missing id.
    mutating func installation() throws(RowFault) -> InstallationID? {
        let (high, low) = try idHalves()
        return high == 0 && low == 0 ? nil : InstallationID(high: high, low: low)
    }

    /// Reads two values as a person: the user, or otherwise the visitor.
    mutating func person() throws(RowFault) -> PersonKey {
        let user = try text()
        let visitor = try idHalves()
        return user.isEmpty ? .visitor(InstallationID(high: visitor.high, low: visitor.low)) : .user(user)
    }
}

extension ClickHouseEventStore {
    /// Returns the first keys by the maximum or minimum of a column, latest first.
    ///
    /// A key whose result is in a range has a row in that range. The rows of the latest range are therefore sufficient,
    /// or, if that range has too few keys, those of a longer range. Reading one column is cheap, whereas aggregating
    /// all keys would be expensive.
    ///
    /// - Parameters:
    ///   - condition: An additional condition on the rows.
    ///   - end: The highest result to return.
    ///   - keys: Returns the keys whose result is a given value or higher; nil for all.
    func latest<Key>(
        _ limit: Int,
        by column: String,
        of table: ColumnTable,
        where condition: String = "1",
        upTo end: Int64,
        _ block: UInt64,
        _ keys: (Int64?) async throws(StoreError) -> [Key]
    ) async throws(StoreError) -> [Key] {
        var skipped = 4 * limit
        while true {
            let edge = try await list(
                "SELECT \(column) FROM \(table.rawValue) WHERE \(KeySQL.visibleRows(upTo: block)) AND \(condition) "
                    + "AND \(column) <= \(end) ORDER BY \(column) DESC LIMIT \(skipped), 1"
            ) { row throws(RowFault) in try row.int64() }
            let found = try await keys(edge.first)
            if edge.isEmpty || found.count >= limit { return found }
            skipped = 16 * skipped
        }
    }
}
