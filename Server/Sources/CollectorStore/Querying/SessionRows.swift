// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Foundation
internal import GRDB
internal import TrackwayEvents

/// Reading sessions with what belongs to them.
enum SessionRows {
    /// The most screens, and the most launches, of one session in an answer.
    private static let maxParts: Int64 = 500

    static func matching(_ query: SessionQuery, _ db: Database) throws -> [StoredSession] {
        var conditions: [String] = []
        if query.installation != nil {
            conditions.append("s.installation = (SELECT number FROM installations WHERE id = :installation)")
        }
        if query.user != nil {
            conditions.append(
                """
                s.number IN (SELECT v.session FROM visits v JOIN users u ON u.number = v.user WHERE u.id = :user)
                """
            )
        }
        if query.id != nil { conditions.append("s.id = :id") }
        if query.after != nil { conditions.append("(s.start, s.number) < (:start, :number)") }
        // A session of which every event was erased has none any more.
        conditions.append("s.events > 0")
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT s.number, i.id, s.id, s.ordinal, s.start, s.last, s.events, s.engagement, s.foreground
                FROM sessions s LEFT JOIN installations i ON i.number = s.installation
                WHERE \(conditions.joined(separator: " AND "))
                ORDER BY s.start DESC, s.number DESC LIMIT :limit
                """,
            arguments: arguments(query)
        )
        return try rows.withinBudget { try session($0, db) }
    }

    private static func arguments(_ query: SessionQuery) -> StatementArguments {
        var arguments: [String: (any DatabaseValueConvertible)?] = ["limit": max(0, query.limit)]
        if let id = query.installation { arguments["installation"] = id.blob }
        if let user = query.user { arguments["user"] = user }
        if let id = query.id { arguments["id"] = id }
        if let after = query.after {
            arguments["start"] = after.time.milliseconds
            arguments["number"] = after.number
        }
        return StatementArguments(arguments)
    }

    private static func session(_ row: Row, _ db: Database) throws -> StoredSession {
        let number: Int64 = row[0]
        var session = StoredSession(
            place: TimedPlace(time: Timestamp(milliseconds: row[4]), number: number),
            installation: InstallationID(blob: row[1]),
            id: row[2],
            number: row[3],
            last: Timestamp(milliseconds: row[5]),
            events: UInt64(clamping: row[6] as Int64),
            engagement: row[7],
            foreground: row[8]
        )
        session.users = try String.fetchAll(
            db,
            sql: """
                SELECT u.id FROM visits v JOIN users u ON u.number = v.user
                WHERE v.session = ? AND u.id IS NOT NULL ORDER BY v.last, u.number
                """,
            arguments: [number]
        )
        session.screens = try Row.fetchAll(
            db,
            sql: """
                SELECT time, name, id, unique_id, engagement FROM screens
                WHERE session = ? ORDER BY time, position LIMIT ?
                """,
            arguments: [number, maxParts]
        ).map { row in
            StoredScreen(
                time: Timestamp(milliseconds: row[0]),
                name: row[1],
                id: row[2],
                uniqueID: row[3],
                engagement: row[4]
            )
        }
        session.launches = try Row.fetchAll(
            db,
            sql: """
                SELECT time, kind, first, recovered, duration FROM launches
                WHERE session = ? ORDER BY time, position LIMIT ?
                """,
            arguments: [number, maxParts]
        ).map { row in
            StoredLaunch(
                time: Timestamp(milliseconds: row[0]),
                kind: row[1],
                isFirst: row[2],
                isRecovered: row[3],
                duration: row[4]
            )
        }
        return session
    }
}
