// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// What one transaction of an expiration did.
struct ExpirationStep: Sendable {
    /// The boundary after the transaction.
    let boundary: RetentionBoundary
    /// The highest number of a context that an expired event used.
    let lastContext: Int64
}

extension IndexTransaction {
    /// Removes the records of a range that begins at the boundary.
    ///
    /// After the transaction, the index contains exactly the records from the new boundary on, and every sum matches
    /// them. What describes people, devices and sessions stays until their last event expires; ``settleExpiration(_:)``
    /// then removes it.
    ///
    /// - Parameters:
    ///   - end: The end of the range; records before it must be indexed.
    ///   - maxEvents: The approximate maximum number of events to remove.
    /// - Complexity: O(removed events × log).
    func expire(upTo end: EventPosition, maxEvents: Int) throws -> ExpirationStep {
        var boundary = retention
        let range = try nextRange(upTo: end, maxEvents: maxEvents)
        guard !range.isEmpty else { return ExpirationStep(boundary: boundary, lastContext: 0) }
        var lastContext: Int64 = 0
        try IndexTables.overwritingFreedSpace(in: db) {
            lastContext = try remove(range, &boundary)
        }
        boundary.first = EventPosition(rawValue: range.upperBound)
        try boundary.write(db)
        return ExpirationStep(boundary: boundary, lastContext: lastContext)
    }

    /// Returns the next range of whole records.
    private func nextRange(upTo end: EventPosition, maxEvents: Int) throws -> Range<Int64> {
        let first = retention.first.rawValue
        guard first < end.rawValue else { return first..<first }
        let find = "SELECT position FROM events WHERE position >= ? AND position < ? ORDER BY position LIMIT 1 OFFSET ?"
        let arguments: StatementArguments = [first, end.rawValue, maxEvents]
        guard let place = try Int64.fetchOne(db, sql: find, arguments: arguments) else { return first..<end.rawValue }
        let record = place & ~Int64(EventPosition.maximumOrdinal)
        if record > first { return first..<record }
        // One record has more events than wanted.
        let after = record + Int64(EventPosition.maximumOrdinal) + 1
        return first..<min(after, end.rawValue)
    }

    private func remove(_ range: Range<Int64>, _ boundary: inout RetentionBoundary) throws -> Int64 {
        let events = EventSelection.positions(range)
        let bounds: StatementArguments = [range.lowerBound, range.upperBound]
        let found = try Row.fetchOne(
            db,
            sql: "SELECT max(received), max(context) FROM events WHERE position >= ? AND position < ?",
            arguments: bounds
        )
        let failed = try Row.fetchOne(
            db,
            sql: "SELECT max(received), count(*) FROM failed WHERE position >= ? AND position < ?",
            arguments: bounds
        )
        let arrivals: [Int64?] = [boundary.keptFrom?.milliseconds, found?[0], failed?[0]]
        boundary.keptFrom = arrivals.compactMap { $0 }.max().map { Timestamp(milliseconds: $0) }
        let lastContext: Int64 = found?[1] ?? 0
        // Sums come before the rows that they are computed from.
        try MinuteTable.take(events, outOf: db)
        try removeNameRuns(range, events)
        try CatalogTable.take(events, outOf: db)
        try QuarterTables.take(events, outOf: db)
        try removeFromPeople(events)
        try removeFromDevices(bounds)
        try markExpired(bounds)
        try removeContexts(range)
        try db.execute(
            sql: """
                DELETE FROM own_events WHERE (name, time, position) IN
                (SELECT events.name, events.time, events.position FROM \(events.table))
                """,
            arguments: events.arguments
        )
        for table in ["replays", "screens", "clicks", "launches", "snapshots", "failed"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE position >= ? AND position < ?", arguments: bounds)
        }
        // A run never crosses a record's end.
        try db.execute(sql: "DELETE FROM runs WHERE first >= ? AND first < ?", arguments: bounds)
        try db.execute(sql: "DELETE FROM events WHERE position >= ? AND position < ?", arguments: bounds)
        let removed = Int64(db.changesCount)
        try db.execute(sql: "DELETE FROM repeats WHERE position < ?", arguments: [range.upperBound])
        try CatalogTable.narrow(db)
        let removedFailed: Int64 = failed?[1] ?? 0
        progress.events -= removed
        progress.failed -= removedFailed
        boundary.events += removed
        boundary.failed += removedFailed
        return lastContext
    }

