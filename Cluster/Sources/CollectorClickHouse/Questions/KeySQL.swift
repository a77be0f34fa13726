// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Which rows a question by key means, as expressions of SQL.
enum KeySQL {
    /// So many keys stand in one statement at most.
    static let maxKeys = 200

    /// That a row counts: its block is whole, and its installation was not erased.
    static func counts(upTo block: UInt64) -> String {
        "block <= \(block) AND installation NOT IN (SELECT installation FROM erasures)"
    }

    /// Whose a row of ``ColumnTable/people`` or ``ColumnTable/traits`` is, if it is no user's.
    static let visitor = "if(user = '', installation, \(SQLText.nobody))"

    /// That a row of these tables is of one of some people. Nobody's id is empty.
    static func isOf(_ people: [PersonKey]) -> String {
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

    /// An installation as a literal; nobody's id for nil.
    static func literal(_ installation: InstallationID?) -> String {
        installation.map { SQLText.literal($0) } ?? SQLText.nobody
    }

    /// That a pair of columns is behind a place, where the later comes first.
    static func isBehind(_ place: TimedPlace, _ time: String, _ number: String) -> String {
        "(\(time) < \(place.time.milliseconds) OR (\(time) = \(place.time.milliseconds) AND \(number) < \(place.number)))"
    }
}

extension RowCursor {
    /// A value of type `FixedString(16)` as an installation; nil for nobody's id.
    mutating func installation() throws(RowFault) -> InstallationID? {
        let (high, low) = try halves()
        return high == 0 && low == 0 ? nil : InstallationID(high: high, low: low)
    }

    /// Two values: a user, and the visitor where that is empty.
    mutating func person() throws(RowFault) -> PersonKey {
        let user = try text()
        let visitor = try halves()
        return user.isEmpty ? .visitor(InstallationID(high: visitor.high, low: visitor.low)) : .user(user)
    }
}

extension ClickHouseEventStore {
    /// The first of all keys by a sum over their rows that is the highest, or the lowest, of a column, the latest first.
    ///
    /// A key of which the sum lies in a stretch has a row there, so the rows of the latest stretch suffice, and of an earlier one where
    /// these have too few keys. Going over a column costs little, and putting all keys together would cost much.
    ///
    /// - Parameters:
    ///   - condition: What must hold of the rows beside.
    ///   - end: No sum above this one is wanted.
    ///   - keys: The keys whose sum is from a moment on, nil for all.
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
                "SELECT \(column) FROM \(table.rawValue) WHERE \(KeySQL.counts(upTo: block)) AND \(condition) "
                    + "AND \(column) <= \(end) ORDER BY \(column) DESC LIMIT \(skipped), 1"
            ) { row throws(RowFault) in try row.int64() }
            let found = try await keys(edge.first)
            if edge.isEmpty || found.count >= limit { return found }
            skipped = 16 * skipped
        }
    }
}
