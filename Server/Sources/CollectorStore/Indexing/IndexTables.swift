// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayJournal

/// Tables of the index that one type writes, erases and empties.
protocol IndexTable {
    /// The names of the tables in the schema.
    var tableNames: [String] { get }

    /// Writes pending changes.
    ///
    /// Forgets row numbers, because an erasure may remove the rows.
    func flush() throws

    /// Removes an installation's rows, and subtracts its events from sums.
    ///
    /// Everything has been flushed. The rows of tables that come later in ``IndexTables/all`` still exist.
    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws

    /// Continues an erasure after the installation's events have been removed.
    func eventsRemoved(from db: Database) throws

    /// Completes a transaction's erasures beyond the rows of their installations.
    func finishErasures(in db: Database) throws

    /// Removes every row that can be rebuilt from the log.
    func clear(_ db: Database) throws
}

extension IndexTable {
    func eventsRemoved(from db: Database) throws {}

    func finishErasures(in db: Database) throws {}

    func clear(_ db: Database) throws {
        for name in tableNames { try db.execute(sql: "DELETE FROM \(name)") }
    }
}

/// The number of rows that an erasure removed.
struct ErasedRows {
    var events: Int64 = 0
    var failed: Int64 = 0
    var duplicates: Int64 = 0
}

/// All tables of the index, for one transaction.
///
/// ``all`` is the only list of them: flushing, erasing and emptying go through it.
struct IndexTables {
    let minutes: MinuteSums
    let nameRuns: NameRuns
    let catalogue: CatalogCounts
    let quarters: QuarterSums
    let plan: PlanTables
    let failed: FailedTable
    let behavior: BehaviorIndexer
    let events: EventWriter
    let runs: RunWriter
    let signIns: SignInTable
    let ranges: RangeTable
    let directory: AccountDirectory

    /// Every member, in the order of flushing and erasing.
    ///
    /// A sum comes before the rows from which an erasure computes its share. Quarters come after the catalog, which
    /// decides the names that are counted separately. Sign-ins come after people, events and runs, which they read.
    let all: [any IndexTable]

    /// - Parameters:
    ///   - checker: Checks events against the tracking plan; nil without a plan.
    ///   - cursor: The log position up to which the index has read.
    ///   - joinsVisitors: Whether a visitor who signs in and the user are one person.
    init(
        _ db: Database,
        plan checker: PlanChecker? = nil,
        at cursor: LogPosition = .start,
        joinsVisitors: Bool = true
    ) throws {
        minutes = try MinuteSums(db)
        nameRuns = try NameRuns(db)
        catalogue = try CatalogCounts(db)
        quarters = try QuarterSums(db)
        plan = PlanTables(sums: try checker.map { try PlanCounter(db, $0, at: cursor) })
        failed = try FailedTable(db)
        signIns = try SignInTable(db)
        behavior = try BehaviorIndexer(db, joinsVisitors ? signIns : nil)
        events = try EventWriter(db)
        runs = try RunWriter(db)
        ranges = try RangeTable(db)
        directory = try AccountDirectory(db)
        all = [
            minutes, nameRuns, catalogue, quarters, plan, failed, behavior, events, runs, signIns, ranges, directory,
            ReadStateTable(),
        ]
    }

    /// Writes pending changes.
    func flush() throws {
        for table in all { try table.flush() }
    }

    /// Removes one installation, except its id and its erased mark.
    ///
    /// Pending changes are written first.
    ///
    /// - Complexity: O(rows of the installation).
    func erase(installation: Int64, from db: Database) throws -> ErasedRows {
        try flush()
        // Overwrite freed space: erased data must not remain in the file.
        try db.execute(sql: "PRAGMA secure_delete = ON")
        defer {
            do {
                try db.execute(sql: "PRAGMA secure_delete = OFF")
            } catch {
                // Deletions continue to overwrite, and remain a little slower, until the file is reopened.
            }
        }
        var removed = ErasedRows()
        for table in all { try table.erase(installation: installation, from: db, &removed) }
        for table in all { try table.eventsRemoved(from: db) }
        return removed
    }

    /// Completes a transaction's erasures after the last flush.
    func finishErasures(in db: Database) throws {
        for table in all { try table.finishErasures(in: db) }
    }

    /// Removes every row that can be rebuilt from the log.
    ///
    /// Erased installations stay known, because a rebuilt index must not bring them back, not even before it has read
    /// their erasures from the log again.
    func clear(_ db: Database) throws {
        for table in all { try table.clear(db) }
    }
}