    private func removeNameRuns(_ range: Range<Int64>, _ events: EventSelection) throws {
        let chunks: StatementArguments = [
            range.lowerBound >> NameRuns.chunkBits, (range.upperBound - 1) >> NameRuns.chunkBits, range.upperBound,
        ]
        let names = "name IN (SELECT DISTINCT events.name FROM \(events.table)) AND chunk >= ? AND chunk <= ?"
        try db.execute(
            sql: "DELETE FROM name_runs WHERE \(names) AND last < ?",
            arguments: events.arguments + chunks
        )
        try db.execute(
            sql: "UPDATE name_runs SET first = ? WHERE \(names) AND first < ?",
            arguments: [range.upperBound] + events.arguments + chunks
        )
    }

    /// Subtracts events from people, visits, sessions and devices, and removes visits and sessions without events.
    private func removeFromPeople(_ events: EventSelection) throws {
        try db.execute(
            sql: """
                CREATE TEMP TABLE IF NOT EXISTS gone_visits (user INTEGER, installation INTEGER, session INTEGER, events INTEGER)
                """
        )
        try db.execute(sql: "DELETE FROM gone_visits")
        try db.execute(
            sql: """
                INSERT INTO gone_visits SELECT person, coalesce(installation, 0), coalesce(session, 0), count(*)
                FROM \(events.table) GROUP BY 1, 2, 3
                """,
            arguments: events.arguments
        )
        for sql in [
            """
            UPDATE visits SET events = visits.events - gone.events FROM gone_visits AS gone
            WHERE visits.user = gone.user AND visits.installation = gone.installation AND visits.session = gone.session
            """,
            """
            DELETE FROM visits WHERE (user, installation, session) IN
            (SELECT user, installation, session FROM gone_visits WHERE user IS NOT NULL) AND events <= 0
            """,
            """
            UPDATE users SET events = users.events - gone.events
            FROM (SELECT user, sum(events) AS events FROM gone_visits GROUP BY 1) AS gone WHERE users.number = gone.user
            """,
            """
            UPDATE sessions SET events = sessions.events - gone.events
            FROM (SELECT session, sum(events) AS events FROM gone_visits WHERE session > 0 GROUP BY 1) AS gone
            WHERE sessions.number = gone.session
            """,
            "DELETE FROM sessions WHERE number IN (SELECT session FROM gone_visits) AND events <= 0",
            """
            UPDATE devices SET events = devices.events - gone.events
            FROM (SELECT installation, sum(events) AS events FROM gone_visits GROUP BY 1) AS gone
            WHERE devices.installation = gone.installation
            """,
            "DELETE FROM gone_visits",
        ] {
            try db.execute(sql: sql)
        }
    }

    /// Subtracts snapshots from devices.
    private func removeFromDevices(_ bounds: StatementArguments) throws {
        try db.execute(
            sql: """
                UPDATE devices SET states = devices.states - gone.states, changes = devices.changes - gone.changes
                FROM (
                    SELECT installation, sum(kind = \(SnapshotKind.state.rawValue)) AS states, sum(changes) AS changes
                    FROM snapshots WHERE position >= ? AND position < ? GROUP BY 1
                ) AS gone WHERE devices.installation = gone.installation
                """,
            arguments: bounds
        )
    }

    /// Adds the events' sequence numbers to their writers' expired numbers.
    private func markExpired(_ bounds: StatementArguments) throws {
        let find = try Row.fetchCursor(
            db,
            sql: """
                SELECT writer, sequence FROM events WHERE position >= ? AND position < ? AND writer IS NOT NULL
                AND sequence > 0 ORDER BY writer, sequence
                """,
            arguments: bounds
        )
        var run: (writer: Int64, numbers: ClosedRange<UInt64>)?
        while let row = try find.next() {
            let (writer, number): (Int64, Int64) = (row[0], row[1])
            let sequence = UInt64(number)
            if let known = run, known.writer == writer, sequence - known.numbers.upperBound <= 1 {
                run = (writer, known.numbers.lowerBound...sequence)
                continue
            }
            if let run { try tables.ranges.merge(run.numbers, writer: run.writer, kind: .expired) }
            run = (writer, sequence...sequence)
        }
        if let run { try tables.ranges.merge(run.numbers, writer: run.writer, kind: .expired) }
        try tables.ranges.flush()
    }

    /// Removes the contexts of the range that no later record used.
    private func removeContexts(_ range: Range<Int64>) throws {
        try db.execute(
            sql: """
                DELETE FROM contexts WHERE last < ?2 AND number IN
                (SELECT context FROM events WHERE position >= ?1 AND position < ?2)
                """,
            arguments: [range.lowerBound, range.upperBound]
        )
    }

