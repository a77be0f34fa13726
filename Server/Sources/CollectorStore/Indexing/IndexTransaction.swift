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
    private let tables: IndexTables
    private let names = EventNames()
    private let db: Database
    /// Events of the batch that wait to be stored together, and the session that they belong to.
    private var waiting: [WaitingEvent] = []
    private var waitingSession: String?

    /// Work on an index.
    ///
    /// - Parameters:
    ///   - plan: What events are checked by; nil for nothing.
    ///   - joinsVisitors: Whether a visitor who signs in and the user are one person.
    init(_ db: Database, plan checker: PlanChecker? = nil, joinsVisitors: Bool = true) throws {
        self.db = db
        progress = try IndexProgress(db)
        tables = try IndexTables(db, plan: checker, at: progress.cursor, joinsVisitors: joinsVisitors)
    }

    /// What events do not keep to; nil without a plan.
    private var plan: PlanSums? { tables.plan.sums }

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
        tables.behavior.noContext(installation: place?.number ?? 0, installation)
        plan?.follow(version: nil)
        if let account { try tables.directory.batchArrived(from: account, recorded: recorded ?? 0, at: received) }
    }

    /// The events behind this hold in a context with these bytes, which say this.
    func context(_ content: UnsafeRawBufferPointer, _ context: BatchFacts.Context) throws {
        try store()
        guard !batch.isErased else { return }
        let facts = context.facts
        let (number, isNew) = try tables.directory.context(
            content,
            hash: context.hash,
            of: batch.installation ?? 0,
            project: facts.project
        )
        batch.facts = facts
        batch.context = number
        plan?.follow(version: facts.version)
        try tables.behavior.context(context, installation: batch.installation ?? 0, isNew: isNew)
    }

    /// Numbers the device gave up, or never meant for a collector.
    func account(_ range: ClosedRange<UInt64>, _ kind: RangeKind, reason: String = "") throws {
        guard let writer = batch.writer else { return }
        try tables.ranges.merge(range, writer: writer, kind: kind, reason: reason.cut(toBytes: Self.reasonBytes))
    }

    /// The longest name of a reason; a longer one is cut.
    private static let reasonBytes = 64

    /// The batch is complete. What waits of it was stored.
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
        let place = try tables.behavior.place(waitingSession)
        let whose = EventWriter.Whose(
            received: batch.received.milliseconds,
            writer: batch.writer,
            installation: batch.installation,
            person: place.person,
            session: place.session,
            context: batch.context
        )
        var stored = 0
        try tables.events.write(waiting, whose) { event, isNew in
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
        try tables.behavior.event(
            named: event.name,
            at: event.time,
            position: event.position,
            captured: event.captured
        )
        tables.runs.add(
            event.position,
            at: event.time,
            installation: whose.installation,
            person: whose.person,
            session: whose.session
        )
        tables.nameRuns.add(event.name, at: event.position)
        try tables.minutes.count(event.name, received: batch.received)
        try tables.catalogue.count(event.name, at: event.time)
        tables.quarters.count(event.name, of: whose.person, at: event.time)
        plan?.count(event.name.text, event.received, received: whose.received, at: event.position.rawValue)
    }

    /// Keeps a refused event, or a refused batch, with its reason. One that was refused before is not kept twice.
    func failed(_ failure: FailedEvent, sequence: UInt64?) throws {
        guard !batch.isErased else { return }
        if let sequence, sequence > 0, let writer = batch.writer {
            guard try tables.ranges.merge(sequence...sequence, writer: writer, kind: .rejected) else { return }
        }
        let version = failure.version ?? batch.facts?.version?.cut(toBytes: FailedEvent.nameBytes)
        if try tables.failed.add(failure, installation: batch.installation, version: version) { progress.failed += 1 }
    }

    /// What was refused at a place was admitted again.
    func admitted(at place: EventPosition) throws {
        progress.failed -= try tables.failed.remove(at: place)
    }

    /// What was refused at a place was looked at again, and is refused for another reason now.
    func refusedAgain(_ fault: RejectedEvent, at place: EventPosition) throws {
        try tables.failed.update(fault, at: place)
    }

    /// The event stored last was refused at a place before.
    func mark(_ position: EventPosition, from place: EventPosition, _ origin: ReplayOrigin) throws {
        try tables.failed.mark(position, from: place, origin)
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
        let (number, isErased, isNew) = try tables.directory.look(for: order.installation)
        if isErased { return }
        erased.insert(order.installation)
        try tables.directory.mark(erased: number, order)
        // Of an installation that is met for the first time there is nothing to remove.
        if isNew { return }
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
    }

    /// Events of an erased installation came and were not kept.
    func countErased(_ events: Int, of id: InstallationID) throws {
        try end()
        let (number, isErased) = try tables.directory.installation(id)
        guard isErased else { return }
        progress.erased += Int64(events)
        try tables.directory.count(erased: Int64(events), of: number)
    }

    // MARK: The end

    /// Forgets everything before `cursor`, what this transaction did included, and ends it: nothing may be added afterwards,
    /// because row numbers that are remembered are of rows that are gone.
    func reset(at cursor: LogPosition) throws {
        try tables.clear(db)
        try tables.directory.forgetErasures(db)
        erased = []
        progress = try IndexProgress(db)
        progress.cursor = cursor
        try progress.write(db)
    }

    /// Writes the sums and the cursor: rows and cursor become visible together or not at all.
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
