// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import TrackwayCore

/// Reads people and their attributes.
enum UserRows {
    private static let columns = """
        SELECT u.number, CAST(u.id AS BLOB), CAST(u.unique_id AS BLOB), CAST(u.anonymous_id AS BLOB), u.first_touch, u.first, u.last,
        u.events, (SELECT count(*) FROM visits v WHERE v.user = u.number AND v.session > 0), u.mark, u.joined
        FROM users u
        """

    static func matching(_ query: UserQuery, _ db: Database) throws -> [StoredUser] {
        let filter = UserFilter(query)
        let rows = try Row.fetchCursor(
            db,
            sql: "\(columns) WHERE \(filter.sql) ORDER BY u.last DESC, u.mark DESC LIMIT :limit",
            arguments: filter.arguments(limit: query.limit)
        )
        let attributes = query.includesAttributes ? AttributePage() : nil
        return try rows.collectWithinBudget { try user($0, attributes, db) }
    }

    /// Returns the person with a number.
    static func at(_ number: Int64, includesAttributes: Bool, _ db: Database) throws -> StoredUser? {
        try Row.fetchOne(db, sql: columns + " WHERE u.number = ?", arguments: [number])
            .map { try user($0, includesAttributes ? AttributePage() : nil, db) }
    }

    /// Returns the number of a person who sent an event, or nil.
    ///
    /// If all events of a visitor belong to one user, the result for the visitor is the user's number. The result for a
    /// merged user is the number of the user with whom the events are counted.
    static func number(_ person: PersonKey, _ db: Database) throws -> Int64? {
        switch person {
        case .user(let id):
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT r.number FROM users u JOIN users r ON r.number = coalesce(u.joined, u.number)
                    WHERE u.id = CAST(? AS TEXT) AND r.last IS NOT NULL
                    """,
                arguments: [Data(id.utf8)]
            )
        case .visitor(let id):
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT CASE WHEN u.joined > 0 THEN coalesce(j.joined, j.number) ELSE u.number END FROM users u
                    LEFT JOIN users j ON j.number = u.joined
                    WHERE u.id IS NULL AND u.last IS NOT NULL AND u.joined IS NOT -1
                    AND u.installation = (SELECT number FROM installations WHERE id = ?)
                    """,
                arguments: [id.blob]
            )
        }
    }

    /// Returns the profile of a person; nil if the person has sent no events.
    static func profile(_ query: ProfileQuery, _ db: Database) throws -> PersonProfile? {
        guard let number = try number(query.person, db),
            let row = try Row.fetchOne(db, sql: columns + " WHERE u.number = ?", arguments: [number])
        else { return nil }
        let parts = try PersonPart.all(of: number, db)
        let page = AttributePage(after: query.afterAttribute, limit: query.attributes)
        var devices = try devices(of: parts, db)
        let hasMore = devices.count > PersonProfile.maxDevices
        if hasMore { devices.removeSubrange(PersonProfile.maxDevices...) }
        var profile = PersonProfile(person: try user(row, page, db), devices: devices, hasMoreDevices: hasMore)
        profile.firstTouch = try FirstTouchRows.facts(of: parts, db)
        let users = (profile.person.id.map { [$0] } ?? []) + profile.person.mergedIDs
        profile.merges = try MergeRows.connected(with: users, db).suffix(StoredMerge.maximumCount)
        return profile
    }

    /// Decodes a string, including any zero bytes.
    ///
    /// The database library ends strings at a zero byte, which an id may contain.
    static func text(_ bytes: Data?) -> String? {
        bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the devices of a profile, plus one if there are more than the limit.
    ///
    /// A user has at least one event on the installation of each part, so the user's own devices include all devices.
    private static func devices(of parts: [PersonPart], _ db: Database) throws -> [PersonProfile.Device] {
        guard let own = parts.first else { return [] }
        let users = parts.filter(\.isOfUser).map(\.number)
        let numbers = (users.isEmpty ? [own.number] : users).map(String.init).joined(separator: ", ")
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT i.id, v.first, v.last, v.events, v.sessions, f.app, f.version, f.model, f.system, i.number
                FROM (
                    SELECT w.installation, min(w.first) AS first, max(w.last) AS last, sum(w.events) AS events,
                    count(DISTINCT CASE WHEN w.session > 0 THEN w.session END) AS sessions
                    FROM visits w JOIN installations j ON j.number = w.installation
                    WHERE w.user IN (\(numbers)) GROUP BY w.installation ORDER BY 3 DESC, j.id LIMIT ?
                ) AS v
                JOIN installations i ON i.number = v.installation
                LEFT JOIN device_facts f ON f.installation = v.installation
                ORDER BY v.last DESC, i.id
                """,
            arguments: [PersonProfile.maxDevices + 1]
        )
        return try rows.compactMap { row in
            guard let id = InstallationID(blob: row[0]) else { return nil }
            var sums = PersonPart.Sums(first: row[1], last: row[2], events: row[3], sessions: row[4])
            if !own.isWhole { sums = try own.sums(excluding: [], db) }
            let visitor = try Int64.fetchOne(
                db,
                sql: "SELECT number FROM users WHERE installation = ? AND id IS NULL",
                arguments: [row[9] as Int64]
            )
            for part in parts.dropFirst() where part.number == visitor {
                sums.add(try part.sums(excluding: users, db))
            }
            return PersonProfile.Device(
                installation: id,
                first: Timestamp(milliseconds: sums.first ?? row[1]),
                last: Timestamp(milliseconds: sums.last ?? row[2]),
                events: UInt64(clamping: sums.events),
                sessions: UInt64(clamping: sums.sessions),
                facts: DeviceFacts(app: row[5], version: row[6], model: row[7], system: row[8])
            )
        }
    }

    private static func user(_ row: Row, _ attributes: AttributePage?, _ db: Database) throws -> StoredUser {
        let number: Int64 = row[0]
        let parts = try PersonPart.all(of: number, db)
        var sums = PersonPart.Sums(first: row[5], last: row[6], events: row[7], sessions: row[8])
        if let own = parts.first, !own.isWhole { sums = try own.sums(excluding: [], db) }
        // The sessions of a user are not counted again for users and visitors who belong to the same person.
        var counted = [number]
        for part in parts.dropFirst() {
            sums.add(try part.sums(excluding: counted, db))
            if part.isOfUser { counted.append(part.number) }
        }
        var (uniqueID, anonymousID, firstTouch) = (text(row[2]), text(row[3]), row[4] as Int64?)
        // If the user's events have no such id, use that of the visitor on the most recently used installation.
        for part in parts.dropFirst() where part.isWhole {
            let visitor = try Row.fetchOne(
                db,
                sql: """
                    SELECT CAST(unique_id AS BLOB), CAST(anonymous_id AS BLOB), first_touch FROM users WHERE number = ?
                    """,
                arguments: [part.number]
            )
            guard let visitor else { continue }
            uniqueID = uniqueID ?? text(visitor[0])
            anonymousID = anonymousID ?? text(visitor[1])
            firstTouch = [firstTouch, visitor[2]].compactMap(\.self).min()
        }
        var user = StoredUser(
            id: text(row[1]),
            uniqueID: uniqueID,
            anonymousID: anonymousID,
            firstTouch: firstTouch.map { Timestamp(milliseconds: $0) },
            first: Timestamp(milliseconds: sums.first ?? row[6]),
            last: Timestamp(milliseconds: row[6]),
            events: UInt64(clamping: sums.events),
            sessions: UInt64(clamping: sums.sessions)
        )
        user.mergedIDs = try counted.dropFirst().compactMap { merged in
            UserRows.text(
                try Data.fetchOne(db, sql: "SELECT CAST(id AS BLOB) FROM users WHERE number = ?", arguments: [merged])
            )
        }
        user.number = row[9]
        user.installations = try Row.fetchAll(
            db,
            sql: """
                SELECT i.id FROM visits v JOIN installations i ON i.number = v.installation
                WHERE v.user IN (\(counted.map(String.init).joined(separator: ", ")))
                GROUP BY i.number ORDER BY max(v.last) DESC, i.id LIMIT \(StoredUser.maxInstallations)
                """
        ).compactMap { InstallationID(blob: $0[0]) }
        if let attributes { try attributes.fill(&user, of: parts, db) }
        return user
    }
}

extension AttributePage {
    /// Adds one page of attributes to a person.
    ///
    /// If the user and an earlier visitor both have an attribute, the value that was set later is used.
    fileprivate func fill(_ user: inout StoredUser, of parts: [PersonPart], _ db: Database) throws {
        // Attributes have no history, so the attributes of a visitor with several owners remain with the visitor.
        let numbers = parts.prefix(1).map(\.number) + parts.dropFirst().filter(\.isWhole).map(\.number)
        let rows = try RawStatement(
            db,
            """
            SELECT a.name, a.value, a.set_at, a.omitted, i.id FROM user_attributes a
            LEFT JOIN installations i ON i.number = a.installation LEFT JOIN users o ON o.number = a.user
            WHERE a.user IN (\(numbers.map(String.init).joined(separator: ", "))) AND a.name > ?
            ORDER BY a.name, a.set_at DESC, a.user = \(numbers.first ?? 0) DESC, i.id, o.id IS NULL, o.mark
            """
        )
        rows.bind(1, after)
        defer { rows.reset() }
        var page = self
        var name: String?
        while try rows.step() {
            guard name.map(ByteText.init) != ByteText(rows.text(0)) else { continue }
            name = rows.text(0)
            let attribute = StoredUser.Attribute(
                name: rows.text(0),
                value: rows.bytes(1),
                set: Timestamp(milliseconds: rows.integer(2)),
                installation: rows.id(4),
                omitted: UInt64(clamping: rows.integer(3))
            )
            guard page.add(attribute, to: &user) else { return }
        }
    }
}

/// A query's conditions on people, as SQL.
///
/// Query text never becomes part of the SQL.
struct UserFilter {
    /// The conditions on the `users` table (as `u`).
    let sql: String
    private let values: [String: (any DatabaseValueConvertible)?]

    init(_ query: UserQuery) {
        var conditions = ["u.last IS NOT NULL", JoinedVisitor.personCondition]
        var values: [String: (any DatabaseValueConvertible)?] = [:]
        if let id = query.id {
            conditions.append(
                "u.number = (SELECT coalesce(m.joined, m.number) FROM users m WHERE m.id = CAST(:id AS TEXT))"
            )
            values["id"] = Data(id.utf8)
        }
        if let id = query.installation {
            conditions.append(
                """
                u.number IN (SELECT CASE WHEN m.id IS NOT NULL THEN coalesce(m.joined, m.number) ELSE m.number END
                FROM visits v JOIN installations i ON i.number = v.installation JOIN users m ON m.number = v.user
                WHERE i.id = :installation)
                """
            )
            values["installation"] = id.blob
        }
        if let before = query.before {
            conditions.append("u.last < :before")
            values["before"] = before.milliseconds
        }
        if let after = query.after {
            conditions.append("(u.last, u.mark) < (:time, :number)")
            values["time"] = after.time.milliseconds
            values["number"] = after.number
        }
        sql = conditions.joined(separator: " AND ")
        self.values = values
    }

    /// Returns the values of the conditions and the limit; nil means no limit.
    func arguments(limit: Int?) -> StatementArguments {
        var values = values
        if let limit { values["limit"] = max(0, limit) }
        return StatementArguments(values)
    }
}
