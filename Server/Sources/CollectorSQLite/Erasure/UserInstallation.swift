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
    /// The time ranges whose anonymous events belong to the user; nil if no other user ever signed in.
    ///
    /// Without other users, everything on the installation is the user's. An installation that keeps its visitors
    /// separate from users counts as one with other users.
    let times: [ClosedRange<Int64>]?

    /// Returns all installations of a user, except erased ones.
    ///
    /// - Complexity: O(the user's sessions).
    static func all(of user: String, _ db: Database) throws -> [UserInstallation] {
        let find = try RawStatement(
            db,
            """
            SELECT i.id, i.number, s.periods, u.number,
            EXISTS (SELECT 1 FROM visits v WHERE v.installation = i.number AND v.user = u.number)
            AND NOT EXISTS (
                SELECT 1 FROM visits v JOIN users o ON o.number = v.user
                WHERE v.installation = i.number AND o.id IS NOT NULL AND o.number != u.number
            )
            FROM users u CROSS JOIN (
                SELECT installation FROM visits WHERE user = (SELECT number FROM users WHERE id = ?1)
                UNION SELECT installation FROM user_attributes WHERE user = (SELECT number FROM users WHERE id = ?1)
            ) AS used
            JOIN installations i ON i.number = used.installation
            LEFT JOIN sign_ins s ON s.installation = i.number
            WHERE u.id = ?1 AND i.erased = 0 ORDER BY i.number
            """
        )
        find.bind(1, user)
        defer { find.reset() }
        var installations: [UserInstallation] = []
        while try find.step() {
            guard let id = find.id(0, as: InstallationID.self) else { continue }
            let history = find.isNull(2) ? SignInHistory() : find.withBytes(2) { SignInHistory(bytes: $0) }
            let isWhole = find.integer(4) == 1 && !history.isSeparate
            installations.append(
                UserInstallation(
                    id: id,
                    number: find.integer(1),
                    times: isWhole ? nil : history.times(of: find.integer(3))
                )
            )
        }
        return installations
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
        guard let person = try Int64.fetchOne(db, sql: "SELECT number FROM users WHERE id = ?", arguments: [user])
        else { return nil }
        let installations = try all(of: user, db).map { installation in
            ErasurePreview.Installation(
                installation.id,
                isShared: installation.times != nil,
                events: try installation.events(of: person, db)
            )
        }
        let others = try Int.fetchOne(
            db,
            sql: "SELECT coalesce(sum(events), 0) FROM visits WHERE user = ? AND installation = 0",
            arguments: [person]
        )
        return ErasurePreview(user: user, installations: installations, eventsWithoutInstallation: others ?? 0)
    }

    /// Returns the number of events that an erasure would remove.
    private func events(of person: Int64, _ db: Database) throws -> Int {
        guard let times else {
            let sql = "SELECT coalesce(sum(events), 0) FROM visits WHERE installation = ?"
            return try Int.fetchOne(db, sql: sql, arguments: [number]) ?? 0
        }
        let sql = "SELECT coalesce(sum(events), 0) FROM visits WHERE user = ? AND installation = ?"
        var events = try Int.fetchOne(db, sql: sql, arguments: [person, number]) ?? 0
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
