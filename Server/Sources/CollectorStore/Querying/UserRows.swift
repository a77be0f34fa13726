// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Foundation
internal import GRDB
internal import TrackwayEvents

/// Reading people with what is known about them.
enum UserRows {
    static func matching(_ query: UserQuery, _ db: Database) throws -> [StoredUser] {
        var conditions = ["u.last IS NOT NULL"]
        var arguments: [String: (any DatabaseValueConvertible)?] = ["limit": max(0, query.limit)]
        if let id = query.id {
            conditions.append("u.id = :id")
            arguments["id"] = id
        }
        if let id = query.installation {
            conditions.append(
                """
                u.number IN (SELECT v.user FROM visits v JOIN installations i ON i.number = v.installation
                WHERE i.id = :installation)
                """
            )
            arguments["installation"] = id.blob
        }
        if let before = query.before {
            conditions.append("u.last < :before")
            arguments["before"] = before.milliseconds
        }
        if let after = query.after {
            conditions.append("(u.last, u.number) < (:time, :number)")
            arguments["time"] = after.time.milliseconds
            arguments["number"] = after.number
        }
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT u.number, u.id, u.unique_id, u.anonymous_id, u.first_touch, u.first, u.last, u.events,
                (SELECT count(DISTINCT v.session) FROM visits v WHERE v.user = u.number AND v.session > 0)
                FROM users u WHERE \(conditions.joined(separator: " AND "))
                ORDER BY u.last DESC, u.number DESC LIMIT :limit
                """,
            arguments: StatementArguments(arguments)
        )
        return try rows.withinBudget { try user($0, db) }
    }

    private static func user(_ row: Row, _ db: Database) throws -> StoredUser {
        let number: Int64 = row[0]
        var user = StoredUser(
            id: row[1],
            uniqueID: row[2],
            anonymousID: row[3],
            firstTouch: (row[4] as Int64?).map { Timestamp(milliseconds: $0) },
            first: Timestamp(milliseconds: row[5]),
            last: Timestamp(milliseconds: row[6]),
            events: UInt64(clamping: row[7] as Int64),
            sessions: UInt64(clamping: row[8] as Int64)
        )
        user.number = number
        user.installations = try Row.fetchAll(
            db,
            sql: """
                SELECT i.id FROM visits v JOIN installations i ON i.number = v.installation
                WHERE v.user = ? GROUP BY i.number ORDER BY max(v.last) DESC LIMIT 20
                """,
            arguments: [number]
        ).compactMap { InstallationID(blob: $0[0]) }
        try fill(&user, db)
        return user
    }

    /// The most attributes of one person in an answer.
    private static let maxAttributes = 200
    /// The most bytes of their values, and one value more.
    private static let attributeBytes = 256 << 10

    private static func fill(_ user: inout StoredUser, _ db: Database) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT name, value, set_at, omitted FROM user_attributes WHERE user = ? ORDER BY name",
            arguments: [user.number]
        )
        var bytes = 0
        while let row = try rows.next() {
            guard user.attributes.count < maxAttributes, bytes < attributeBytes else {
                user.hasMoreAttributes = true
                return
            }
            let attribute = StoredUser.Attribute(
                name: row[0],
                value: Array(row[1] as Data),
                set: Timestamp(milliseconds: row[2]),
                omitted: UInt64(clamping: row[3] as Int64)
            )
            bytes += attribute.name.utf8.count + attribute.value.count
            user.attributes.append(attribute)
        }
    }
}
