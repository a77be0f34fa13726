// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// Removes every trace of one installation but its id and the mark that it was erased.
struct Erasure {
    /// What was removed.
    struct Removed {
        var events: Int64
        var failed: Int64
        var duplicates: Int64
    }

    /// When a person was seen first and last is found among so many visits.
    static let maxVisits = 1_000

    private let db: Database

    init(_ db: Database) {
        self.db = db
    }

    /// - Parameter plan: What events are checked by, with all that was counted written; nil for nothing.
    /// - Complexity: O(rows of the installation).
    func run(installation: Int64, plan: PlanSums? = nil) throws -> Removed {
        // Overwrites what it frees: erased means gone from the file, not only from the tables.
        try db.execute(sql: "PRAGMA secure_delete = ON")
        defer {
            do {
                try db.execute(sql: "PRAGMA secure_delete = OFF")
            } catch {
                // Deleting stays thorough, and a little slower, until the file is opened again.
            }
        }
        let arguments: StatementArguments = [installation]
        let duplicates = try Int64.fetchOne(
            db,
            sql: "SELECT coalesce(sum(duplicates), 0) FROM writers WHERE installation = ?",
            arguments: arguments
        )
        try takeFromMinutes(arguments)
        try NameRuns.meet(installation: arguments, db)
        try CatalogueTable.take(installation: arguments, outOf: db)
        try QuarterTables.take(installation: arguments, outOf: db)
        if let plan {
            try plan.take(installation: installation)
        } else {
            try forgetPlan(arguments)
        }
        try db.execute(
            sql: "DELETE FROM replays WHERE position IN (\(RunTable.positions(in: "replays")))",
            arguments: arguments
        )
        try eraseScreens(arguments)
        try OwnEvents.remove(installation: arguments, from: db)
        try db.execute(
            sql: "DELETE FROM events WHERE position IN (\(RunTable.positions(in: "events")))",
            arguments: arguments
        )
        let events = Int64(db.changesCount)
        // What was found through them is gone.
        try db.execute(sql: "DELETE FROM runs WHERE installation = ?", arguments: arguments)
        try CatalogueTable.narrow(db)
        try db.execute(sql: "DELETE FROM failed WHERE installation = ?", arguments: arguments)
        let failed = Int64(db.changesCount)
        try db.execute(sql: "DELETE FROM contexts WHERE installation = ?", arguments: arguments)
        try db.execute(
            sql: "DELETE FROM ranges WHERE writer IN (SELECT number FROM writers WHERE installation = ?)",
            arguments: arguments
        )
        try db.execute(sql: "DELETE FROM writers WHERE installation = ?", arguments: arguments)
        try erasePeople(arguments)
        return Removed(events: events, failed: failed, duplicates: duplicates ?? 0)
    }

    /// Does once, at the end of a transaction, what goes beyond the rows of the installations that were erased in it.
    func finish() throws {
        try NameRuns.narrow(db)
        try PlanSums.forgetSamples(db)
    }

    /// Forgets what an earlier plan counted, where the installation had a part in it: nothing goes on with these counts, and names of what
    /// had no place in the plan may be the installation's.
    private func forgetPlan(_ arguments: StatementArguments) throws {
        let isCounted = try Bool.fetchOne(
            db,
            sql: """
                SELECT EXISTS (
                    SELECT 1 FROM runs WHERE installation = ? AND last >= (SELECT began FROM plans ORDER BY number DESC LIMIT 1)
                )
                """,
            arguments: arguments
        )
        guard isCounted == true else { return }
        try db.execute(sql: "DELETE FROM violations; DELETE FROM violation_days; DELETE FROM plan_days;")
    }

    /// Takes the installation's events out of the counts per minute: from those of their name, or, where that is not
    /// counted separately, from those of the others.
    private func takeFromMinutes(_ arguments: StatementArguments) throws {
        try db.execute(
            sql: "CREATE TEMP TABLE IF NOT EXISTS gone_minutes (minute INTEGER, name TEXT, events INTEGER)"
        )
        try db.execute(sql: "DELETE FROM gone_minutes")
        // A minute began at or before the time, also before 1970.
        try db.execute(
            sql: """
                INSERT INTO gone_minutes
                SELECT received - ((received % 60000) + 60000) % 60000 AS minute, name, count(*) AS events
                FROM \(RunTable.eventsOfInstallation) GROUP BY 1, 2
                """,
            arguments: arguments
        )
        try db.execute(
            sql: """
                UPDATE gone_minutes SET name = '\(MinuteTable.others)'
                WHERE NOT EXISTS (SELECT 1 FROM minutes AS m WHERE m.minute = gone_minutes.minute AND m.name = gone_minutes.name)
                """
        )
        try db.execute(
            sql: """
                UPDATE minutes SET events = minutes.events - gone.events
                FROM (SELECT minute, name, sum(events) AS events FROM gone_minutes GROUP BY 1, 2) AS gone
                WHERE minutes.minute = gone.minute AND minutes.name = gone.name
                """
        )
        try db.execute(
            sql: "DELETE FROM minutes WHERE (minute, name) IN (SELECT minute, name FROM gone_minutes) AND events <= 0"
        )
        try db.execute(sql: "DELETE FROM gone_minutes")
    }

