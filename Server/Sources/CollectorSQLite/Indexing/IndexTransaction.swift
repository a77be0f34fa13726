// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore
internal import TrackwayJournal

/// Adds batches to the index, one after another, in one transaction.
///
/// The sums are written at the end of the transaction.
///
/// Use an instance only on the writing connection, inside one transaction, and on one thread; then discard it.
final class IndexTransaction {
    /// The state of the current batch.
    private struct Batch {
        let received: Timestamp
        let key: String
        var installation: Int64?
        var writer: Int64?
        /// Whether the batch's installation was erased.
        ///
        /// If so, nothing of the batch is stored.
        var isErased = false
        var context: Int64?
        var facts: ContextFacts?
        var run: ClosedRange<UInt64>?
        var duplicates: Int64 = 0
        /// Whether any event of the writer expired.
        var hasExpired = false
        /// The number of events rejected because the installation was erased.
        var refused: Int64 = 0
        /// The erased user of the current context; nil for everyone else.
        var erasedUser: (id: String, identity: IdentityHash)?
    }

    private var batch = Batch(received: Timestamp(milliseconds: 0), key: "")
    var progress: IndexProgress
    /// The decoded values of the current record, and the number of its contexts seen so far.
    var facts: BatchFacts?
    var contextCount = 0
    /// The position of the current record.
    var recordStart = EventPosition.start
    /// The boundary of the kept records before this transaction.
    let retention: RetentionBoundary
    /// Whether records are being indexed for the second time.
    ///
    /// Which of their events are duplicates was decided the first time.
    var isRepeating: Bool
    /// Whether rows were removed that other rows may still reference.
    var hasRemoved = false
    /// The installations erased in this transaction.
    private(set) var erased: Set<InstallationID> = []
    /// The plans to store before this transaction is committed.
    var plans: [ErasurePlan] = []
    /// The collector's erasures; nil if the log cannot be rewritten.
    let erasures: ErasureQueue?
    let tables: IndexTables
    private let names = EventNames()
    let db: Database
    /// Pending events of the batch that will be stored together.
    private var waiting: [PendingEvent] = []
    private var waitingSession: String?

    /// Creates the object for a new transaction.
    ///
    /// - Parameters:
    ///   - plan: Checks events against the tracking plan; nil without a plan.
    ///   - erasures: The collector's erasures; nil if the log cannot be rewritten.
    ///   - erasedUsers: The users erased before this transaction.
    init(
        _ db: Database,
        plan checker: PlanChecker? = nil,
        erasures: ErasureQueue? = nil,
        erasedUsers: Set<IdentityHash> = []
    ) throws {
        self.db = db
        self.erasures = erasures
        progress = try IndexProgress(db)
        retention = try RetentionBoundary(db)
        isRepeating = retention.target != nil
        tables = try IndexTables(
            db,
            plan: checker,
            at: progress.cursor,
            erasedUsers: erasedUsers
        )
    }

    /// The counter of tracking plan violations; nil without a plan.
    private var plan: PlanCounter? { tables.plan.sums }

    // MARK: A batch

    /// Begins a batch and records its writer's state, before any of its events.
    func begin(
        installation: InstallationID? = nil,
        writer: WriterID? = nil,
        recorded: UInt64? = nil,
        received: Timestamp,
        key: String
    ) throws {
        try store()
        // A body of another format has several parts, each of which has its own counts.
        try end()
        var place: (number: Int64, isErased: Bool)?
        if let installation { place = try tables.directory.installation(installation) }
        var account: Int64?
        if let place, let writer, !place.isErased {
            account = try tables.directory.writer(writer, of: place.number)
        }
        batch = Batch(
            received: received,
            key: key,
            installation: place?.number,
            writer: account,
            isErased: place?.isErased ?? false
        )
        tables.behavior.clearContext(installation: place?.number ?? 0, installation)
        plan?.follow(version: nil)
        if let account, retention.events > 0, !isRepeating {
            batch.hasExpired = try tables.ranges.hasRange(writer: account, kind: .expired)
        }
        if let account { try tables.directory.batchArrived(from: account, recorded: recorded ?? 0, at: received) }
    }

