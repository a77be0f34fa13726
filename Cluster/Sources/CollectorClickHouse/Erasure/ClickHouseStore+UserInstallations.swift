// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// An installation on which a user signed in, and what an erasure of the user removes from it.
package struct UserInstallation: Sendable, Hashable {
    /// The installation.
    package var id: InstallationID
    /// The time ranges whose anonymous events belong to the user; nil if no other user ever signed in.
    package var times: [ClosedRange<Int64>]?
    /// The number of events that the erasure removes.
    package var events: Int

    /// Creates an installation of a user.
    package init(_ id: InstallationID, times: [ClosedRange<Int64>]?, events: Int) {
        (self.id, self.times, self.events) = (id, times, events)
    }
}

/// Finds what an erasure of a user removes.
///
/// Queries contain no user ids, because servers may log their text.
extension ClickHouseStore {
    package func installations(
        of user: String,
        _ isErased: @Sendable (String) -> Bool
    ) async throws(ColumnFailure) -> [UserInstallation] {
        try await installations(of: [user], isErased)
    }

    /// Returns all installations of a person, except erased ones.
    ///
    /// Merged users count as one person.
    func installations(ofPerson user: String) async throws(ColumnFailure) -> [UserInstallation] {
        try await installations(of: try await mergedUsers().ids(of: user)) { _ in false }
    }

    private func installations(
        of users: [String],
        _ isErased: @Sendable (String) -> Bool
    ) async throws(ColumnFailure) -> [UserInstallation] {
        let visible = "installation NOT IN (SELECT installation FROM erasures) AND installation != \(SQLText.missingID)"
        let isUser = "user IN (SELECT user FROM given)"
        let used = try await installations(
            "SELECT installation, toInt64(sum(events)) AS e FROM (SELECT installation, events FROM people FINAL WHERE \(isUser) "
                + "AND \(visible) UNION ALL SELECT DISTINCT installation, toUInt64(0) AS events FROM traits WHERE \(isUser) AND \(visible)) "
                + "GROUP BY installation ORDER BY installation",
            users
        )
        guard !used.isEmpty else { return [] }
        let list = used.map { SQLText.literal($0.id) }.joined(separator: ", ")
        let others = try await otherUsers(of: list, besides: users).compactMapValues { others in
            others.allSatisfy(isErased) ? nil : others
        }
        let histories = try await histories(of: list)
        let anonymous = Dictionary(
            uniqueKeysWithValues: try await installations(
                "SELECT installation, toInt64(sum(events)) AS e FROM people FINAL WHERE installation IN (\(list)) AND user = '' "
                    + "GROUP BY installation",
                users
            ).map { ($0.id, $0.events) }
        )
        var found: [UserInstallation] = []
        for (id, events) in used {
            // Without a history, anonymous events are kept separate from users.
            if events > 0, others[id] == nil, histories[id] != nil {
                found.append(UserInstallation(id, times: nil, events: events + (anonymous[id] ?? 0)))
                continue
            }
            let times = users.flatMap { histories[id]?.times(of: $0) ?? [] }
            found.append(
                UserInstallation(id, times: times, events: events + (try await anonymousEvents(of: id, times)))
            )
        }
        return found
    }

    /// Returns a visitor's installation, with what belongs to the visitor; nil for an erased or unknown installation.
    package func installation(ofVisitor id: InstallationID) async throws(ColumnFailure) -> PersonInstallation? {
        let literal = SQLText.literal(id)
        let people = try await numbers(
            "SELECT toInt64(count()), toInt64(countIf(user != '')) FROM people WHERE installation = \(literal) "
                + "AND installation NOT IN (SELECT installation FROM erasures)",
            columns: 2
        )
        guard people.count == 2, people[0] > 0 else { return nil }
        guard people[1] > 0 else { return PersonInstallation(id, times: nil) }
        // Without a history, anonymous events are kept separate from users.
        guard let history = try await histories(of: literal)[id] else {
            return PersonInstallation(id, times: [.min ... .max])
        }
        return PersonInstallation(id, times: history.history.visitorTimes.map { [$0] } ?? [])
    }

    /// Returns what an erasure of a user would remove; nil if nothing is known of the user.
    package func erasurePreview(of user: String) async throws(ColumnFailure) -> ErasurePreview? {
        try await erasurePreview(of: try await mergedUsers().ids(of: user), user) { _ in false }
    }

