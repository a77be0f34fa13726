// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Foundation
internal import GRDB
internal import TrackwayEvents

/// Reading sessions with what belongs to them.
enum SessionRows {
    static func matching(_ query: SessionQuery, _ db: Database) throws -> [StoredSession] {
        var conditions: [String] = []
        if query.installation != nil {
            conditions.append("s.installation = (SELECT number FROM installations WHERE id = :installation)")
        }
        if query.user != nil {
            conditions.append(
                """
                s.number IN (SELECT v.session FROM visits v JOIN users u ON u.number = v.user
                WHERE u.id = CAST(:user AS TEXT))
                """
            )
        }
        if query.id != nil { conditions.append("s.id = CAST(:id AS TEXT)") }
        if query.after != nil { conditions.append("(s.start, s.mark) < (:start, :number)") }
        // A session of which every event was erased has none any more.
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
        return try rows.withinBudget { try session($0, db) }
    }

    private static func arguments(_ query: SessionQuery) -> StatementArguments {
        var arguments: [String: (any DatabaseValueConvertible)?] = ["limit": max(0, query.limit)]
        if let id = query.installation { arguments["installation"] = id.blob }
        if let user = query.user { arguments["user"] = Data(user.utf8) }
        if let id = query.id { arguments["id"] = Data(id.utf8) }
        if let after = query.after {
            arguments["start"] = after.time.milliseconds
            arguments["number"] = after.number
        }
        return StatementArguments(arguments)
    }

    private static func session(_ row: Row, _ db: Database) throws -> StoredSession {
        let number: Int64 = row[0]
        var session = StoredSession(
            place: TimedPlace(time: Timestamp(milliseconds: row[4]), number: row[9]),
            installation: InstallationID(blob: row[1]),
            id: UserRows.text(row[2]) ?? "",
            number: row[3],
            last: Timestamp(milliseconds: row[5]),
            events: UInt64(clamping: row[6] as Int64),
            engagement: row[7],
            foreground: row[8]
        )
        session.users = try Data.fetchAll(
            db,
            sql: """
                SELECT CAST(u.id AS BLOB) FROM visits v JOIN users u ON u.number = v.user
                WHERE v.session = ? AND u.id IS NOT NULL ORDER BY v.last, u.id
                """,
            arguments: [number]
        ).map { String(decoding: $0, as: UTF8.self) }
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
