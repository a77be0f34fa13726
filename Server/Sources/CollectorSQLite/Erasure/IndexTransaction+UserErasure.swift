// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore
internal import TrackwayJournal

extension IndexTransaction {
    /// All erased users; nil if none was ever erased.
    var erasedUsers: Set<IdentityHash>? {
        let identities = tables.erasedUsers.identities
        return identities.isEmpty ? nil : identities
    }

    /// Refuses the later events of a user whose erasure is complete.
    func markErased(_ record: UserErasureRecord) throws { try tables.erasedUsers.mark(record) }

    /// Refuses a user's later events, and removes the installations that only this user used.
    ///
    /// The user's events on other installations are removed by ``complete(_:failures:restore:)``, after the log is
    /// rewritten. The plan for that is added to ``plans``.
    ///
    /// - Complexity: O(rows of the removed installations).
    func erase(_ record: UserErasureRecord) throws {
        try store()
        try end()
        guard let erasures else { return }
        try tables.flush()
        try tables.erasedUsers.mark(record)
        tables.erasedUsers.count(Int64(record.events), of: record.identity)
        progress.erased += Int64(record.events)
        // If the id is missing, the erasure was complete before this index was built.
        guard let user = record.user else { return }
        var plan = ErasurePlan(record, user: user)
        if erasures.isComplete(plan.id) { return }
        if let known = erasures.plans.first(where: { $0.id == plan.id }) {
            // The index was rebuilt from a partly rewritten log; only the first plan was made from all sign-ins.
            plan = known
        } else {
            // Each user of the person has a request. Without the statements that an earlier request removed, others could
            // be merged with this user.
            let isRequested = { (other: String) in self.erasedIdentity(of: other) != nil }
            for installation in try UserInstallation.all(of: user, db, including: isRequested) {
                if let times = installation.times {
                    plan.shared.append(ErasurePlan.SharedInstallation(installation.id, times: times))
                } else {
                    plan.installations.append(installation.id)
                }
            }
            plans.append(plan)
        }
        for installation in plan.installations {
            let request = ErasureRecord(received: record.received, key: record.key, installation: installation)
            let removed = try remove(DeletionRequest(request))
            try tables.erasedUsers.count(removed: removed.events, by: plan.id)
        }
    }

    /// Removes everything that the rewritten log no longer contains.
    ///
    /// Repeating the call changes nothing.
    ///
    /// - Parameters:
    ///   - failures: The positions of erased rejected events and batches.
    ///   - restore: Indexes the remaining records of an installation again, up to the index's position.
    /// - Complexity: O(rows and records of the installations that the user shares with other people).
    func complete(
        _ plan: ErasurePlan,
        failures: [EventPosition],
        restore: (IndexTransaction, InstallationID) throws -> Void
    ) throws {
        try tables.flush()
        try IndexTables.overwritingFreedSpace(in: db) {
            for position in failures { progress.failed -= try tables.failed.remove(at: position) }
        }
        guard let user = plan.user else { return }
        try IndexTables.overwritingFreedSpace(in: db) { try tables.merges.remove(user: user) }
        var removed: Int64 = 0
        for shared in plan.shared {
            let (number, isErased) = try tables.directory.installation(shared.installation)
            if isErased { continue }
            let expired = try expiredState(of: number, without: user)
            removed += try remove(installation: number)
            let before = progress
            // Which of two equal events is the duplicate depends on expired ones; otherwise, on what the log still has.
            isRepeating = retention.first > .start
            try restore(self, shared.installation)
            try end()
            isRepeating = retention.target != nil
            try restoreExpired(expired, of: number)
            try tables.flush()
            // Duplicates without a writer belong to no installation: they were not removed, and are not added again.
            let duplicates = try Int64.fetchOne(
                db,
                sql: "SELECT coalesce(sum(duplicates), 0) FROM writers WHERE installation = ?",
                arguments: [number]
            )
            progress.duplicates = before.duplicates + (duplicates ?? 0)
            removed -= progress.events - before.events + (duplicates ?? 0)
        }
        removed += try removeWithoutInstallation(user)
        tables.erasedUsers.count(removed, of: plan.identity)
        try tables.erasedUsers.count(removed: removed, by: plan.id)
        progress.erased += removed
    }

    /// Removes an installation's rows.
    ///
    /// - Returns: The number of its events, including duplicates.
    private func remove(installation number: Int64) throws -> Int64 {
        let rows = try tables.erase(installation: number, from: db)
        hasRemoved = true
        progress.events -= rows.events
        progress.failed -= rows.failed
        progress.duplicates -= rows.duplicates
        return rows.events + rows.duplicates
    }