    /// Begins a context that applies to the following events.
    func context(_ content: UnsafeRawBufferPointer, _ context: BatchFacts.Context) throws {
        try store()
        batch.erasedUser = nil
        guard !batch.isErased else { return }
        let facts = context.facts
        if let user = facts.user, let identity = erasedIdentity(of: user) {
            batch.erasedUser = (user, identity)
            batch.context = nil
            return
        }
        let (number, isNew) = try tables.directory.context(
            content,
            hash: context.hash,
            of: batch.installation ?? 0,
            project: facts.project,
            usedAt: recordStart.rawValue
        )
        batch.facts = facts
        batch.context = number
        plan?.follow(version: facts.version)
        try tables.behavior.context(context, installation: batch.installation ?? 0, isNew: isNew)
    }

    /// Records sequence numbers that were dropped or never meant for a collector.
    func account(_ range: ClosedRange<UInt64>, _ kind: RangeKind, reason: String = "") throws {
        guard let writer = batch.writer else { return }
        try tables.ranges.merge(
            range,
            writer: writer,
            kind: kind,
            reason: reason.truncated(toUTF8Count: Self.reasonBytes)
        )
    }

    /// The maximum length of a reason's name in UTF-8 bytes; longer names are truncated.
    private static let reasonBytes = 64

    /// Ends the batch; its pending events must already be stored.
    func end() throws {
        if let run = batch.run, let writer = batch.writer {
            try tables.ranges.merge(run, writer: writer, kind: .received)
        }
        batch.run = nil
        tables.runs.end()
        if batch.duplicates > 0, let writer = batch.writer {
            try tables.directory.add(duplicates: batch.duplicates, to: writer)
        }
        batch.duplicates = 0
        if batch.refused > 0, let installation = batch.installation {
            try tables.directory.count(erased: batch.refused, of: installation)
        }
        batch.refused = 0
    }

    // MARK: A batch's events

    /// Adds an event to be stored, or counted as a duplicate, by the next ``store()``.
    ///
    /// - Parameters:
    ///   - line: The event's bytes, which must stay at their address until the call to ``store()``.
    ///   - time: The time of the event.
    ///   - facts: The event's decoded values.
    func event(
        _ line: UnsafeRawBufferPointer,
        _ scan: EventScan,
        id: EventID,
        time: Timestamp,
        at position: EventPosition,
        sequence: UInt64?,
        _ facts: BatchFacts.Event
    ) throws {
        guard !batch.isErased else {
            progress.erased += 1
            batch.refused += 1
            if let id = tables.behavior.installationID { followUp(installation: id, at: position) }
            return
        }
        if let user = batch.erasedUser {
            progress.erased += 1
            tables.erasedUsers.count(1, of: user.identity)
            try erased(.accepted, sequence: sequence)
            return followUp(user: user.id, user.identity, at: position)
        }
        if try isKnownRepeat(at: position, sequence) {
            try store()
            try countDuplicate(sequence, at: position)
            return
        }
        let event = ReceivedEvent(line, scan)
        if batch.installation != nil, let user = erasedUser(namedBy: event) {
            progress.erased += 1
            tables.erasedUsers.count(1, of: user.identity)
            try erased(.accepted, sequence: sequence)
            return followUp(user: user.id, user.identity, at: position)
        }
        let session = facts.session ?? batch.facts?.session
        if session.map(ByteText.init) != waitingSession.map(ByteText.init) {
            try store()
            waitingSession = session
        }
        waiting.append(
            PendingEvent(
                position: position,
                id: id,
                name: try names.name(of: event),
                time: time.milliseconds,
                sequence: sequence,
                line: line,
                completed: event.completed(id: id, time: time),
                received: event,
                captured: facts.captured
            )
        )
    }

