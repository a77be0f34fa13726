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
    private let people: PeopleTable
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
            VALUES (?, ?, ?, ?, ?, ?, ?, '')
            """
        )
        findConnected = try RawStatement(
            db,
            MergeRow.columns + " WHERE user = ?1 UNION " + MergeRow.columns + " WHERE target = ?1"
        )
        findUser = try RawStatement(db, "SELECT number, joined FROM users WHERE id = ?")
        join = try RawStatement(db, "UPDATE users SET joined = ? WHERE number = ?")
        setOutcome = try RawStatement(db, "UPDATE merges SET outcome = ? WHERE position = ?")
        hasMerges = try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM merges)") ?? false
    }

    /// Adds a statement.
    ///
    /// - Parameters:
    ///   - position: The position of the event or record.
    ///   - installation: The number of the event's installation; nil for an operator's statement, 0 without one.
    func add(
        _ statement: MergeStatement,
        at position: EventPosition,
        installation: Int64?,
        key: String,
        received: Timestamp
    ) throws {
        // A longer ID stays invalid.
        func bounded(_ id: String) -> String { id.truncated(toUTF8Count: MergeStatement.maximumIDBytes + 4) }
        let statement = MergeStatement(
            bounded(statement.user),
            into: statement.target.map(bounded),
            at: statement.time
        )
        add.bind(1, position.rawValue)
        add.bind(2, statement.time)
        add.bind(3, statement.user)
        add.bind(4, statement.target)
        add.bind(5, installation)
        add.bind(6, key)
        add.bind(7, received.milliseconds)
        try add.run()
        hasMerges = true
        // Rows are created in the order of the log, so a rebuilt index is identical.
        for id in [statement.user, statement.target].compactMap(\.self) {
            if statement.isValid { _ = try people.user(id) }
            changed.insert(ByteText(id))
        }
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
            let (rows, ids) = try connected(with: first)
            rest.remove(first)
            rest.subtract(ids)
            try evaluate(rows, ids.union([first]))
        }
    }

    /// Returns the statements that are connected with a user, and the IDs in them.
    private func connected(with first: ByteText) throws -> (rows: [MergeRow], ids: Set<ByteText>) {
        var rows: [Int64: MergeRow] = [:]
        var ids: Set<ByteText> = [first]
        var next = [first]
        while let id = next.popLast() {
            findConnected.bind(1, id.text)
            defer { findConnected.reset() }
            while try findConnected.step() {
                let row = MergeRow(findConnected)
                rows[row.position] = row
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
        let (rows, ids) = try connected(with: ByteText(user))
        guard !rows.isEmpty else { return }
        changed.formUnion(ids)
        try db.execute(sql: "DELETE FROM merges WHERE user = ?1 OR target = ?1", arguments: [user])
        try apply()
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

    init(_ row: RawStatement) {
        position = row.integer(0)
        statement = MergeStatement(row.text(2), into: row.optionalText(3), at: row.integer(1))
        installation = row.optionalInteger(4)
        key = row.text(5)
        received = row.integer(6)
        outcome = MergeStatement.Outcome(rawValue: row.text(7))
    }
}
