// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore
package import TrackwayJournal

/// Collects the contents of records to make a block's rows.
///
/// The rows are a function of the records and of the contents of earlier blocks (``KnownRows``), which are looked up
/// later. Not thread-safe.
package final class BlockBuilder {
    /// An event that is stored unless it has arrived before.
    struct Candidate {
        let event: EventID
        let position: EventPosition
        let name: String
        let time: Timestamp
        let received: Timestamp
        let installation: InstallationID?
        let writer: WriterID?
        let sequence: UInt64
        let user: String
        /// Whether the app keeps anonymous events separate, and no user was signed in.
        let isSeparate: Bool
        let session: String
        let context: ContextHash?
        let body: [UInt8]
        let values: ColumnValues
        /// The name of the screen that the event shows, as a column value; empty for none.
        let screen: [UInt8]
        /// The event's device data; nil unless the event is a snapshot.
        let snapshot: DeviceSnapshot?
        /// The start of the event's session, as reported by the event's context.
        let sessionStart: SessionBeginning
        /// The captured data; nil unless this is a captured event.
        let captured: CapturedRow?
        /// The event's position among the user traits in its log record.
        let traitsPosition: UserTraitsRecord.Position
        /// The statement of an `_alias` event; nil for other events.
        let merge: MergeStatement?
        /// The name of the batch's key.
        let key: String
        /// How the event was admitted later; nil unless it was initially rejected.
        var replayed: StoredEvent.Replayed?

        var account: AccountKey? {
            guard let installation, let writer else { return nil }
            return AccountKey(installation: installation, writer: writer)
        }
    }

    /// The key of an installation's writer.
    package struct AccountKey: Hashable, Sendable {
        /// The installation.
        package let installation: InstallationID
        /// The writer.
        package let writer: WriterID

        /// Creates the key of a writer.
        package init(installation: InstallationID, writer: WriterID) {
            self.installation = installation
            self.writer = writer
        }
    }

    /// The key of sequence ranges: their writer, kind, and reason.
    struct RangeKey: Hashable {
        let account: AccountKey
        let kind: RangeKind
        let reason: String
    }

    /// A writer's claims about itself.
    struct Claims {
        var recorded: UInt64 = 0
        var received = Timestamp(milliseconds: .min)
        /// The position where the writer's first batch begins.
        let first: EventPosition
    }

    /// The hash of a context's content: half of its SHA-256.
    struct ContextHash: Hashable {
        let high: UInt64
        let low: UInt64

        init(_ content: UnsafeRawBufferPointer) {
            let hash = SHA256.hash(Array(content))
            high = hash[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
            low = hash[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The key of a context.
    ///
    /// It includes the installation, so that erasing an installation removes its contexts.
    struct ContextKey: Hashable {
        let installation: InstallationID?
        let hash: ContextHash
    }

    private struct Batch {
        var received = Timestamp(milliseconds: 0)
        var key = ""
        var installation: InstallationID?
        var account: AccountKey?
        var isErased = false
        var context: ContextHash?
        var facts = ContextFacts()
        var global = ColumnValues()
    }

    private(set) var candidates: [Candidate] = []
    private(set) var claims: [AccountKey: Claims] = [:]
    private(set) var ranges: [RangeKey: SequenceRanges] = [:]
    private(set) var contexts: [ContextKey: [UInt8]] = [:]
    private(set) var descriptions = ContextDescriptions()
    /// The index of each context within the block, in order of first occurrence.
    private(set) var contextNumbers: [ContextKey: UInt32] = [:]
    /// The user traits in contexts.
    private(set) var userTraits: [UserTraitsRecord] = []
    private var traitsPosition = UserTraitsRecord.Position(record: 0)
    private(set) var deletionRequests: [InstallationID: DeletionRequest] = [:]
    private(set) var rejections = RejectionLog()
    /// The operators' statements about merged users.
    private(set) var merges: [MergeRow] = []
    private(set) var arrivals = BlockIngestCounts()
    /// The position where the record begins, and the number of batch headers read from it so far.
    private var recordPosition: (start: LogPosition, headers: Int) = (.start, 0)
    /// The number of events that the traversal has reported but that are not stored yet.
    private var waiting = 0
    private var batch = Batch()
    private let limits: AdmissionLimits

    /// Creates a builder without records.
    ///
    /// - Parameter limits: The admission limits, used for splitting batches.
    package init(limits: AdmissionLimits = AdmissionLimits()) {
        self.limits = limits
    }

    /// Adds the next record.
    ///
    /// - Parameter start: The position where the record begins.
    package func add(_ record: ParsedRecord, at start: LogPosition) throws {
        recordPosition = (start, 0)
        waiting = 0
        if case .batch(let batch, _, _) = record {
            rejections.beginRecord(inReplay: batch.header.replayed != nil)
        } else {
            rejections.beginRecord(inReplay: false)
        }
        traitsPosition = UserTraitsRecord.Position(
            record: EventPosition(segment: start.segment, offset: start.offset).rawValue
        )
        try RecordVisitor(self, limits: limits).enter(record, at: start)
    }

    /// Counts a foreign record, which cannot be distinguished from a damaged one.
    package func addDamaged() { arrivals.damaged += 1 }

    /// The ids of the block's events.
    package var ids: [EventID] { candidates.map(\.event) }

    /// The installations that own data in the block.
    package var installations: [InstallationID] {
        var all = Set(candidates.compactMap(\.installation))
        all.formUnion(claims.keys.map(\.installation))
        all.formUnion(contexts.keys.compactMap(\.installation))
        all.formUnion(rejections.installations)
        return Array(all)
    }

    /// The installations that the block erases.
    package var erased: [InstallationID] { Array(deletionRequests.keys) }

    /// The writers with sequence numbers that the block rejects.
    package var rejectedAccounts: [AccountKey] { rejections.accounts }
}

extension BlockBuilder: RecordConsumer {
    package func isOwnFailure(_ error: any Error) -> Bool { false }

    package func begin(
        installation: InstallationID?,
        writer: WriterID?,
        recorded: UInt64?,
        received: Timestamp,
        key: String
    ) {
        batch = Batch(received: received, key: key, installation: installation)
        guard let installation else { return }
        batch.isErased = deletionRequests[installation] != nil
        arrivals.installations.insert(installation)
        rejections.assignRecord(to: installation)
        defer { recordPosition.headers += 1 }
        guard let writer, !batch.isErased else { return }
        let account = AccountKey(installation: installation, writer: writer)
        batch.account = account
        let first = EventPosition(
            segment: recordPosition.start.segment,
            offset: recordPosition.start.offset,
            ordinal: recordPosition.headers
        )
        var claim = claims[account] ?? Claims(first: first)
        claim.recorded = max(claim.recorded, min(recorded ?? 0, UInt64(Int64.max - 1)))
        claim.received = max(claim.received, received)
        claims[account] = claim
    }

    package func account(_ range: ClosedRange<UInt64>, _ kind: RangeKind, reason: String) {
        guard let account = batch.account else { return }
        // Sequence numbers are capped as in an SQLite index, which stores signed numbers.
        let maxSequence = UInt64(Int64.max - 1)
        let range = min(range.lowerBound, maxSequence)...min(range.upperBound, maxSequence)
        ranges[RangeKey(account: account, kind: kind, reason: reason), default: SequenceRanges()].insert(range)
    }

    package func context(_ content: UnsafeRawBufferPointer, clock: ClockCorrection?) {
        guard !batch.isErased else { return }
        let hash = ContextHash(content)
        batch.context = hash
        batch.facts = ContextFacts(context: content, clock: clock)
        // Admission validated the text. Content that cannot be parsed has no values.
        batch.global = ColumnValues(global: try? JSONValue.parse(Array(content)))
        let key = ContextKey(installation: batch.installation, hash: hash)
        descriptions.add(key, content, batch.facts)
        guard contexts[key] == nil else { return }
        contexts[key] = Array(content)
        contextNumbers[key] = UInt32(clamping: contextNumbers.count)
        if let record = UserTraitsRecord(batch.facts, content, of: batch.installation, hash, at: traitsPosition.next())
        {
            userTraits.append(record)
        }
    }

    package func event(_ event: VisitedEvent) throws {
        guard !batch.isErased else {
            if let installation = batch.installation { arrivals.addDropped(1, of: installation) }
            return
        }
        waiting += 1
        let received = ReceivedEvent(event.line, event.scan)
        let time = event.time
        let name = try received.name()
        candidates.append(
            Candidate(
                event: event.id,
                position: event.position,
                name: name,
                time: time,
                received: batch.received,
                installation: batch.installation,
                writer: batch.account?.writer,
                sequence: event.sequence ?? 0,
                user: batch.facts.user ?? "",
                isSeparate: batch.facts.isSeparate && batch.facts.user == nil,
                session: received.session ?? batch.facts.session ?? "",
                context: batch.context,
                body: received.completed(id: event.id, time: time) ?? Array(event.line),
                values: ColumnValues(event: event.line, global: batch.global),
                screen: name == CapturedName.screenView ? screen(received) : [],
                snapshot: snapshot(name, received),
                sessionStart: SessionBeginning(received.session ?? batch.facts.session, batch.facts),
                captured: CapturedRow(name, received, batch.facts, at: time),
                traitsPosition: traitsPosition.next(),
                merge: name == CapturedName.alias ? MergeStatement(received, at: time.milliseconds) : nil,
                key: batch.key
            )
        )
        arrived(event.sequence)
    }

    /// Returns the screen that an event shows: its own, or otherwise its context's.
    private func screen(_ event: ReceivedEvent) -> [UInt8] {
        // The attributes are decoded as in an SQLite index. Admission has validated the text.
        let attributes = event.attributes.flatMap { try? JSONValue.parse($0) }?.object
        let screen = attributes?[CapturedKey.screenName]?.string ?? batch.facts.screen
        return screen.map { QueryValue.text(Array($0.utf8)).columnBytes } ?? []
    }

    /// Returns the device data from a snapshot.
    ///
    /// Returns nil for other events, or if the installation is unknown.
    private func snapshot(_ name: String, _ received: ReceivedEvent) -> DeviceSnapshot? {
        guard batch.installation != nil, let kind = DeviceSnapshot.Kind(name) else { return nil }
        let context = batch.context.flatMap { contexts[ContextKey(installation: batch.installation, hash: $0)] }
        return DeviceSnapshot(kind, received, context: context)
    }

    /// Returns the number of events to store.
    ///
    /// Duplicates are detected only later, so all events count as new here.
    package func store() -> Int {
        defer { waiting = 0 }
        return waiting
    }

    package func failed(_ failure: FailedEvent, sequence: UInt64?) throws {
        guard !batch.isErased else { return }
        var failure = failure
        failure.version = failure.version ?? batch.facts.version?.truncated(toUTF8Count: FailedEvent.nameBytes)
        guard let sequence, sequence > 0, let account = batch.account else {
            rejections.reject(failure, of: batch.installation, number: nil)
            return
        }
        let key = RangeKey(account: account, kind: .rejected, reason: "")
        let isNew = !(ranges[key]?.contains(sequence...sequence) ?? false)
        self.account(sequence...sequence, .rejected, reason: "")
        // A sequence number that is rejected again is not stored twice.
        if isNew { rejections.reject(failure, of: batch.installation, number: (account, sequence)) }
    }

    package func admittedOnReplay(at position: EventPosition) { rejections.admit(position, of: batch.installation) }

    package func rejectedOnReplay(_ fault: RejectedEvent, at position: EventPosition) {
        rejections.rejectAgain(fault, position, of: batch.installation)
    }

    package func mark(_ position: EventPosition, from original: EventPosition, _ origin: ReplayOrigin) {
        guard let last = candidates.indices.last, candidates[last].position == position else { return }
        candidates[last].replayed = StoredEvent.Replayed(from: original, at: origin.at, key: origin.key)
    }

    package func unreadable(_ payload: [UInt8], length: Int, at start: LogPosition, _ message: String) throws {
        try failed(
            FailedEvent(
                unreadable: payload,
                length: length,
                at: start,
                received: batch.received,
                key: batch.key,
                message
            ),
            sequence: nil
        )
    }

    package func erase(_ order: DeletionRequest, sequence: UInt64?) {
        arrived(sequence)
        let installation = order.installation
        guard deletionRequests[installation] == nil else { return }
        deletionRequests[installation] = order
        arrivals.addDropped(candidates.count { $0.installation == installation }, of: installation)
        candidates.removeAll { $0.installation == installation }
        rejections.erase(installation)
        claims = claims.filter { $0.key.installation != installation }
        ranges = ranges.filter { $0.key.account.installation != installation }
        contexts = contexts.filter { $0.key.installation != installation }
        descriptions.remove(installation)
        userTraits.removeAll { $0.installation == installation }
        if batch.installation == installation {
            batch = Batch(
                received: batch.received,
                key: batch.key,
                installation: installation,
                isErased: true
            )
        }
    }

    package func merge(_ record: UserMergeRecord, at position: EventPosition) {
        guard let statement = record.statement else { return }
        merges.append(
            MergeRow(statement, at: position, installation: nil, key: record.key, received: record.received)
        )
    }

    package func countErased(_ record: ErasureRecord) { arrivals.addDropped(record.events, of: record.installation) }

    package func end() {}

    private func arrived(_ sequence: UInt64?) {
        guard let sequence, sequence > 0 else { return }
        account(sequence...sequence, .received, reason: "")
    }
}
