// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents
internal import TrackwayJournal

/// One transaction's work on the index: batches go in one after another, the sums are written at its end.
///
/// Used on the writing connection, inside one transaction, by one thread; it is not kept.
final class IndexTransaction {
    /// What is known about the batch being added.
    private struct Batch {
        let received: Timestamp
        let key: String
        var installation: Int64?
        var writer: Int64?
        /// Its installation was erased: nothing of it is kept.
        var isErased = false
        var context: Int64?
        var facts: ContextFacts?
        var run: ClosedRange<UInt64>?
        var duplicates: Int64 = 0
        /// Events that were not taken because the installation was erased.
        var refused: Int64 = 0
    }

    private var batch = Batch(received: Timestamp(milliseconds: 0), key: "")
    private(set) var progress: IndexProgress
    /// What was read in the record that is being entered, and how many contexts of it were met.
    var facts: BatchFacts?
    var contextsMet = 0
    /// Whether rows were removed that something may still refer to.
    private var hasRemoved = false
    /// The installations erased in this transaction.
    private(set) var erased: Set<InstallationID> = []
    private let directory: AccountDirectory
    private let behavior: BehaviorIndexer
    private let ranges: RangeTable
    private let events: EventWriter
    private let insertFailed: RawStatement
    private let removeFailed: RawStatement
    private let updateFailed: RawStatement
    private let addReplay: RawStatement
    private let minutes: MinuteSums
    private let catalogue: CatalogueSums
    private let quarters: QuarterSums
    private let runs: RunWriter
    private let nameRuns: NameRuns
    private let names = EventNames()
    /// What events do not keep to; nil without a plan, which then costs nothing.
    private let plan: PlanSums?
    private let db: Database
    /// Events of the batch that wait to be stored together, and the session that they belong to.
    private var waiting: [WaitingEvent] = []
    private var waitingSession: String?

