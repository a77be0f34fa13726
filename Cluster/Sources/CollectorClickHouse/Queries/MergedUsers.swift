// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

/// The statements about merged users, and the users who are counted as others.
///
/// The result is that of an SQLite index with the same rows. A change evaluates only the statements that are connected
/// with it.
struct MergedUsers: Sendable {
    /// The name of the external table of merged users in a query.
    static let tableName = "merged_users"

    private var rows: [Int64: MergeRow] = [:]
    /// The positions of the statements with each ID.
    private var positions: [ByteText: Set<Int64>] = [:]
    private var outcomes: [Int64: MergeStatement.Outcome] = [:]
    /// The user with whom each merged user is counted.
    private var roots: [ByteText: ByteText] = [:]
    /// The users who are counted as each user.
    private var members: [ByteText: Set<ByteText>] = [:]
    /// User IDs that are connected with ``MergeStatement/maximumConnected`` statements or more.
    private var full: Set<ByteText> = []
    /// The rows of the external table.
    private var tableRows: [UInt8] = []

    /// Creates a value without statements.
    init() {}

    /// Whether no user is merged.
    var isEmpty: Bool { roots.isEmpty }

    // MARK: Adding statements

    /// Adds statements in order of their positions.
    ///
    /// Of equal statements of an app on one installation, only the earliest counts. A statement of an app whose users are
    /// already connected with ``MergeStatement/maximumConnected`` statements does not count.
    ///
    /// - Complexity: O(statements connected with the new ones × log + merged users).
    mutating func add(_ new: [MergeRow]) {
        var changed: Set<ByteText> = []
        for row in new.sorted(by: { $0.position < $1.position }) where rows[row.position] == nil {
            if row.installation != nil {
                let equal = equal(to: row)
                if let equal {
                    guard (row.statement.time, row.position) < (equal.statement.time, equal.position) else { continue }
                    remove(equal)
                } else if !hasRoom(for: row) {
                    continue
                }
            }
            rows[row.position] = row
            outcomes[row.position] = .invalid
            for id in Self.ids(of: row.statement) { positions[id, default: []].insert(row.position) }
            if row.statement.isValid { changed.formUnion(Self.ids(of: row.statement)) }
        }
        guard !changed.isEmpty else { return }
        while let first = changed.min() {
            let (found, ids) = connected(with: [first])
            changed.remove(first)
            changed.subtract(ids)
            evaluate(found, ids)
        }
        var table = RowBinary()
        func write(_ user: ByteText, as root: ByteText) {
            table.string(user.text)
            table.string(root.text)
            table.integer(TimeCursor.number(of: .user(root.text)))
        }
        for (root, members) in members {
            write(root, as: root)
            for user in members { write(user, as: root) }
        }
        tableRows = table.bytes
    }

    private static func ids(of statement: MergeStatement) -> Set<ByteText> {
        Set([statement.user, statement.target].compactMap(\.self).map(ByteText.init))
    }

    /// Returns the known statement of the same installation that is equal except for its time.
    private func equal(to row: MergeRow) -> MergeRow? {
        let (user, target) = (ByteText(row.statement.user), row.statement.target.map(ByteText.init))
        return (positions[user] ?? []).compactMap { rows[$0] }.first { known in
            known.installation == row.installation && ByteText(known.statement.user) == user
                && known.statement.target.map(ByteText.init) == target
        }
    }

    private mutating func remove(_ row: MergeRow) {
        rows[row.position] = nil
        outcomes[row.position] = nil
        for id in Self.ids(of: row.statement) { positions[id]?.remove(row.position) }
    }

    /// Whether the statements connected with those of a new one by an app are few enough.
    private mutating func hasRoom(for row: MergeRow) -> Bool {
        let ids = Self.ids(of: row.statement)
        guard full.isDisjoint(with: ids) else { return false }
        let limit = MergeStatement.maximumConnected
        guard connected(with: ids, limit: limit).rows.count < limit else {
            full.formUnion(ids)
            return false
        }
        return true
    }

    /// Returns the statements that are connected with users in order of position, and the IDs in them.
    ///
    /// A statement whose IDs cannot identify two users connects nothing.
    ///
    /// - Parameter limit: The number of statements after which the search ends.
    private func connected(
        with users: Set<ByteText>,
        limit: Int = .max
    ) -> (rows: [MergeRow], ids: Set<ByteText>) {
        var found: [Int64: MergeRow] = [:]
        var ids = users
        var next = Array(users)
        while found.count < limit, let id = next.popLast() {
            for position in positions[id] ?? [] where found[position] == nil {
                guard found.count < limit, let row = rows[position] else { break }
                found[position] = row
                guard row.statement.isValid else { continue }
                for other in Self.ids(of: row.statement) where ids.insert(other).inserted { next.append(other) }
            }
        }
        return (found.values.sorted { $0.position < $1.position }, ids)
    }

    private mutating func evaluate(_ found: [MergeRow], _ ids: Set<ByteText>) {
        let merges = UserMerges(found.map(\.statement))
        for (row, outcome) in zip(found, merges.outcomes) { outcomes[row.position] = outcome }
        for id in ids {
            if let known = roots.removeValue(forKey: id) {
                members[known]?.remove(id)
                if members[known]?.isEmpty == true { members[known] = nil }
            }
            let root = ByteText(merges.root(of: id.text))
            guard root != id else { continue }
            roots[id] = root
            members[root, default: []].insert(id)
        }
    }

    // MARK: Reading

    /// Returns the user with whom a user is counted.
    func root(of user: String) -> String { roots[ByteText(user)]?.text ?? user }