    /// Removes what was shown, clicked, started and ended; all of it was an event.
    private func eraseScreens(_ arguments: StatementArguments) throws {
        for table in ["screens", "clicks", "launches"] {
            try db.execute(
                sql: "DELETE FROM \(table) WHERE position IN (\(RunTable.positions(in: table)))",
                arguments: arguments
            )
        }
    }

    /// Removes the installation's sessions, its device and what it reported about people; people who also used other
    /// installations stay, with what was reported there.
    private func erasePeople(_ arguments: StatementArguments) throws {
        for table in ["sessions", "user_attributes", "snapshots", "devices", "device_facts"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE installation = ?", arguments: arguments)
        }
        try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS met (user INTEGER PRIMARY KEY, events INTEGER)")
        try db.execute(sql: "DELETE FROM met")
        try db.execute(
            sql: "INSERT INTO met SELECT user, sum(events) FROM visits WHERE installation = ? GROUP BY user",
            arguments: arguments
        )
        try db.execute(sql: "DELETE FROM visits WHERE installation = ?", arguments: arguments)
        // The installation's visitor: only people without an id have one.
        try db.execute(sql: "DELETE FROM users WHERE installation = ? AND id IS NULL", arguments: arguments)
        try db.execute(
            sql: """
                DELETE FROM users WHERE number IN (SELECT user FROM met)
                AND NOT EXISTS (SELECT 1 FROM visits WHERE visits.user = users.number)
                """
        )
        try db.execute(
            sql: """
                DELETE FROM user_attributes WHERE user IN (SELECT user FROM met)
                AND NOT EXISTS (SELECT 1 FROM users WHERE users.number = user_attributes.user)
                """
        )
        try db.execute(
            sql: """
                UPDATE users SET events = events - (SELECT met.events FROM met WHERE met.user = users.number)
                WHERE number IN (SELECT user FROM met)
                """
        )
        // Whoever made very many visits may seem to have been seen first and last when that was on the installation.
        try db.execute(
            sql: """
                UPDATE users SET (first, last) = (SELECT min(first), max(last) FROM visits WHERE visits.user = users.number)
                WHERE number IN (SELECT user FROM met)
                AND (SELECT count(*) FROM (SELECT 1 FROM visits WHERE visits.user = users.number LIMIT \(Self.maxVisits + 1))) <= \(Self.maxVisits)
                """
        )
        try db.execute(sql: "DELETE FROM met")
    }
}

/// Finds every erased installation before an index is made from the beginning of what there is, so that an erased installation's
/// events do not come back even while the rebuild has not reached the tombstone yet.
struct TombstoneScan {
    let limits: AdmissionLimits
    /// The erasures in what was read, each installation's first, in the order they came.
    private(set) var orders: [ErasureOrder] = []
    private var known: Set<InstallationID> = []

    init(limits: AdmissionLimits) {
        self.limits = limits
    }

    /// Reads on, from where the reader stands up to `limit` or as far as there is something to read.
    ///
    /// - Complexity: O(bytes), inflating every batch; it happens only when an index begins.
    mutating func read(_ reader: inout some RecordReading, upTo limit: LogPosition) throws {
        while let entry = try reader.next(upTo: limit) {
            guard entry.kind == .intake || entry.kind == .erasure else { continue }
            try reader.withPayload(of: entry) { payload in
                do {
                    if entry.kind == .erasure {
                        add(ErasureOrder(try ErasureRecord(payload: payload)))
                    } else {
                        try visit(IntakeRecord(payload: payload))
                    }
                } catch {
                    // Indexing the record reports that; it erases nothing here.
                }
            }
        }
    }

    private mutating func add(_ order: ErasureOrder) {
        if known.insert(order.installation).inserted { orders.append(order) }
    }

    private mutating func visit(_ record: IntakeRecord) throws {
        // Another format has no word for it. Nearly no batch has one, and those need not be taken apart.
        guard record.header.format == .trackway, try record.mayHaveTombstone(limits: limits) else { return }
        try record.visit(
            limits: limits,
            event: { event in
                guard let scan = event.scan, case .proved(let erased) = Tombstone(event.json, scan) else { return }
                add(ErasureOrder(erased, record.header))
            }
        )
    }
}