    /// Stores the pending events, which all have the same context and session.
    ///
    /// - Returns: The number of stored events; the others were duplicates.
    @discardableResult
    func store() throws -> Int {
        guard !waiting.isEmpty else { return 0 }
        defer { waiting.removeAll(keepingCapacity: true) }
        let place = try tables.behavior.place(waitingSession)
        let owner = EventWriter.EventOwner(
            received: batch.received.milliseconds,
            writer: batch.writer,
            installation: batch.installation,
            person: place.person,
            session: place.session,
            context: batch.context
        )
        var stored = 0
        try tables.events.write(waiting, owner) { event, isNew in
            if isNew {
                stored += 1
                try count(event, owner)
                if let sequence = event.sequence { try arrived(sequence) }
            } else {
                try countDuplicate(event.sequence, at: event.position)
            }
        }
        return stored
    }

    private func countDuplicate(_ sequence: UInt64?, at position: EventPosition) throws {
        progress.duplicates += 1
        batch.duplicates += 1
        try tables.retention.addRepeat(position)
        if let sequence { try arrived(sequence) }
    }

    /// Whether an event is a duplicate of an event that may have expired.
    private func isKnownRepeat(at position: EventPosition, _ sequence: UInt64?) throws -> Bool {
        if isRepeating { return try tables.retention.isRepeat(position) }
        guard batch.hasExpired, let sequence, sequence > 0, let writer = batch.writer else { return false }
        return try tables.ranges.contains(sequence, writer: writer, kind: .expired)
    }

    private func count(_ event: PendingEvent, _ owner: EventWriter.EventOwner) throws {
        progress.events += 1
        try tables.behavior.event(
            named: event.name,
            at: event.time,
            position: event.position,
            captured: event.captured
        )
        // Without an installation, an erasure could not find the event by the IDs in it.
        if event.name.captured == .alias, let installation = owner.installation {
            try tables.merges.add(
                MergeStatement(attributes: event.captured, at: event.time),
                at: event.position,
                installation: installation,
                key: batch.key,
                received: batch.received
            )
        }
        tables.runs.add(
            event.position,
            at: event.time,
            installation: owner.installation,
            person: owner.person,
            session: owner.session
        )
        tables.nameRuns.add(event.name, at: event.position)
        try tables.minutes.count(event.name, received: batch.received)
        try tables.catalog.count(event.name, at: event.time)
        tables.quarters.count(event.name, of: owner.person, at: event.time)
        plan?.count(event.name.text, event.received, received: owner.received, at: event.position.rawValue)
    }

    /// Stores a rejected event or batch with the reason, unless already stored.
    func failed(_ failure: FailedEvent, sequence: UInt64?) throws {
        guard !batch.isErased else { return }
        if let user = batch.erasedUser {
            try erased(.rejected, sequence: sequence)
            return followUp(user: user.id, user.identity, at: failure.position)
        }
        if let sequence, sequence > 0, let writer = batch.writer {
            guard try tables.ranges.merge(sequence...sequence, writer: writer, kind: .rejected) else { return }
        }
        let version = failure.version ?? batch.facts?.version?.truncated(toUTF8Count: FailedEvent.nameBytes)
        if try tables.failed.add(failure, installation: batch.installation, version: version) { progress.failed += 1 }
    }

    /// Removes the rejected entry at a position, because it was admitted on replay.
    func admittedOnReplay(at place: EventPosition) throws {
        progress.failed -= try tables.failed.remove(at: place)
    }

    /// Replaces the reason of the rejected entry at a position.
    ///
    /// Called when a replay rejected the entry for another reason.
    func rejectedOnReplay(_ fault: RejectedEvent, at place: EventPosition) throws {
        try tables.failed.update(fault, at: place)
    }