    /// Returns the person that a user ID belongs to.
    func root(of person: PersonKey) -> PersonKey {
        if case .user(let user) = person { .user(root(of: user)) } else { person }
    }

    /// Returns the users who are counted as a user, in the order of an SQLite index.
    func merged(into user: String) -> [String] {
        let found = (members[ByteText(user)] ?? []).map { (mark: TimeCursor.number(of: .user($0.text)), id: $0) }
        return found.sorted { ($0.mark, $0.id) < ($1.mark, $1.id) }.map(\.id.text)
    }

    /// Returns a user and all who are counted as the same person, starting with the user who remains.
    func ids(of user: String) -> [String] {
        let root = root(of: user)
        return [root] + merged(into: root)
    }

    /// Returns the keys of rows of people, including those of merged users.
    func keys(of people: some Sequence<PersonKey>) -> [PersonKey] {
        people.flatMap { person -> [PersonKey] in
            if case .user(let user) = person { ids(of: user).map(PersonKey.user) } else { [person] }
        }
    }

    /// Returns the statements that are connected with users, earliest first.
    func statements(connectedWith users: [String]) -> [StoredMerge] {
        connected(with: Set(users.map(ByteText.init))).rows
            .sorted { ($0.statement.time, $0.position) < ($1.statement.time, $1.position) }
            .map { row in
                StoredMerge(
                    row.statement,
                    outcomes[row.position] ?? .invalid,
                    received: Timestamp(milliseconds: row.received),
                    key: row.key,
                    installation: row.installation
                )
            }
    }

    // MARK: SQL

    /// The external table of merged users, and of the users who remain.
    var table: ClickHouseClient.ExternalTable {
        ClickHouseClient.ExternalTable(
            name: Self.tableName,
            structure: "user String, root String, mark Int64",
            rows: tableRows
        )
    }

    /// Returns a statement for the rows of another one, with the users who remain in the column `user`.
    ///
    /// - Parameters:
    ///   - rows: A statement with the column `user`.
    ///   - columns: Other columns to select.
    ///   - hasNumber: Whether the rows have the column `number`, which then becomes that of the user who remains.
    func mapped(_ rows: String, columns: [String], hasNumber: Bool = false) -> String {
        guard !isEmpty else { return rows }
        var (read, selected) = (["if(root = '', user, root) AS person"] + columns, ["person AS user"] + columns)
        if hasNumber {
            read.append("if(root = '', number, mark) AS place")
            selected.append("place AS number")
        }
        return
            "SELECT \(selected.joined(separator: ", ")) FROM (SELECT \(read.joined(separator: ", ")) FROM (\(rows)) AS r "
            + "ANY LEFT JOIN (SELECT user, root, mark FROM \(Self.tableName)) AS g USING (user))"
    }

    /// Returns the condition that a row's user is among users, or is counted as one of the same people.
    ///
    /// - Parameter users: A statement for users.
    func isCounted(among users: String) -> String {
        guard !isEmpty else { return "user IN (\(users))" }
        let roots = "SELECT root FROM \(Self.tableName) WHERE user IN (\(users))"
        return "(user IN (\(users)) OR user IN (SELECT user FROM \(Self.tableName) WHERE root IN (\(roots))))"
    }
}

extension ClickHouseEventStore {
    /// The statements about merged users up to a block.
    struct KnownMerges: Sendable {
        var block: UInt64 = 0
        /// The number of statements in the table.
        var count: Int64 = 0
        var merged = MergedUsers()
    }

    package func merges(connectedWith users: [String]) async throws(StoreError) -> [StoredMerge] {
        _ = try await completed()
        return merged.statements(connectedWith: users)
    }

    /// The merged users, as of the last ``completed()``.
    var merged: MergedUsers { state.withLock { $0.merges.merged } }

    /// Returns the statements up to a block.
    ///
    /// Only new rows are read, unless an erasure removed some.
    static func merges(
        after known: KnownMerges,
        upTo block: UInt64,
        _ store: ClickHouseStore
    ) async throws(ColumnFailure) -> KnownMerges {
        let first = known.block <= block ? known.block : 0
        let visible = KeySQL.visibleRows(upTo: block)
        let counts = try await store.numbers(
            "SELECT toInt64(uniqExact(position)), toInt64(uniqExactIf(position, block <= \(first))) FROM merges WHERE \(visible)",
            columns: 2
        )
        guard counts.count == 2 else { return known }
        var merges = known
        let isExtended = first == known.block && counts[1] == known.count
        if !isExtended { merges = KnownMerges() }
        if counts[0] != merges.count {
            merges.merged.add(try await store.merges(where: "\(visible) AND block > \(merges.block)"))
        }
        (merges.block, merges.count) = (block, counts[0])
        return merges
    }
}

extension ClickHouseStore {
    /// Returns statements about merged users.
    func merges(where condition: String) async throws(ColumnFailure) -> [MergeRow] {
        let query = "SELECT \(MergeRow.columns) FROM merges FINAL WHERE \(condition) FORMAT RowBinary"
        let answer = try await client.run(query, isLongRunning: true)
        var found: [MergeRow] = []
        do throws(RowFault) {
            try RowCursor.forEachRow(of: answer) { row throws(RowFault) in found.append(try MergeRow(&row)) }
        } catch {
            throw unreadable(query)
        }
        return found
    }

    /// Returns the users who are merged according to all complete blocks.
    func mergedUsers() async throws(ColumnFailure) -> MergedUsers {
        var merged = MergedUsers()
        merged.add(try await merges(where: KeySQL.visibleRows(upTo: try await completed())))
        return merged
    }
}
