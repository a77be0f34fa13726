// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB

/// Adds sign-ins to an index of a cluster that was created without them.
///
/// Everything is computed from the index, because the first records of a stream may have been purged.
enum SignInUpgrade {
    /// Adds the sign-ins if the index has none.
    ///
    /// - Complexity: O(log) if there is nothing to add; otherwise O(events of shared installations + contexts).
    static func run(_ db: Database) throws {
        guard try isNeeded(db) else { return }
        let signIns = try SignInTable(db)
        let users = try RawStatement(
            db,
            """
            SELECT v.installation, count(DISTINCT v.user), v.user, u.mark, max(v.last) FROM visits v
            JOIN users u ON u.number = v.user WHERE u.id IS NOT NULL AND v.installation > 0 GROUP BY v.installation
            """
        )
        let events = try RawStatement(
            db,
            """
            SELECT e.time, u.number, u.mark FROM runs r INDEXED BY runs_by_installation
            CROSS JOIN events e ON e.position BETWEEN r.first AND r.last JOIN users u ON u.number = r.person
            WHERE r.installation = ? AND u.id IS NOT NULL ORDER BY e.time, u.mark, u.number
            """
        )
        while try users.step() {
            let installation = try signIns.installation(users.integer(0))
            guard users.integer(1) > 1 else {
                installation.add(
                    SignInHistory.Period(user: users.integer(2), mark: users.integer(3), last: users.integer(4))
                )
                continue
            }
            events.bind(1, users.integer(0))
            defer { events.reset() }
            // In order of time, no event divides an earlier period.
            while try events.step() {
                installation.add(
                    SignInHistory.Period(user: events.integer(1), mark: events.integer(2), last: events.integer(0))
                )
            }
        }
        let contexts = try RawStatement(
            db,
            "SELECT installation, content FROM contexts WHERE installation > 0 AND instr(content, CAST('\"separate\"' AS BLOB)) > 0"
        )
        while try contexts.step() {
            let facts = contexts.withBytes(1) { ContextFacts(context: $0) }
            if facts.isSeparate, facts.user == nil {
                try signIns.installation(contexts.integer(0)).keepSeparate()
            }
        }
        try signIns.flush()
    }

    /// Whether the index has signed-in events but no sign-ins.
    private static func isNeeded(_ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db,
            sql: """
                SELECT NOT EXISTS (SELECT 1 FROM sign_ins) AND EXISTS (SELECT 1 FROM users u
                CROSS JOIN visits v ON v.user = u.number WHERE u.id IS NOT NULL AND v.installation > 0)
                """
        ) ?? false
    }
}
