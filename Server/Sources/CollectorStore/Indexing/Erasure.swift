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
            // Nothing goes on with what an earlier plan counted, and names of what had no place in it may be the installation's.
            try db.execute(sql: "DELETE FROM violations; DELETE FROM violation_days; DELETE FROM plan_days;")
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
        try NameRuns.narrow(db)
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

    /// Takes the installation's events out of the counts per minute: from those of their name, or, where that is not
    /// counted separately, from those of the others.
    private func takeFromMinutes(_ arguments: StatementArguments) throws {
        // A minute began at or before the time, also before 1970.
        let gone = """
            SELECT received - ((received % 60000) + 60000) % 60000 AS minute, name, count(*) AS events
            FROM \(RunTable.eventsOfInstallation) GROUP BY 1, 2
            """
        try db.execute(
            sql: """
                UPDATE minutes SET events = minutes.events - untold.events
                FROM (
                    SELECT gone.minute, sum(gone.events) AS events FROM (\(gone)) AS gone
                    WHERE NOT EXISTS (SELECT 1 FROM minutes AS m WHERE m.minute = gone.minute AND m.name = gone.name)
                    GROUP BY gone.minute
                ) AS untold
                WHERE minutes.minute = untold.minute AND minutes.name = '\(MinuteTable.others)'
                """,
            arguments: arguments
        )
        try db.execute(
            sql: """
                UPDATE minutes SET events = minutes.events - gone.events FROM (\(gone)) AS gone
                WHERE minutes.minute = gone.minute AND minutes.name = gone.name
                """,
            arguments: arguments
        )
        try db.execute(sql: "DELETE FROM minutes WHERE events <= 0")
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
        try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS met (user INTEGER PRIMARY KEY)")
        try db.execute(sql: "DELETE FROM met")
        try db.execute(
            sql: "INSERT OR IGNORE INTO met SELECT user FROM visits WHERE installation = ?",
            arguments: arguments
        )
        try db.execute(sql: "DELETE FROM visits WHERE installation = ?", arguments: arguments)
        try db.execute(sql: "DELETE FROM users WHERE installation = ?", arguments: arguments)
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
                UPDATE users SET (first, last, events) =
                (SELECT min(first), max(last), sum(events) FROM visits WHERE visits.user = users.number)
                WHERE number IN (SELECT user FROM met)
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
