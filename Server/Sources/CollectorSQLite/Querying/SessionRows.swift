// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import TrackwayCore

/// Reads sessions with their users, screens and launches.
enum SessionRows {
    static func matching(_ query: SessionQuery, _ db: Database) throws -> [StoredSession] {
        var conditions: [String] = []
        if query.installation != nil {
            conditions.append("s.installation = (SELECT number FROM installations WHERE id = :installation)")
        }
        if query.user != nil {
            conditions.append(try userCondition(query.user ?? "", db))
        }
        if query.id != nil { conditions.append("s.id = CAST(:id AS TEXT)") }
        if query.after != nil { conditions.append("(s.start, s.mark) < (:start, :number)") }
        // A session whose events were all erased has a count of zero.
        conditions.append("s.events > 0")
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT s.number, i.id, CAST(s.id AS BLOB), s.ordinal, s.start, s.last, s.events, s.engagement, s.foreground,
                s.mark
                FROM sessions s LEFT JOIN installations i ON i.number = s.installation
                WHERE \(conditions.joined(separator: " AND "))
                ORDER BY s.start DESC, s.mark DESC LIMIT :limit
                """,
            arguments: arguments(query)
        )
        return try rows.collectWithinBudget { try session($0, db) }
    }

    /// Returns an SQL condition for the sessions of a user.
    ///
    /// The session has an event of the user, or of a visitor who signed in as the user.
    ///
    /// - Complexity: O(installations of the user × log).
    private static func userCondition(_ user: String, _ db: Database) throws -> String {
        guard let number = try UserRows.number(.user(user), db) else { return "0" }
        let parts = try PersonPart.all(of: number, db)
        let whole = parts.filter(\.isWhole).map { String($0.number) }.joined(separator: ", ")
        var sessions: [String] = []
        for part in parts where !part.isWhole {
            sessions += try Int64.fetchAll(
                db,
                sql: """
                    SELECT DISTINCT r.session FROM runs r INDEXED BY runs_by_person_time
                    WHERE r.person = ?1 AND r.latest >= ?2 AND r.earliest <= ?3 AND r.session IS NOT NULL AND EXISTS
                    (SELECT 1 FROM events WHERE position BETWEEN r.first AND r.last AND time >= ?2 AND time <= ?3)
                    """,
                arguments: [part.number, part.times.lowerBound, part.times.upperBound]
            ).map(String.init)
        }
        let ofWhole = "s.number IN (SELECT v.session FROM visits v WHERE v.user IN (\(whole)))"
        return sessions.isEmpty ? ofWhole : "(\(ofWhole) OR s.number IN (\(sessions.joined(separator: ", "))))"
    }

    private static func arguments(_ query: SessionQuery) -> StatementArguments {
        var arguments: [String: (any DatabaseValueConvertible)?] = ["limit": max(0, query.limit)]
        if let id = query.installation { arguments["installation"] = id.blob }
        if let id = query.id { arguments["id"] = Data(id.utf8) }
        if let after = query.after {
            arguments["start"] = after.time.milliseconds
            arguments["number"] = after.number
        }
        return StatementArguments(arguments)
    }

    /// Returns a session's users, including those that its visitor later signed in as.
    ///
    /// A merged user is the user with whom the events are counted.
    ///
    /// The user with the latest event comes last.
    private static func users(of session: Int64, _ db: Database) throws -> [String] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT CAST(coalesce(r.id, j.id, u.id) AS BLOB), v.last, s.periods
                FROM visits v JOIN users u ON u.number = v.user LEFT JOIN users j ON j.number = u.joined
                LEFT JOIN users r ON r.number = j.joined
                LEFT JOIN sign_ins s ON s.installation = u.installation AND u.joined <= 0
                WHERE v.session = ? ORDER BY v.last, u.id
                """,
            arguments: [session]
        )
        var users: [String] = []
        while let row = try rows.next() {
            var id = UserRows.text(row[0])
            if id == nil, let periods: Data = row[2] {
                let owner = periods.withUnsafeBytes { SignInHistory(bytes: $0) }.owner(at: row[1])
                id = UserRows.text(
                    try owner.flatMap {
                        try Data.fetchOne(
                            db,
                            sql: """
                                SELECT CAST(r.id AS BLOB) FROM users u JOIN users r ON r.number = coalesce(u.joined, u.number)
                                WHERE u.number = ?
                                """,
                            arguments: [$0]
                        )
                    }
                )
            }
            guard let id else { continue }
            users.removeAll { ByteText($0) == ByteText(id) }
            users.append(id)
        }
        return users
    }

    private static func session(_ row: Row, _ db: Database) throws -> StoredSession {
        let number: Int64 = row[0]
        var session = StoredSession(
            place: TimeCursor(time: Timestamp(milliseconds: row[4]), number: row[9]),
            installation: InstallationID(blob: row[1]),
            id: UserRows.text(row[2]) ?? "",
            number: row[3],
            last: Timestamp(milliseconds: row[5]),
            events: UInt64(clamping: row[6] as Int64),
            engagement: row[7],
            foreground: row[8]
        )
        session.users = try users(of: number, db)
        session.screens = try Row.fetchAll(
            db,
            sql: """
                SELECT time, CAST(name AS BLOB), CAST(id AS BLOB), CAST(unique_id AS BLOB), engagement FROM screens
                WHERE session = ? ORDER BY time, position LIMIT ?
                """,
            arguments: [number, StoredSession.maxParts]
        ).map { row in
            StoredScreen(
                time: Timestamp(milliseconds: row[0]),
                name: UserRows.text(row[1]) ?? "",
                id: UserRows.text(row[2]),
                uniqueID: UserRows.text(row[3]),
                engagement: row[4]
            )
        }
        session.launches = try Row.fetchAll(
            db,
            sql: """
                SELECT time, CAST(kind AS BLOB), first, recovered, duration FROM launches
                WHERE session = ? ORDER BY time, position LIMIT ?
                """,
            arguments: [number, StoredSession.maxParts]
        ).map { row in
            StoredLaunch(
                time: Timestamp(milliseconds: row[0]),
                kind: UserRows.text(row[1]) ?? "",
                isFirst: row[2],
                isRecovered: row[3],
                duration: row[4]
            )
        }
        return session
    }
}