    /// Returns what an erasure of users would remove, as a preview for one of them.
    func erasurePreview(
        of users: [String],
        _ user: String,
        _ isErased: @Sendable (String) -> Bool
    ) async throws(ColumnFailure) -> ErasurePreview? {
        let installations = try await installations(of: users, isErased)
        let isUser = "user IN (SELECT user FROM given)"
        let counts = try await self.installations(
            "SELECT installation, toInt64(sum(events)) AS e FROM people FINAL WHERE \(isUser) "
                + "AND installation = \(SQLText.missingID) GROUP BY installation",
            users
        )
        let attributes = try await self.installations(
            "SELECT DISTINCT installation, toInt64(0) AS e FROM traits WHERE \(isUser) "
                + "AND installation NOT IN (SELECT installation FROM erasures)",
            users
        )
        guard !installations.isEmpty || !counts.isEmpty || !attributes.isEmpty else { return nil }
        var preview = ErasurePreview(
            user: user,
            installations: installations.map {
                ErasurePreview.Installation($0.id, isShared: $0.times != nil, events: $0.events)
            },
            eventsWithoutInstallation: counts.reduce(0) { $0 + $1.events }
        )
        preview.users = users
        return preview
    }

    /// Returns the ids of all users with rows of blocks after the given one.
    package func users(after block: UInt64) async throws(ColumnFailure) -> [String] {
        let query =
            "SELECT DISTINCT user FROM (SELECT user FROM people WHERE user != '' AND block > \(block) "
            + "UNION ALL SELECT arrayJoin([user, target]) AS user FROM merges WHERE block > \(block)) WHERE user != '' "
            + "FORMAT RowBinary"
        let answer = try await client.run(query, isLongRunning: true)
        var users: [String] = []
        do throws(RowFault) {
            try RowCursor.forEachRow(of: answer) { row throws(RowFault) in users.append(try row.text()) }
        } catch {
            throw unreadable(query)
        }
        return users
    }

    /// Returns the sequence of the last record of the complete blocks; 0 for none.
    package func lastRecord() async throws(ColumnFailure) -> UInt64 {
        let found = try await numbers(
            "SELECT toInt64(max(last)) FROM blocks WHERE block = \(try await completed())",
            columns: 1
        )
        return UInt64(clamping: found.first ?? 0)
    }

    /// Returns the users of the installations' anonymous events, except where these are kept separate.
    private func histories(of list: String) async throws(ColumnFailure) -> [InstallationID: VisitorHistory] {
        let periods = PersonSQL.periods(upTo: UInt64(Int64.max), where: "installation IN (\(list))")
        let query = "SELECT anonymous, ends, owners FROM (\(periods)) FORMAT RowBinary"
        let answer = try await client.run(query, isLongRunning: true)
        var histories: [InstallationID: VisitorHistory] = [:]
        do throws(RowFault) {
            try RowCursor.forEachRow(of: answer) { row throws(RowFault) in
                let id = try row.id(InstallationID.self)
                let ends = try row.array { cell throws(RowFault) in try cell.int64() }
                let owners = try row.array { cell throws(RowFault) in ByteText(try cell.text()) }
                histories[id] = VisitorHistory(zip(owners, ends).map { (user: $0, end: $1) })
            }
        } catch {
            throw unreadable(query)
        }
        return histories
    }

    private func anonymousEvents(
        of id: InstallationID,
        _ times: [ClosedRange<Int64>]
    ) async throws(ColumnFailure) -> Int {
        guard !times.isEmpty else { return 0 }
        let found = try await numbers(
            "SELECT toInt64(uniqExact(position)) FROM timeline WHERE \(UserErasureSQL.anonymous(id, times))",
            columns: 1
        )
        return Int(clamping: found.first ?? 0)
    }

    /// Returns the other users of installations.
    private func otherUsers(
        of list: String,
        besides users: [String]
    ) async throws(ColumnFailure) -> [InstallationID: [String]] {
        var rows = RowBinary()
        for user in users { rows.string(user) }
        let given = ClickHouseClient.ExternalTable(name: "given", structure: "user String", rows: rows.bytes)
        let query =
            "SELECT DISTINCT installation, user FROM people WHERE installation IN (\(list)) AND user != '' "
            + "AND user NOT IN (SELECT user FROM given) FORMAT RowBinary"
        let answer = try await client.run(query, with: [given])
        var others: [InstallationID: [String]] = [:]
        do throws(RowFault) {
            try RowCursor.forEachRow(of: answer) { row throws(RowFault) in
                let id = try row.id(InstallationID.self)
                others[id, default: []].append(try row.text())
            }
        } catch {
            throw unreadable(query)
        }
        return others
    }

    /// Runs a query whose table `given` contains users, and that returns installations with numbers.
    private func installations(
        _ query: String,
        _ users: [String]
    ) async throws(ColumnFailure) -> [(id: InstallationID, events: Int)] {
        var rows = RowBinary()
        for user in users { rows.string(user) }
        let given = ClickHouseClient.ExternalTable(name: "given", structure: "user String", rows: rows.bytes)
        let answer = try await client.run(query + " FORMAT RowBinary", with: [given])
        var found: [(id: InstallationID, events: Int)] = []
        do throws(RowFault) {
            try RowCursor.forEachRow(of: answer) { row throws(RowFault) in
                let id = try row.idHalves()
                found.append((InstallationID(high: id.high, low: id.low), Int(clamping: try row.int64())))
            }
        } catch {
            throw unreadable(query)
        }
        return found
    }
}
