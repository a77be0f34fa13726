// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayJournal

/// A type that writes, erases and clears tables of the index.
protocol IndexTable {
    /// The names of the tables in the schema.
    var tableNames: [String] { get }

    /// Writes pending changes.
    ///
    /// Also discards cached row numbers, because an erasure may remove the rows.
    func flush() throws

    /// Removes an installation's rows and subtracts its events from sums.
    ///
    /// Called after everything has been flushed. The rows of tables that come later in ``IndexTables/all`` still exist.
    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws

    /// Continues an erasure after the installation's events have been removed.
    func eventsRemoved(from db: Database) throws

    /// Completes a transaction's erasures in rows that do not belong to one installation.
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
/// ``all`` is the only list of the tables: flushing, erasing and clearing iterate over it.
struct IndexTables {
    let minutes: MinuteSums
    let nameRuns: NameRuns
    let catalog: CatalogCounts
    let quarters: QuarterSums
    let plan: PlanTables
    let failed: FailedTable
    let merges: MergeTable
    let behavior: BehaviorIndexer
    let events: EventWriter
    let runs: RunWriter
    let signIns: SignInTable
    let ranges: RangeTable
    let directory: AccountDirectory
    let erasedUsers: ErasedUserTable
    let retention: RetentionTable

    /// All tables, in the order of flushing and erasing.
    ///
    /// A table of sums precedes the tables from which an erasure computes the amounts to subtract. Quarters follow the
    /// catalog, which decides which names are counted separately. Merges precede people, whose rows an erasure removes.
    /// Sign-ins follow people, events and runs, because
    /// flushing sign-ins reads those tables.
    let all: [any IndexTable]

    /// Creates the tables for one transaction.
    ///
    /// - Parameters:
    ///   - checker: Checks events against the tracking plan; nil without a plan.
    ///   - cursor: The log position up to which the index has read.
    ///   - erasedUsers: The users erased before this transaction.
    init(
        _ db: Database,
        plan checker: PlanChecker? = nil,
        at cursor: LogPosition = .start,
        erasedUsers identities: Set<IdentityHash> = []
    ) throws {
        minutes = try MinuteSums(db)
        nameRuns = try NameRuns(db)
        catalog = try CatalogCounts(db)
        quarters = try QuarterSums(db)
        plan = PlanTables(sums: try checker.map { try PlanCounter(db, $0, at: cursor) })
        failed = try FailedTable(db)
        signIns = try SignInTable(db)
        merges = try MergeTable(db)
        behavior = try BehaviorIndexer(db, signIns, merges)
        events = try EventWriter(db)
        runs = try RunWriter(db)
        ranges = try RangeTable(db)
        directory = try AccountDirectory(db)
        erasedUsers = try ErasedUserTable(db, identities: identities)
        retention = try RetentionTable(db)
        all = [
            minutes, nameRuns, catalog, quarters, plan, failed, merges, behavior, events, runs, signIns, ranges,
            directory, erasedUsers, retention, ReadStateTable(),
        ]
    }

    /// Writes pending changes.
    func flush() throws {
        for table in all { try table.flush() }
    }

    /// Removes an installation's data, except its id and its erasure record.
    ///
    /// Pending changes are written first.
    ///
    /// - Complexity: O(rows of the installation).
    func erase(installation: Int64, from db: Database) throws -> ErasedRows {
        try flush()
        var removed = ErasedRows()
        try Self.overwritingFreedSpace(in: db) {
            for table in all { try table.erase(installation: installation, from: db, &removed) }
            for table in all { try table.eventsRemoved(from: db) }
        }
        return removed
    }

    /// Runs `body`, and overwrites all space in the file that it frees.
    ///
    /// Erased data must not remain in the file.
    static func overwritingFreedSpace<Result>(in db: Database, _ body: () throws -> Result) throws -> Result {
        try db.execute(sql: "PRAGMA secure_delete = ON")
        defer {
            do {
                try db.execute(sql: "PRAGMA secure_delete = FAST")
            } catch {
                // Later deletions also overwrite freed pages, and are slightly slower, until the file is reopened.
            }
        }
        return try body()
    }

    /// Completes a transaction's erasures after the last flush.
    func finishErasures(in db: Database) throws {
        for table in all { try table.finishErasures(in: db) }
    }

    /// Removes every row that can be rebuilt from the log.
    ///
    /// Erased installations remain recorded, because a rebuilt index must not restore their data, not even before it
    /// has read their erasures from the log again.
    func clear(_ db: Database) throws {
        for table in all { try table.clear(db) }
    }
}