    /// Records that the last stored event was previously rejected at another position.
    func mark(_ position: EventPosition, from place: EventPosition, _ origin: ReplayOrigin) throws {
        try tables.failed.mark(position, from: place, origin)
    }

    /// Stores the beginning of a log record that cannot be read, with the reason.
    ///
    /// - Parameters:
    ///   - payload: The bytes of the record, or the first of them.
    ///   - length: The total length of the record.
    ///   - start: The position in the log at which the record begins.
    func unreadable(_ payload: [UInt8], length: Int, at start: LogPosition, _ message: String) throws {
        let failure = FailedEvent(
            unreadable: payload,
            length: length,
            at: start,
            received: batch.received,
            key: batch.key,
            message
        )
        try failed(failure, sequence: nil)
    }

    // MARK: Merging

    /// Adds an operator's statement about merged users.
    func merge(_ record: UserMergeRecord, at position: EventPosition) throws {
        try store()
        guard let statement = record.statement else { return }
        for user in [statement.user, statement.target].compactMap(\.self) {
            guard let identity = erasedIdentity(of: user) else { continue }
            return followUp(user: user, identity, at: position)
        }
        try tables.merges.add(
            statement,
            at: position,
            installation: nil,
            key: record.key,
            received: record.received
        )
    }

    /// Returns the erased user that an `_alias` event names.
    private func erasedUser(namedBy event: ReceivedEvent) -> (id: String, identity: IdentityHash)? {
        guard erasures != nil, !tables.erasedUsers.identities.isEmpty,
            let statement = MergeStatement(event, at: 0)
        else { return nil }
        for user in [statement.user, statement.target].compactMap(\.self) {
            if let identity = erasedIdentity(of: user) { return (user, identity) }
        }
        return nil
    }

    // MARK: Erasing

    /// Counts an event that was erased from its record.
    func erased(_ placeholder: ErasedPlaceholder, sequence: UInt64?) throws {
        if batch.isErased {
            guard placeholder == .accepted else { return }
            progress.erased += 1
            batch.refused += 1
        } else if let sequence, sequence > 0 {
            // The request in the log contains the number of the user's events.
            try account(sequence...sequence, .dropped, reason: ErasedPlaceholder.reason)
        }
    }

    /// Returns the hash of a user's id if the user was erased.
    func erasedIdentity(of user: String) -> IdentityHash? {
        guard let erasures, !tables.erasedUsers.identities.isEmpty else { return nil }
        let identity = erasures.key.hash(user: user)
        return tables.erasedUsers.identities.contains(identity) ? identity : nil
    }

    /// Plans to remove events from the log that arrived while their installation was being erased.
    ///
    /// Without a follow-up, such events would remain in the log if it has already been rewritten up to them.
    private func followUp(installation: InstallationID, at place: EventPosition) {
        guard let erasures else { return }
        let request = DeletionRequest(
            ErasureRecord(received: batch.received, key: batch.key, installation: installation)
        )
        add(ErasurePlan(request, key: erasures.key, followUp: place))
    }

    /// Plans to remove events from the log that arrived while their user was being erased.
    private func followUp(user: String, _ identity: IdentityHash, at place: EventPosition) {
        let record = UserErasureRecord(received: batch.received, key: batch.key, identity: identity, user: user)
        add(ErasurePlan(record, user: user, followUp: place))
    }

    private func add(_ followUp: ErasurePlan) {
        let isPlanned = plans.contains { $0.identity == followUp.identity }
        guard !isPlanned, erasures?.isWaiting(followUp.identity) == false else { return }
        plans.append(followUp)
    }

    /// Removes all data of an installation and rejects its later events.
    ///
    /// - Parameter sequence: The number of the event that requested the erasure, which counts as received.
    /// - Complexity: O(rows of the installation); one lookup for an installation without rows.
    func erase(_ order: DeletionRequest, sequence: UInt64? = nil) throws {
        let (state, removed) = try remove(order, sequence: sequence)
        // Otherwise the log has nothing of the installation, or its erasure is planned already. An operator gets a
        // receipt in any case.
        if state == .removed || order.isByOperator { try plan(order, removed: removed) }
    }