    /// Removes what is left of a user: events without an installation, and attributes.
    ///
    /// The rows are assigned to a temporary installation, which is then removed like any other.
    private func removeWithoutInstallation(_ user: String) throws -> Int64 {
        try tables.flush()
        // Even without a row, the user may have contexts. No person has the number 0.
        let find = "SELECT number FROM users WHERE id = ?"
        let person = try Int64.fetchOne(db, sql: find, arguments: [user]) ?? 0
        try db.execute(sql: "INSERT INTO installations (id) VALUES (?)", arguments: ["temporary".databaseValue])
        let number = db.lastInsertedRowID
        let arguments: StatementArguments = [number, person]
        try db.execute(
            sql: """
                UPDATE contexts SET installation = ?1 WHERE installation = 0 AND number IN (
                    SELECT context FROM runs CROSS JOIN events ON events.position BETWEEN runs.first AND runs.last
                    WHERE runs.person = ?2 AND runs.installation IS NULL
                )
                """,
            arguments: arguments
        )
        try adoptUnusedContexts(of: user, number)
        for sql in [
            """
            UPDATE sessions SET installation = ?1 WHERE installation = 0
            AND number IN (SELECT session FROM visits WHERE user = ?2 AND installation = 0)
            """,
            "UPDATE runs SET installation = ?1 WHERE person = ?2 AND installation IS NULL",
            "UPDATE visits SET installation = ?1 WHERE user = ?2 AND installation = 0",
            "UPDATE user_attributes SET installation = ?1 WHERE user = ?2",
        ] {
            try db.execute(sql: sql, arguments: arguments)
        }
        let removed = try remove(installation: number)
        try IndexTables.overwritingFreedSpace(in: db) {
            try db.execute(sql: "DELETE FROM installations WHERE number = ?", arguments: [number])
            try db.execute(sql: "DELETE FROM users WHERE number = ?", arguments: [person])
        }
        return removed
    }

    /// Assigns a user's contexts that no event uses to an installation.
    private func adoptUnusedContexts(of user: String, _ number: Int64) throws {
        let find = try RawStatement(
            db,
            "SELECT number, content FROM contexts WHERE installation = 0 AND instr(content, CAST(? AS BLOB)) > 0"
        )
        let text = JSONValue.string(user).json()
        text.withUnsafeBytes { find.bindBlob(1, $0) }
        var found: [Int64] = []
        while try find.step() {
            if find.withBytes(1, { ContextFacts(context: $0).user }) == user { found.append(find.integer(0)) }
        }
        for context in found {
            try db.execute(sql: "UPDATE contexts SET installation = ? WHERE number = ?", arguments: [number, context])
        }
    }
}

/// Passes only one installation's part of each record to a transaction.
///
/// Used to index the records of an installation again, after its rows were removed.
final class InstallationFilter: RecordConsumer {
    private let transaction: IndexTransaction
    private let installation: InstallationID
    private var isOpen = false

    init(_ transaction: IndexTransaction, _ installation: InstallationID) {
        self.transaction = transaction
        self.installation = installation
    }

    func isOwnFailure(_ error: any Error) -> Bool { transaction.isOwnFailure(error) }

    func begin(
        installation: InstallationID?,
        writer: WriterID?,
        recorded: UInt64?,
        received: Timestamp,
        key: String
    ) throws {
        isOpen = installation == self.installation
        // Without an installation, the transaction only ends the preceding part.
        try transaction.begin(
            installation: isOpen ? installation : nil,
            writer: isOpen ? writer : nil,
            recorded: recorded,
            received: received,
            key: key
        )
    }

    func account(_ range: ClosedRange<UInt64>, _ kind: RangeKind, reason: String) throws {
        if isOpen { try transaction.account(range, kind, reason: reason) }
    }

    func context(_ content: UnsafeRawBufferPointer, clock: ClockCorrection?) throws {
        if isOpen { try transaction.context(content, clock: clock) } else { transaction.contextCount += 1 }
    }

    func event(_ event: VisitedEvent) throws {
        if isOpen { try transaction.event(event) }
    }

    func store() throws -> Int { isOpen ? try transaction.store() : 0 }

    func failed(_ failure: FailedEvent, sequence: UInt64?) throws {
        if isOpen { try transaction.failed(failure, sequence: sequence) }
    }

    func admittedOnReplay(at place: EventPosition) throws {
        if isOpen { try transaction.admittedOnReplay(at: place) }
    }

    func rejectedOnReplay(_ fault: RejectedEvent, at place: EventPosition) throws {
        if isOpen { try transaction.rejectedOnReplay(fault, at: place) }
    }

    func mark(_ position: EventPosition, from place: EventPosition, _ origin: ReplayOrigin) throws {
        if isOpen { try transaction.mark(position, from: place, origin) }
    }

    func unreadable(_ payload: [UInt8], length: Int, at start: LogPosition, _ message: String) throws {
        if isOpen { try transaction.unreadable(payload, length: length, at: start, message) }
    }

    func erased(_ placeholder: ErasedPlaceholder, sequence: UInt64?) throws {
        if isOpen { try transaction.erased(placeholder, sequence: sequence) }
    }

    func end() throws { try transaction.end() }

    // Erasures were processed when their records were first read.

    func erase(_ order: DeletionRequest, sequence: UInt64?) throws {
        guard isOpen, let sequence, sequence > 0 else { return }
        try transaction.account(sequence...sequence, .received, reason: "")
    }

    func countErased(_ record: ErasureRecord) throws {}
}