    /// Removes what describes people and devices of which no event is left.
    ///
    /// A user is kept as long as events recorded before a sign-in may belong to the user.
    ///
    /// - Parameter lastContext: The highest number of a context that an expired event used.
    /// - Complexity: O(people + installations + long-lived contexts).
    func settleExpiration(lastContext: Int64) throws {
        try IndexTables.overwritingFreedSpace(in: db) {
            try db.execute(
                sql: """
                    DELETE FROM sign_ins
                    WHERE NOT EXISTS (
                        SELECT 1 FROM visits WHERE visits.installation = sign_ins.installation AND events > 0
                    )
                    """
            )
            try db.execute(sql: "DELETE FROM visits WHERE events <= 0")
            try keepSignedInUsers()
            try tables.merges.expire(before: retention.first)
            try keepMergedUsers()
            for sql in [
                """
                DELETE FROM users WHERE last IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM visits WHERE visits.user = users.number)
                AND number NOT IN (SELECT user FROM kept_users)
                """,
                """
                DELETE FROM user_attributes
                WHERE NOT EXISTS (SELECT 1 FROM users WHERE users.number = user_attributes.user)
                """,
                "DELETE FROM device_facts WHERE installation IN (SELECT installation FROM devices WHERE events <= 0)",
                "DELETE FROM devices WHERE events <= 0",
                "DELETE FROM kept_users",
            ] {
                try db.execute(sql: sql)
            }
            try db.execute(
                sql: "DELETE FROM contexts WHERE number <= ? AND last < ?",
                arguments: [lastContext, retention.first.rawValue]
            )
            try PlanCounter.forgetSamples(db)
        }
    }

    /// Adds a visit without events for each sign-in whose events have all expired.
    ///
    /// Anonymous events that the installation recorded before the sign-in, and that have not expired, belong to the user.
    private func keepSignedInUsers() throws {
        let histories = try RawStatement(db, "SELECT installation, periods FROM sign_ins ORDER BY installation")
        while try histories.step() {
            let history = histories.withBytes(1) { SignInHistory(bytes: $0) }
            try tables.signIns.addVisits(history, of: histories.integer(0))
        }
    }

    /// Collects the users who are merged with others, of whom one has events.
    private func keepMergedUsers() throws {
        try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS kept_users (user INTEGER PRIMARY KEY)")
        try db.execute(sql: "DELETE FROM kept_users")
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO kept_users SELECT u.number FROM users u WHERE u.id IS NOT NULL
                AND (u.joined IS NOT NULL OR EXISTS (SELECT 1 FROM users c WHERE c.joined = u.number AND c.id IS NOT NULL))
                AND EXISTS (
                    SELECT 1 FROM visits v WHERE v.user = coalesce(u.joined, u.number) OR v.user IN
                    (SELECT m.number FROM users m WHERE m.joined = coalesce(u.joined, u.number) AND m.id IS NOT NULL)
                )
                """
        )
    }
}

extension SQLiteEventStore {
    /// Removes some of the records before a position from the index.
    ///
    /// - Returns: What was done; nothing before `end` is left once the boundary is there.
    /// - Throws: SQLite errors; the index is then unchanged.
    func expire(upTo end: EventPosition, maxEvents: Int) async throws -> ExpirationStep {
        let (step, progress) = try await database.pool.write { [weak self, erasedUsers] db in
            let transaction = try IndexTransaction(db, erasedUsers: erasedUsers)
            let step = try transaction.expire(upTo: end, maxEvents: maxEvents)
            try transaction.finish(at: transaction.progress.cursor, damaged: 0)
            // Readers that begin after the commit must already know the boundary.
            if let keptFrom = step.boundary.keptFrom { self?.announce(keptFrom: keptFrom) }
            return (step, transaction.progress)
        }
        publish(progress, erased: [], retention: step.boundary)
        return step
    }

    /// Removes what describes people and devices of which no event is left.
    func settleExpiration(lastContext: Int64) async throws {
        let progress = try await database.pool.write { [erasedUsers] db in
            let transaction = try IndexTransaction(db, erasedUsers: erasedUsers)
            try transaction.settleExpiration(lastContext: lastContext)
            try transaction.finish(at: transaction.progress.cursor, damaged: 0)
            return transaction.progress
        }
        publish(progress, erased: [])
    }
}