    /// Work on an index.
    ///
    /// - Parameter plan: What events are checked by; nil for nothing.
    init(_ db: Database, plan checker: PlanChecker? = nil) throws {
        self.db = db
        progress = try IndexProgress(db)
        directory = try AccountDirectory(db)
        behavior = try BehaviorIndexer(db)
        ranges = try RangeTable(db)
        events = try EventWriter(db)
        insertFailed = try RawStatement(
            db,
            """
            INSERT OR IGNORE INTO failed
            (position, received, installation, key, code, field, message, content, bytes, name, version)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        removeFailed = try RawStatement(db, "DELETE FROM failed WHERE position = ?")
        updateFailed = try RawStatement(db, "UPDATE failed SET code = ?, field = ?, message = ? WHERE position = ?")
        addReplay = try RawStatement(
            db,
            "INSERT OR IGNORE INTO replays (position, origin, time, key) VALUES (?, ?, ?, ?)"
        )
        minutes = try MinuteSums(db)
        catalogue = try CatalogueSums(db)
        quarters = try QuarterSums(db)
        runs = try RunWriter(db)
        nameRuns = try NameRuns(db)
        if let checker { plan = try PlanSums(db, checker, at: progress.cursor) } else { plan = nil }
    }

    // MARK: A batch

    /// A batch begins. What it tells about its writer is entered before its events.
    func begin(
        installation: InstallationID? = nil,
        writer: WriterID? = nil,
        recorded: UInt64? = nil,
        received: Timestamp,
        key: String
    ) throws {
        try store()
        var place: (number: Int64, isErased: Bool)?
        if let installation { place = try directory.installation(installation) }
        var account: Int64?
        if let place, let writer, !place.isErased {
            account = try directory.writer(writer, of: place.number)
        }
        batch = Batch(
            received: received,
            key: key,
            installation: place?.number,
            writer: account,
            isErased: place?.isErased ?? false
        )
        behavior.noContext(installation: place?.number ?? 0, installation)
        plan?.follow(version: nil)
        if let account { try directory.batchArrived(from: account, recorded: recorded ?? 0, at: received) }
    }

    /// The events behind this hold in a context with these bytes, which say this.
    func context(_ content: UnsafeRawBufferPointer, _ context: BatchFacts.Context) throws {
        try store()
        guard !batch.isErased else { return }
        let facts = context.facts
        let (number, isNew) = try directory.context(
            content,
            hash: context.hash,
            of: batch.installation ?? 0,
            project: facts.project
        )
        batch.facts = facts
        batch.context = number
        plan?.follow(version: facts.version)
        try behavior.context(context, installation: batch.installation ?? 0, isNew: isNew)
    }

    /// Numbers the device gave up, or never meant for a collector.
    func account(_ range: ClosedRange<UInt64>, _ kind: RangeKind, reason: String = "") throws {
        guard let writer = batch.writer else { return }
        try ranges.merge(range, writer: writer, kind: kind, reason: reason.cut(toBytes: Self.reasonBytes))
    }

    /// The longest name of a reason; a longer one is cut.
    private static let reasonBytes = 64

    /// The batch is complete. What waits of it was stored.
    func end() throws {
        if let run = batch.run, let writer = batch.writer {
            try ranges.merge(run, writer: writer, kind: .received)
        }
        batch.run = nil
        runs.end()
        if batch.duplicates > 0, let writer = batch.writer {
            try directory.add(duplicates: batch.duplicates, to: writer)
        }
        batch.duplicates = 0
        if batch.refused > 0, let installation = batch.installation {
            try directory.count(erased: batch.refused, of: installation)
        }
        batch.refused = 0
    }

    // MARK: Its events

    /// Takes an event, to be stored, or counted as arrived again, with the next ``store()``.
    ///
    /// - Parameters:
    ///   - line: its bytes, which must stay where they are until then.
    ///   - time: when it happened.
    ///   - facts: what it says.
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
            return
        }
        let event = ReceivedEvent(line, scan)
        let session = facts.session ?? batch.facts?.session
        if session.map(ByteText.init) != waitingSession.map(ByteText.init) {
            try store()
            waitingSession = session
        }
        waiting.append(
            WaitingEvent(
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

    /// Stores the events that wait, all of one context and one session.
    ///
    /// - Returns: How many were stored; the others had arrived before.
    @discardableResult
    func store() throws -> Int {
        guard !waiting.isEmpty else { return 0 }
        defer { waiting.removeAll(keepingCapacity: true) }
        let place = try behavior.place(waitingSession)
        let whose = EventWriter.Whose(
            received: batch.received.milliseconds,
            writer: batch.writer,
            installation: batch.installation,
            person: place.person,
            session: place.session,
            context: batch.context
        )
        var stored = 0
        try events.write(waiting, whose) { event, isNew in
            if isNew {
                stored += 1
                try count(event, whose)
            } else {
                progress.duplicates += 1
                batch.duplicates += 1
            }
            if let sequence = event.sequence { try arrived(sequence) }
        }
        return stored
    }

    private func count(_ event: WaitingEvent, _ whose: EventWriter.Whose) throws {
        progress.events += 1
        try behavior.event(
            named: event.name,
            at: event.time,
            position: event.position,
            captured: event.captured
        )
        runs.add(
            event.position,
            at: event.time,
            installation: whose.installation,
            person: whose.person,
            session: whose.session
        )
        nameRuns.add(event.name, at: event.position)
        try minutes.count(event.name, received: batch.received)
        try catalogue.count(event.name, at: event.time)
        quarters.count(event.name, of: whose.person, at: event.time)
        plan?.count(event.name.text, event.received, received: whose.received, at: event.position.rawValue)
    }

    /// Keeps a refused event, or a refused batch, with its reason. One that was refused before is not kept twice.
    func failed(_ failure: FailedEvent, sequence: UInt64?) throws {
        guard !batch.isErased else { return }
        if let sequence, sequence > 0, let writer = batch.writer {
            guard try ranges.merge(sequence...sequence, writer: writer, kind: .rejected) else { return }
        }
        insertFailed.bind(1, failure.position.rawValue)
        insertFailed.bind(2, failure.received.milliseconds)
        insertFailed.bind(3, batch.installation)
        insertFailed.bind(4, failure.key)
        insertFailed.bind(5, failure.code)
        insertFailed.bind(6, failure.field)
        insertFailed.bind(7, failure.message)
        insertFailed.bind(8, failure.content)
        insertFailed.bind(9, Int64(failure.totalBytes))
        insertFailed.bind(10, failure.name)
        insertFailed.bind(11, failure.version ?? batch.facts?.version?.cut(toBytes: FailedEvent.nameBytes))
        try insertFailed.run()
        if db.changesCount > 0 { progress.failed += 1 }
    }

    /// What was refused at a place was admitted again.
    func admitted(at place: EventPosition) throws {
        removeFailed.bind(1, place.rawValue)
        try removeFailed.run()
        progress.failed -= Int64(db.changesCount)
    }

    /// What was refused at a place was looked at again, and is refused for another reason now.
    func refusedAgain(_ fault: RejectedEvent, at place: EventPosition) throws {
        updateFailed.bind(1, fault.code)
        updateFailed.bind(2, fault.field)
        updateFailed.bind(3, fault.message)
        updateFailed.bind(4, place.rawValue)
        try updateFailed.run()
    }

    /// The event stored last was refused at a place before.
    func mark(_ position: EventPosition, from place: EventPosition, _ origin: ReplayOrigin) throws {
        addReplay.bind(1, position.rawValue)
        addReplay.bind(2, place.rawValue)
        addReplay.bind(3, origin.at.milliseconds)
        addReplay.bind(4, origin.key)
        try addReplay.run()
    }

    /// Keeps the beginning of a record of the log that cannot be read, with the reason.
    ///
    /// - Parameters:
    ///   - payload: Its bytes, or the first of them.
    ///   - length: How many it has.
    ///   - start: Where the record begins in the log.
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

    // MARK: Erasing

    /// Removes everything of an installation and remembers not to take anything of it again.
    ///
    /// - Parameter sequence: The number of the event that says so, which has arrived with it.
    /// - Complexity: O(rows of the installation), and a look-up where there are none.
    func erase(_ order: ErasureOrder, sequence: UInt64? = nil) throws {
        try store()
        if let sequence { try arrived(sequence) }
        try end()
        let (number, isErased, isNew) = try directory.look(for: order.installation)
        if isErased { return }
        erased.insert(order.installation)
        // Of an installation that is met for the first time there is nothing to remove.
        if isNew { return try directory.erase(number, order) }
        try events.flush()
        try runs.flush()
        try minutes.flush()
        try catalogue.flush()
        try quarters.flush()
        try nameRuns.flush()
        try plan?.flush()
        try behavior.flush()
        try ranges.flush()
        try directory.erase(number, order)
        let removed = try Erasure(db).run(installation: number, plan: plan)
        hasRemoved = true
        progress.events -= removed.events
        progress.failed -= removed.failed
        progress.duplicates -= removed.duplicates
        progress.erased += removed.events + removed.duplicates
        try directory.count(erased: removed.events + removed.duplicates, of: number)
        if batch.installation == number {
            batch = Batch(received: batch.received, key: batch.key, installation: number, writer: nil, isErased: true)
        }
        plan?.follow(version: batch.facts?.version)
    }

    /// Events of an erased installation came and were not kept.
    func countErased(_ events: Int, of id: InstallationID) throws {
        try end()
        let (number, isErased) = try directory.installation(id)
        guard isErased else { return }
        progress.erased += Int64(events)
        try directory.count(erased: Int64(events), of: number)
    }

    // MARK: The end

    /// Forgets everything before `cursor`, what this transaction did included, and ends it: nothing may be added afterwards,
    /// because row numbers that are remembered are of rows that are gone.
    func reset(at cursor: LogPosition) throws {
        try db.execute(sql: IndexSchema.clearing + " DELETE FROM erasures; DELETE FROM installations;")
        erased = []
        progress = try IndexProgress(db)
        progress.cursor = cursor
        try progress.write(db)
    }

    /// Writes the sums and the cursor: rows and cursor become visible together or not at all.
    func finish(at cursor: LogPosition, damaged: Int64) throws {
        try events.flush()
        try runs.flush()
        try minutes.flush()
        try catalogue.flush()
        try quarters.flush()
        try nameRuns.flush()
        try behavior.flush()
        try ranges.flush()
        try plan?.finish(at: cursor)
        if hasRemoved { try Erasure(db).finish() }
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
        if let run = batch.run { try ranges.merge(run, writer: writer, kind: .received) }
        batch.run = sequence...sequence
    }
}
