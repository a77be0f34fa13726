// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Writes the statements that merge users, and the merged users (`users.joined`).
///
/// The column `users.joined` of a merged user is the number of the user with whom the events are counted, at the end of
/// a chain. The column `last` of that user is the last time of all users who are counted together, by which lists are
/// ordered.
///
/// This table precedes people in ``IndexTables/all``, so that an erasure finds the users before their rows are removed.
/// ``apply()`` follows the flush of people, because it reads their times.
final class MergeTable: IndexTable {
    private let db: Database
    private let add: RawStatement
    private let findConnected: RawStatement
    private let findUser: RawStatement
    private let join: RawStatement
    private let setOutcome: RawStatement
    private let findEqual: RawStatement
    private let remove: RawStatement
    let people: PeopleTable
    /// User IDs that are connected with ``MergeStatement/maximumConnected`` statements or more.
    private var full: Set<ByteText> = []
    /// The user IDs whose statements changed in this transaction.
    private var changed: Set<ByteText> = []
    /// Whether any user is merged.
    private var hasMerges: Bool

    init(_ db: Database) throws {
        self.db = db
        people = try PeopleTable(db)
        add = try RawStatement(
            db,
            """
            INSERT OR IGNORE INTO merges (position, time, user, target, installation, key, received, outcome)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        findConnected = try RawStatement(
            db,
            MergeRow.columns + " WHERE user = ?1 UNION " + MergeRow.columns + " WHERE target = ?1"
        )
        findEqual = try RawStatement(
            db,
            "SELECT position, time FROM merges WHERE user = ? AND target = ? AND installation = ?"
        )
        remove = try RawStatement(db, "DELETE FROM merges WHERE position = ?")
        findUser = try RawStatement(db, "SELECT number, joined FROM users WHERE id = ?")
        join = try RawStatement(db, "UPDATE users SET joined = ? WHERE number = ?")
        setOutcome = try RawStatement(db, "UPDATE merges SET outcome = ? WHERE position = ?")
        hasMerges = try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM merges)") ?? false
    }

    /// Adds a statement.
    ///
    /// Of equal statements by an app on one installation, only the earliest is kept. A statement by an app has no effect
    /// and is not kept if its users are already connected with ``MergeStatement/maximumConnected`` statements.
    ///
    /// - Parameters:
    ///   - position: The position of the event or record.
    ///   - installation: The number of the event's installation; nil for an operator's statement.
    /// - Complexity: O(connected statements × log), with at most ``MergeStatement/maximumConnected`` of them.
    func add(
        _ statement: MergeStatement,
        at position: EventPosition,
        installation: Int64?,
        key: String,
        received: Timestamp
    ) throws {
        // A longer ID stays invalid.
        func bounded(_ id: String) -> String { id.truncated(toUTF8Count: MergeStatement.maximumIDBytes + 4) }
        var statement = statement
        statement.user = bounded(statement.user)
        statement.target = statement.target.map(bounded)
        if let installation {
            switch try replaceEqual(statement, at: position, installation) {
            case .isEarlier: return
            case .replaced: break
            case .isMissing: guard try hasRoom(for: statement) else { return }
            }
        }
        let row = MergeRow(
            statement,
            at: position.rawValue,
            installation: installation,
            key: key,
            received: received.milliseconds
        )
        try insert(row)
    }

    /// Adds the row of a statement, and prepares its evaluation.
    func insert(_ row: MergeRow) throws {
        let statement = row.statement
        add.bind(1, row.position)
        add.bind(2, statement.time)
        add.bind(3, statement.user)
        add.bind(4, statement.target)
        add.bind(5, row.installation)
        add.bind(6, row.key)
        add.bind(7, row.received)
        add.bind(8, MergeStatement.Outcome.invalid.rawValue)
        try add.run()
        guard statement.isValid else { return }
        hasMerges = true
        // Rows are created in the order of the log, so a rebuilt index is identical.
        for id in [statement.user, statement.target].compactMap(\.self) {
            _ = try people.user(id)
            changed.insert(ByteText(id))
        }
    }

    /// What is known of a statement by the same installation that is equal to a new one.
    private enum EqualStatement {
        /// There is none.
        case isMissing
        /// It has an earlier time.
        case isEarlier
        /// It had a later time, and was removed.
        case replaced
    }

    /// Removes an equal statement with a later time.
    private func replaceEqual(
        _ statement: MergeStatement,
        at position: EventPosition,
        _ installation: Int64
    ) throws -> EqualStatement {
        findEqual.bind(1, statement.user)
        findEqual.bind(2, statement.target)
        findEqual.bind(3, installation)
        var known: (position: Int64, time: Int64)?
        if try findEqual.step() { known = (findEqual.integer(0), findEqual.integer(1)) }
        findEqual.reset()
        guard let known else { return .isMissing }
        guard (statement.time, position.rawValue) < (known.time, known.position) else { return .isEarlier }
        remove.bind(1, known.position)
        try remove.run()
        return .replaced
    }

    /// Whether the statements connected with those of a new one by an app are few enough.
    private func hasRoom(for statement: MergeStatement) throws -> Bool {
        let ids = [statement.user, statement.target].compactMap(\.self).map(ByteText.init)
        guard full.isDisjoint(with: ids) else { return false }
        guard
            try connected(with: ids, limit: MergeStatement.maximumConnected).rows.count
                < MergeStatement.maximumConnected
        else {
            full.formUnion(ids)
            return false
        }
        return true
    }

    /// Reports a user who is new to the index.
    ///
    /// There may be statements about the user, because the user's row can be removed and added again.
    func appeared(_ user: String) {
        if hasMerges { changed.insert(ByteText(user)) }
    }

    /// Evaluates the statements that changed, and updates the users that they concern.
    ///
    /// - Complexity: O(statements connected with the changed ones + sessions of their users).
    func apply() throws {
        guard !changed.isEmpty else { return }
        var rest = changed
        changed = []
        while let first = rest.min() {
            let (rows, ids) = try connected(with: [first])
            rest.remove(first)
            rest.subtract(ids)
            try evaluate(rows, ids.union([first]))
        }
    }

    /// Returns the statements that are connected with users, and the IDs in them.
    ///
    /// A statement whose IDs cannot identify two users connects nothing.
    ///
    /// - Parameter limit: The number of statements after which the search ends.
    private func connected(
        with users: [ByteText],
        limit: Int = .max
    ) throws -> (rows: [MergeRow], ids: Set<ByteText>) {
        var rows: [Int64: MergeRow] = [:]
        var ids = Set(users)
        var next = users
        while rows.count < limit, let id = next.popLast() {
            findConnected.bind(1, id.text)
            defer { findConnected.reset() }
            while rows.count < limit, try findConnected.step() {
                let row = MergeRow(findConnected)
                rows[row.position] = row
                guard row.statement.isValid else { continue }
                for other in [row.statement.user, row.statement.target].compactMap(\.self).map(ByteText.init)
                where ids.insert(other).inserted {
                    next.append(other)
                }
            }
        }
        return (rows.values.sorted { $0.position < $1.position }, ids)
    }

    private func evaluate(_ rows: [MergeRow], _ ids: Set<ByteText>) throws {
        let merges = UserMerges(rows.map(\.statement))
        for (row, outcome) in zip(rows, merges.outcomes) where row.outcome != outcome {
            setOutcome.bind(1, outcome.rawValue)
            setOutcome.bind(2, row.position)
            try setOutcome.run()
        }
        var timed: Set<Int64> = []
        for id in ids.sorted() {
            let root = merges.root(of: id.text)
            let isMerged = ByteText(root) != id
            findUser.bind(1, id.text)
            var known: (number: Int64, joined: Int64?)?
            if try findUser.step() { known = (findUser.integer(0), findUser.optionalInteger(1)) }
            findUser.reset()
            // An erasure may have removed the row.
            if known == nil, isMerged { known = (try people.user(id.text), nil) }
            guard let known else { continue }
            let joined = isMerged ? try people.user(root) : nil
            if joined == nil, known.joined == nil, rows.isEmpty { continue }
            timed.formUnion([known.number, joined, known.joined].compactMap(\.self))
            guard joined != known.joined else { continue }
            join.bind(1, joined)
            join.bind(2, known.number)
            try join.run()
        }
        // The times of a user without merges are those of the user's own events.
        for number in timed.sorted() { try updateLast(of: number) }
    }

    /// Sets a user's last time to that of all users who are counted as the user.
    private func updateLast(of number: Int64) throws {
        try db.execute(
            sql: """
                UPDATE users SET last = (SELECT max(v.last) FROM visits v WHERE v.user = ?1 OR v.user IN
                (SELECT m.number FROM users m WHERE m.joined = ?1 AND m.id IS NOT NULL)) WHERE number = ?1
                """,
            arguments: [number]
        )
    }

    /// Extends the last time of the user with whom a user's new events are counted.
    func visited(_ user: Int64, last: Int64) throws {
        guard hasMerges else { return }
        try db.execute(
            sql: """
                UPDATE users SET last = max(coalesce(last, ?2), ?2)
                WHERE number = (SELECT joined FROM users WHERE number = ?1 AND id IS NOT NULL)
                """,
            arguments: [user, last]
        )
    }

    /// Removes the statements about an erased user.
    ///
    /// Without the statements, the other users in them are evaluated again.
    func remove(user: String) throws {
        let (rows, ids) = try connected(with: [ByteText(user)])
        guard !rows.isEmpty else { return }
        changed.formUnion(ids)
        try db.execute(sql: "DELETE FROM merges WHERE user = ?1 OR target = ?1", arguments: [user])
        try apply()
    }

    // MARK: Retention

    /// Returns the statements of an installation whose events have expired.
    func expired(of installation: Int64, before first: EventPosition) throws -> [MergeRow] {
        let find = try RawStatement(db, MergeRow.columns + " WHERE installation = ? AND position < ? ORDER BY position")
        find.bind(1, installation)
        find.bind(2, first.rawValue)
        var rows: [MergeRow] = []
        while try find.step() { rows.append(MergeRow(find)) }
        return rows
    }

    /// Removes expired statements of which no user has events any longer, and users known only from them.
    ///
    /// Statements are removed only together with all that they are connected with, so the people in answers stay the
    /// same.
    ///
    /// - Complexity: O(expired statements × log).
    func expire(before first: EventPosition) throws {
        guard hasMerges else { return }
        func hasEvents(_ id: String) -> String {
            """
            EXISTS (SELECT 1 FROM users u JOIN visits v ON v.user = u.number WHERE u.id = \(id))
            """
        }
        let find = try RawStatement(
            db,
            """
            SELECT position, user, outcome FROM merges WHERE position < ?
            AND NOT \(hasEvents("merges.user")) AND NOT \(hasEvents("merges.target"))
            """
        )
        let isLive = try RawStatement(db, "SELECT \(hasEvents("?1"))")
        find.bind(1, first.rawValue)
        var candidates: [ByteText] = []
        var removed: Set<Int64> = []
        while try find.step() {
            let isInvalid = find.text(2) == MergeStatement.Outcome.invalid.rawValue
            if isInvalid { removed.insert(find.integer(0)) } else { candidates.append(ByteText(find.text(1))) }
        }
        var users: Set<ByteText> = []
        var checked: Set<ByteText> = []
        for user in candidates where !checked.contains(user) {
            let (rows, ids) = try connected(with: [user])
            checked.formUnion(ids)
            guard rows.allSatisfy({ $0.position < first.rawValue }) else { continue }
            let hasEvents = try ids.contains { id in
                isLive.bind(1, id.text)
                defer { isLive.reset() }
                return try isLive.step() && isLive.integer(0) != 0
            }
            if hasEvents { continue }
            removed.formUnion(rows.map(\.position))
            users.formUnion(ids)
        }
        for position in removed.sorted() {
            remove.bind(1, position)
            try remove.run()
        }
        let removeUser = try RawStatement(db, "DELETE FROM users WHERE id = ?")
        for id in users.sorted() {
            removeUser.bind(1, id.text)
            try removeUser.run()
        }
    }

    // MARK: IndexTable

    var tableNames: [String] { ["merges"] }

    func flush() throws { try apply() }

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        guard hasMerges else { return }
        let ids = try RawStatement(
            db,
            """
            SELECT user FROM merges WHERE installation = ?1 UNION SELECT target FROM merges WHERE installation = ?1
            UNION SELECT u.id FROM visits v JOIN users u ON u.number = v.user WHERE v.installation = ?1
            AND u.id IS NOT NULL
            """
        )
        ids.bind(1, installation)
        while try ids.step() {
            if let id = ids.optionalText(0) { changed.insert(ByteText(id)) }
        }
        try db.execute(sql: "DELETE FROM merges WHERE installation = ?", arguments: [installation])
    }

    func eventsRemoved(from db: Database) throws { try apply() }
}

/// A row of the table `merges`.
struct MergeRow {
    static let columns = "SELECT position, time, user, target, installation, key, received, outcome FROM merges"

    let position: Int64
    let statement: MergeStatement
    /// The number of the event's installation; nil for an operator's statement.
    let installation: Int64?
    let key: String
    let received: Int64
    let outcome: MergeStatement.Outcome?

    init(_ statement: MergeStatement, at position: Int64, installation: Int64?, key: String, received: Int64) {
        self.position = position
        self.statement = statement
        self.installation = installation
        self.key = key
        self.received = received
        outcome = nil
    }

    init(_ row: RawStatement) {
        position = row.integer(0)
        installation = row.optionalInteger(4)
        statement = MergeStatement(
            row.text(2),
            into: row.optionalText(3),
            at: row.integer(1),
            by: installation == nil ? .operator : .app
        )
        key = row.text(5)
        received = row.integer(6)
        outcome = MergeStatement.Outcome(rawValue: row.text(7))
    }
}
