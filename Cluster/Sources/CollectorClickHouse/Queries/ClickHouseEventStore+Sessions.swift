// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    /// The number of sessions whose data is read at once.
    private static let sessionsPerBatch = 50

    package func sessions(matching query: SessionQuery) async throws(StoreError) -> [StoredSession] {
        guard query.limit > 0, query.user != "" else { return [] }
        let block = try await completed()
        let keys = try await keys(query, block)
        var sessions: [StoredSession] = []
        var bytes = 0
        var next = 0
        while next < keys.count, bytes < ResponseBudget.bytes {
            let part = keys[next..<min(keys.count, next + Self.sessionsPerBatch)]
            for session in try await self.sessions(Array(part), block) {
                guard bytes < ResponseBudget.bytes else { break }
                bytes += session.responseBytes
                sessions.append(session)
            }
            next += part.count
        }
        return sessions
    }

    // MARK: Selection

    /// A session, and its position among all sessions.
    private struct Key: Hashable {
        let installation: InstallationID?
        let session: ByteText
        let cursor: TimeCursor

        var literal: String { "(\(SQLText.literal(session.text)), \(KeySQL.literal(installation)))" }
        var reversedLiteral: String { "(\(KeySQL.literal(installation)), \(SQLText.literal(session.text)))" }
    }

    private func keys(_ query: SessionQuery, _ block: UInt64) async throws(StoreError) -> [Key] {
        var conditions: [String] = []
        if let installation = query.installation {
            conditions.append(
                "(session, installation) IN (SELECT session, installation FROM visits WHERE "
                    + "installation = \(SQLText.literal(installation)) AND block <= \(block))"
            )
        }
        if let user = query.user {
            conditions.append(try await userCondition(user, block))
        }
        if let id = query.id { conditions.append("session = \(SQLText.literal(id))") }
        let end = query.after?.time.milliseconds ?? .max
        guard conditions.isEmpty else { return try await keys(query, conditions, since: nil, block) }
        return try await latest(query.limit, by: "start", of: .sessions, upTo: end, block) { since throws(StoreError) in
            let rangeCondition = since.map { since in
                "(session, installation) IN (SELECT session, installation FROM sessions WHERE block <= \(block) "
                    + "AND start >= \(since) AND start <= \(end))"
            }
            return try await self.keys(query, [rangeCondition].compactMap { $0 }, since: since, block)
        }
    }

    /// Returns the condition that a session has an event of a user.
    ///
    /// The event may have been recorded before the user signed in.
    private func userCondition(_ user: String, _ block: UInt64) async throws(StoreError) -> String {
        let merged = merged
        let isPerson = KeySQL.isUser(merged.ids(of: user))
        var conditions = [
            "(session, installation) IN (SELECT session, installation FROM people WHERE \(isPerson) AND block <= \(block))"
        ]
        let key = PersonKey.user(merged.root(of: user))
        let activity = try await deviceActivity(of: [key], block).map(\.activity)
        let parts = try await visitorParts(of: [KnownPerson(key: key, activity: activity)], block)[key.bytes] ?? []
        let whole = parts.filter(\.isWhole).map { SQLText.literal($0.installation) }.joined(separator: ", ")
        if !whole.isEmpty {
            conditions.append(
                "(session, installation) IN (SELECT session, installation FROM visits WHERE installation IN (\(whole)) "
                    + "AND user = '' AND block <= \(block))"
            )
        }
        let sessions = try await self.sessions(of: parts.filter { !$0.isWhole }, block).map {
            "(\(SQLText.literal($0.session.text)), \(SQLText.literal($0.installation)))"
        }
        if !sessions.isEmpty { conditions.append("(session, installation) IN (\(sessions.joined(separator: ", ")))") }
        return "(\(conditions.joined(separator: " OR ")))"
    }

    private func keys(
        _ query: SessionQuery,
        _ conditions: [String],
        since: Int64?,
        _ block: UInt64
    ) async throws(StoreError) -> [Key] {
        var having = ["s >= \(since ?? .min)"]
        if let after = query.after { having.append(KeySQL.isAfter(after, "s", "n")) }
        return try await list(
            "SELECT installation, session, min(start) AS s, any(number) AS n FROM sessions WHERE "
                + ([KeySQL.visibleRows(upTo: block)] + conditions).joined(separator: " AND ")
                + " GROUP BY installation, session HAVING \(having.joined(separator: " AND ")) "
                + "ORDER BY s DESC, n DESC LIMIT \(query.limit)"
        ) { row throws(RowFault) in
            let (installation, session) = (try row.installation(), ByteText(try row.text()))
            let cursor = TimeCursor(time: Timestamp(milliseconds: try row.int64()), number: try row.int64())
            return Key(installation: installation, session: session, cursor: cursor)
        }
    }

    // MARK: Contents

    /// The tables' data about a session.
    private struct SessionParts {
        var ordinal: Int64 = 0
        var last: Int64 = .min
        var events: UInt64 = 0
        var users: [(user: ByteText, last: Int64)] = []
        var usage = SessionUsage()
    }

    fileprivate struct SessionKey: Hashable {
        let installation: InstallationID?
        let session: ByteText
    }

    private func sessions(_ keys: [Key], _ block: UInt64) async throws(StoreError) -> [StoredSession] {
        var parts: [SessionKey: SessionParts] = [:]
        let visibility = KeySQL.visibleRows(upTo: block)
        let list = keys.map(\.literal).joined(separator: ", ")
        let reversed = keys.map(\.reversedLiteral).joined(separator: ", ")
        for row in try await self.list(
            "SELECT installation, session, max(last), sum(events), argMinIf(ordinal, block, ordinal > 0) FROM sessions FINAL "
                + "WHERE \(visibility) AND (session, installation) IN (\(list)) GROUP BY installation, session",
            { row throws(RowFault) in
                (key: try row.sessionKey(), last: try row.int64(), events: try row.uint64(), ordinal: try row.int64())
            }
        ) {
            parts[row.key] = SessionParts(ordinal: row.ordinal, last: row.last, events: row.events)
        }
        for row in try await self.list(
            "SELECT installation, session, user, max(last) FROM visits WHERE \(visibility) "
                + "AND (installation, session) IN (\(reversed)) GROUP BY installation, session, user",
            { row throws(RowFault) in
                (key: try row.sessionKey(), user: ByteText(try row.text()), last: try row.int64())
            }
        ) {
            parts[row.key]?.users.append((row.user, row.last))
        }
        let histories = try await histories(of: Set(keys.compactMap(\.installation)), block)
        let merged = merged
        var meter = QueryMeter(budget, clock: clock)
        try await rows(
            "SELECT installation, session, \(SessionUsage.columns) FROM usage FINAL WHERE \(visibility) "
                + "AND (installation, session) IN (\(reversed)) AND kind != \(UsageRow.Kind.click.rawValue) ORDER BY position",
            &meter
        ) { row throws(RowFault) in
            (key: try row.sessionKey(), usage: try SessionUsage.Event(&row))
        } _: { row throws(StoreError) in
            parts[row.key]?.usage.add(row.usage)
        }
        return keys.compactMap { key in
            parts[SessionKey(installation: key.installation, session: key.session)].map {
                session(key, $0, key.installation.flatMap { histories[$0] }, merged)
            }
        }
    }

    private func session(
        _ key: Key,
        _ parts: SessionParts,
        _ history: VisitorHistory?,
        _ merged: MergedUsers
    ) -> StoredSession {
        var session = StoredSession(
            place: key.cursor,
            installation: key.installation,
            id: key.session.text,
            number: parts.ordinal > 0 ? parts.ordinal : nil,
            last: Timestamp(milliseconds: parts.last),
            events: parts.events,
            engagement: parts.usage.engagement,
            foreground: parts.usage.foreground
        )
        for (user, last) in parts.users.sorted(by: { ($0.last, $0.user) < ($1.last, $1.user) }) {
            // An empty user means the visitor, who may have signed in later.
            guard let known = user.text.isEmpty ? history?.owner(at: last) : user else { continue }
            let user = ByteText(merged.root(of: known.text))
            session.users.removeAll { ByteText($0) == user }
            session.users.append(user.text)
        }
        session.screens = parts.usage.views.views.prefix(StoredSession.maxParts).map(\.screen)
        session.launches = Array(parts.usage.launches.prefix(StoredSession.maxParts))
        return session
    }
}

extension RowCursor {
    /// Reads two values: an installation, and a session's id.
    fileprivate mutating func sessionKey() throws(RowFault) -> ClickHouseEventStore.SessionKey {
        ClickHouseEventStore.SessionKey(installation: try installation(), session: ByteText(try text()))
    }
}