    /// Removes an installation whose erasure was found in the log before the index was built.
    func erase(scanned order: DeletionRequest) throws {
        let (state, removed) = try remove(order)
        if state != .wasErased { try plan(order, removed: removed) }
    }

    private func plan(_ order: DeletionRequest, removed: Int64) throws {
        guard let erasures, !order.isPartOfUser else { return }
        let plan = ErasurePlan(order, key: erasures.key)
        if erasures.isComplete(plan.id) { return }
        plans.append(plan)
        try tables.erasedUsers.count(removed: removed, by: plan.id)
    }

    /// The state of an installation before its data was removed.
    enum Removal {
        /// The index contained data of the installation.
        case removed
        /// The index contained nothing of the installation.
        case wasUnknown
        /// The installation was erased before.
        case wasErased
    }

    /// Removes all data of an installation.
    ///
    /// - Returns: The state before, and the number of removed events, including duplicates.
    func remove(
        _ order: DeletionRequest,
        sequence: UInt64? = nil
    ) throws -> (state: Removal, events: Int64) {
        try store()
        if let sequence { try arrived(sequence) }
        try end()
        let (number, isErased, isNew) = try tables.directory.lookUp(order.installation)
        if isErased { return (.wasErased, 0) }
        erased.insert(order.installation)
        try tables.directory.mark(erased: number, order)
        // A new installation has no rows to remove.
        if isNew { return (.wasUnknown, 0) }
        let removed = try tables.erase(installation: number, from: db)
        hasRemoved = true
        progress.events -= removed.events
        progress.failed -= removed.failed
        progress.duplicates -= removed.duplicates
        progress.erased += removed.events + removed.duplicates
        try tables.directory.count(erased: removed.events + removed.duplicates, of: number)
        if batch.installation == number {
            batch = Batch(received: batch.received, key: batch.key, installation: number, writer: nil, isErased: true)
        }
        plan?.follow(version: batch.facts?.version)
        return (.removed, removed.events + removed.duplicates)
    }

    /// Counts events of an erased installation that were rejected.
    func countErased(_ events: Int, of id: InstallationID) throws {
        try end()
        let (number, isErased) = try tables.directory.installation(id)
        guard isErased else { return }
        progress.erased += Int64(events)
        try tables.directory.count(erased: Int64(events), of: number)
    }

    // MARK: The end

    /// Clears everything before `cursor` and ends the transaction.
    ///
    /// This transaction's changes are cleared too. Nothing may be added afterward, because the row numbers in memory
    /// are no longer valid.
    func reset(at cursor: LogPosition) throws {
        try tables.clear(db)
        try tables.directory.forgetErasures(db)
        try tables.erasedUsers.forget(db)
        erased = []
        plans = []
        progress = try IndexProgress(db)
        progress.cursor = cursor
        try progress.write(db)
    }

    /// Writes the sums and the cursor.
    ///
    /// The rows and the cursor become visible together or not at all.
    func finish(at cursor: LogPosition, damaged: Int64) throws {
        try tables.flush()
        try plan?.finish(at: cursor)
        if hasRemoved { try tables.finishErasures(in: db) }
        progress.cursor = cursor
        progress.damaged += damaged
        try progress.write(db)
    }

    private func arrived(_ sequence: UInt64) throws {
        guard let writer = batch.writer, sequence > 0 else { return }
        if let run = batch.run, run.upperBound < .max, run.upperBound + 1 == sequence {
            batch.run = run.lowerBound...sequence
            return
        }
        if let run = batch.run { try tables.ranges.merge(run, writer: writer, kind: .received) }
        batch.run = sequence...sequence
    }
}
