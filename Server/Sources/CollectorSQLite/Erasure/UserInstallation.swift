// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import TrackwayCore

/// An installation on which a user signed in.
struct UserInstallation {
    let id: InstallationID
    let number: Int64
    /// The time ranges whose anonymous events belong to the user; nil if no other person ever signed in.
    ///
    /// Without other users, everything on the installation is the user's. An installation that keeps its visitors
    /// separate from users counts as one with other users.
    let times: [ClosedRange<Int64>]?

    /// Returns all installations of a user, except erased ones.
    ///
    /// Merged users count as one.
    ///
    /// - Parameter isIncluded: Whether another user who is merged with this one is included.
    /// - Complexity: O(the user's sessions).
    static func all(
        of user: String,
        _ db: Database,
        including isIncluded: (String) -> Bool = { _ in true }
    ) throws -> [UserInstallation] {
        let ids = try RawStatement(db, "SELECT id FROM users WHERE number = ?")
        let users = try numbers(of: user, db).filter { number in
            ids.bind(1, number)
            defer { ids.reset() }
            guard try ids.step() else { return false }
            let id = ids.text(0)
            return ByteText(id) == ByteText(user) || isIncluded(id)
        }
        let list = users.map(String.init).joined(separator: ", ")
        let find = try RawStatement(
            db,
            """
            SELECT i.id, i.number, s.periods,
            EXISTS (SELECT 1 FROM visits v WHERE v.installation = i.number AND v.user IN (\(list)))
            AND NOT EXISTS (
                SELECT 1 FROM visits v JOIN users o ON o.number = v.user
                WHERE v.installation = i.number AND o.id IS NOT NULL AND o.number NOT IN (\(list))
            )
            FROM (
                SELECT installation FROM visits WHERE user IN (\(list))
                UNION SELECT installation FROM user_attributes WHERE user IN (\(list))
            ) AS used
            JOIN installations i ON i.number = used.installation
            LEFT JOIN sign_ins s ON s.installation = i.number
            WHERE i.erased = 0 ORDER BY i.number
            """
        )
        var installations: [UserInstallation] = []
        while try find.step() {
            guard let id = find.id(0, as: InstallationID.self) else { continue }
            let history = find.isNull(2) ? SignInHistory() : find.withBytes(2) { SignInHistory(bytes: $0) }
            let isWhole = find.integer(3) == 1 && !history.isSeparate
            installations.append(
                UserInstallation(
                    id: id,
                    number: find.integer(1),
                    times: isWhole ? nil : users.flatMap { history.times(of: $0) }
                )
            )
        }
        return installations
    }

    /// Returns the numbers of a user and of all users who are counted as the same person.
    ///
    /// The user with whom the others are counted comes first. Empty for an unknown user.
    static func numbers(of user: String, _ db: Database) throws -> [Int64] {
        let sql = "SELECT coalesce(joined, number) FROM users WHERE id = CAST(? AS TEXT)"
        guard let root = try Int64.fetchOne(db, sql: sql, arguments: [Data(user.utf8)]) else { return [] }
        return try [root] + PersonPart.merged(into: root, db)
    }

    /// Returns all installations of a person, except erased ones.
    ///
    /// A visitor has one; it is shared if a user ever signed in there.
    ///
    /// - Complexity: O(the person's sessions).
    static func all(of person: PersonKey, _ db: Database) throws -> [UserInstallation] {
        switch person {
        case .user(let id): return try all(of: id, db)
        case .visitor(let id):
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT i.number, s.periods, EXISTS (
                        SELECT 1 FROM visits v JOIN users u ON u.number = v.user
                        WHERE v.installation = i.number AND u.id IS NOT NULL
                    ) FROM installations i LEFT JOIN sign_ins s ON s.installation = i.number
                    WHERE i.id = ? AND i.erased = 0
                    """,
                arguments: [id.blob]
            )
            guard let row else { return [] }
            let periods: Data? = row[1]
            let history = periods.map { $0.withUnsafeBytes { SignInHistory(bytes: $0) } } ?? SignInHistory()
            let isShared: Bool = row[2]
            let times = history.isSeparate ? [.min ... .max] : history.visitorTimes.map { [$0] } ?? []
            return [UserInstallation(id: id, number: row[0], times: isShared ? times : nil)]
        }
    }

    /// Returns what an erasure of a user would remove; nil if nothing is known about the user.
    static func preview(of user: String, _ db: Database) throws -> ErasurePreview? {
        let people = try numbers(of: user, db)
        guard !people.isEmpty else { return nil }
        let list = people.map(String.init).joined(separator: ", ")
        let installations = try all(of: user, db).map { installation in
            ErasurePreview.Installation(
                installation.id,
                isShared: installation.times != nil,
                events: try installation.events(of: list, db)
            )
        }
        let others = try Int.fetchOne(
            db,
            sql: "SELECT coalesce(sum(events), 0) FROM visits WHERE user IN (\(list)) AND installation = 0"
        )
        var preview = ErasurePreview(user: user, installations: installations, eventsWithoutInstallation: others ?? 0)
        let ids = "SELECT CAST(id AS BLOB) FROM users WHERE number = ?"
        preview.users = try people.compactMap { UserRows.text(try Data.fetchOne(db, sql: ids, arguments: [$0])) }
        return preview
    }

    /// Returns the number of events that an erasure would remove.
    ///
    /// - Parameter people: The numbers of the person's users, separated by commas.
    private func events(of people: String, _ db: Database) throws -> Int {
        guard let times else {
            let sql = "SELECT coalesce(sum(events), 0) FROM visits WHERE installation = ?"
            return try Int.fetchOne(db, sql: sql, arguments: [number]) ?? 0
        }
        let sql = "SELECT coalesce(sum(events), 0) FROM visits WHERE user IN (\(people)) AND installation = ?"
        var events = try Int.fetchOne(db, sql: sql, arguments: [number]) ?? 0
        for range in times {
            events +=
                try Int.fetchOne(
                    db,
                    sql: """
                        SELECT count(*) FROM users u JOIN runs r ON r.person = u.number
                        CROSS JOIN events e ON e.position BETWEEN r.first AND r.last
                        WHERE u.installation = ?1 AND u.id IS NULL AND r.latest >= ?2 AND r.earliest <= ?3
                        AND e.time >= ?2 AND e.time <= ?3
                        """,
                    arguments: [number, range.lowerBound, range.upperBound]
                ) ?? 0
        }
        return events
    }
}
