// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

extension ClickHouseEventStore {
    /// The number of sessions that are assembled at once.
    private static let sessionsAtOnce = 50

    package func sessions(matching query: SessionQuery) async throws(StoreError) -> [StoredSession] {
        guard query.limit > 0, query.user != "" else { return [] }
        let block = try await completed()
        let keys = try await keys(query, block)
        var sessions: [StoredSession] = []
        var bytes = 0
        var next = 0
        while next < keys.count, bytes < ResponseBudget.bytes {
            let part = keys[next..<min(keys.count, next + Self.sessionsAtOnce)]
            for session in try await self.sessions(Array(part), block) {
                guard bytes < ResponseBudget.bytes else { break }
                bytes += session.answerBytes
                sessions.append(session)
            }
            next += part.count
        }
        return sessions
    }

    // MARK: Selection

    /// A session, and its place among all sessions.
    private struct Key: Hashable {
        let installation: InstallationID?
        let session: ByteText
        let place: TimeCursor

        var literal: String { "(\(SQLText.literal(session.text)), \(KeySQL.literal(installation)))" }
        var reversed: String { "(\(KeySQL.literal(installation)), \(SQLText.literal(session.text)))" }
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
            conditions.append(
                "(session, installation) IN (SELECT session, installation FROM people WHERE user = \(SQLText.literal(user)) "
                    + "AND block <= \(block))"
            )
        }
        if let id = query.id { conditions.append("session = \(SQLText.literal(id))") }
        let end = query.after?.time.milliseconds ?? .max
        guard conditions.isEmpty else { return try await keys(query, conditions, since: nil, block) }
        return try await latest(query.limit, by: "start", of: .sessions, upTo: end, block) { since throws(StoreError) in
            let stretch = since.map { since in
                "(session, installation) IN (SELECT session, installation FROM sessions WHERE block <= \(block) "
                    + "AND start >= \(since) AND start <= \(end))"
            }
            return try await self.keys(query, [stretch].compactMap { $0 }, since: since, block)
        }
    }

    private func keys(
        _ query: SessionQuery,
        _ conditions: [String],
        since: Int64?,
        _ block: UInt64
    ) async throws(StoreError) -> [Key] {
        var having = ["s >= \(since ?? .min)"]
        if let after = query.after { having.append(KeySQL.isBehind(after, "s", "n")) }
        return try await list(
            "SELECT installation, session, min(start) AS s, any(number) AS n FROM sessions WHERE "
                + ([KeySQL.counts(upTo: block)] + conditions).joined(separator: " AND ")
                + " GROUP BY installation, session HAVING \(having.joined(separator: " AND ")) "
                + "ORDER BY s DESC, n DESC LIMIT \(query.limit)"
        ) { row throws(RowFault) in
            let (installation, session) = (try row.installation(), ByteText(try row.text()))
            let place = TimeCursor(time: Timestamp(milliseconds: try row.int64()), number: try row.int64())
            return Key(installation: installation, session: session, place: place)
        }
    }

    // MARK: Contents

    /// The tables' data about a session.
    private struct Parts {
        var ordinal: Int64 = 0
        var last: Int64 = .min
        var events: UInt64 = 0
        var users: [(user: ByteText, last: Int64)] = []
        var use = SessionUse()
    }

    fileprivate struct Place: Hashable {
        let installation: InstallationID?
        let session: ByteText
    }

    private func sessions(_ keys: [Key], _ block: UInt64) async throws(StoreError) -> [StoredSession] {
        var parts: [Place: Parts] = [:]
        let isCounted = KeySQL.counts(upTo: block)
        let list = keys.map(\.literal).joined(separator: ", ")
        let reversed = keys.map(\.reversed).joined(separator: ", ")
        for row in try await self.list(
            "SELECT installation, session, max(last), sum(events), argMinIf(ordinal, block, ordinal > 0) FROM sessions FINAL "
                + "WHERE \(isCounted) AND (session, installation) IN (\(list)) GROUP BY installation, session",
            { row throws(RowFault) in
                (place: try row.place(), last: try row.int64(), events: try row.uint64(), ordinal: try row.int64())
            }
        ) {
            parts[row.place] = Parts(ordinal: row.ordinal, last: row.last, events: row.events)
        }
        for row in try await self.list(
            "SELECT installation, session, user, max(last) FROM visits WHERE \(isCounted) "
                + "AND (installation, session) IN (\(reversed)) AND user != '' GROUP BY installation, session, user",
            { row throws(RowFault) in
                (place: try row.place(), user: ByteText(try row.text()), last: try row.int64())
            }
        ) {
            parts[row.place]?.users.append((row.user, row.last))
        }
        var meter = QueryMeter(budget, clock: clock)
        try await rows(
            "SELECT installation, session, \(SessionUse.columns) FROM usage FINAL WHERE \(isCounted) "
                + "AND (installation, session) IN (\(reversed)) AND kind != \(UsageRow.Kind.click.rawValue) ORDER BY position",
            &meter
        ) { row throws(RowFault) in
            (place: try row.place(), use: try SessionUse.Event(&row))
        } _: { row throws(StoreError) in
            parts[row.place]?.use.add(row.use)
        }
        return keys.compactMap { key in
            parts[Place(installation: key.installation, session: key.session)].map { session(key, $0) }
        }
    }

    private func session(_ key: Key, _ parts: Parts) -> StoredSession {
        var session = StoredSession(
            place: key.place,
            installation: key.installation,
            id: key.session.text,
            number: parts.ordinal > 0 ? parts.ordinal : nil,
            last: Timestamp(milliseconds: parts.last),
            events: parts.events,
            engagement: parts.use.engagement,
            foreground: parts.use.foreground
        )
        session.users = parts.users.sorted { ($0.last, $0.user) < ($1.last, $1.user) }.map(\.user.text)
        session.screens = parts.use.views.views.prefix(StoredSession.maxParts).map(\.screen)
        session.launches = Array(parts.use.launches.prefix(StoredSession.maxParts))
        return session
    }
}

extension RowCursor {
    /// Reads two values: an installation, and a session's id.
    fileprivate mutating func place() throws(RowFault) -> ClickHouseEventStore.Place {
        ClickHouseEventStore.Place(installation: try installation(), session: ByteText(try text()))
    }
}
