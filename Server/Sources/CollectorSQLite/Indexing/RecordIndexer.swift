// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore
internal import TrackwayJournal

/// Indexes one record of the intake log or of a stream.
struct RecordIndexer {
    private let transaction: IndexTransaction
    private let walk: RecordVisitor<IndexTransaction>

    /// Creates an indexer that adds records to `transaction`.
    ///
    /// - Parameter limits: The admission limits, used to decode batches.
    init(_ transaction: IndexTransaction, limits: AdmissionLimits) {
        self.transaction = transaction
        walk = RecordVisitor(transaction, limits: limits)
    }

    /// Indexes a record.
    ///
    /// - Throws: A `DatabaseError` if the index currently cannot store the record. An unreadable record is stored as a
    ///   failed record instead, because it would never become readable and must not block other records.
    func enter(_ record: LogChunk.Record) throws {
        transaction.facts = record.facts
        transaction.contextCount = 0
        transaction.recordStart = EventPosition(segment: record.start.segment, offset: record.start.offset)
        try walk.enter(record.content, at: record.start)
    }
}

extension IndexTransaction: RecordConsumer {
    func isOwnFailure(_ error: any Error) -> Bool { error is DatabaseError }

    func context(_ content: UnsafeRawBufferPointer, clock: ClockCorrection?) throws {
        let known = facts?.context(contextCount, content, clock: clock)
        try context(content, known ?? BatchFacts.Context(content, clock: clock))
        contextCount += 1
    }

    func event(_ event: VisitedEvent) throws {
        try self.event(
            event.line,
            event.scan,
            id: event.id,
            time: event.time,
            at: event.position,
            sequence: event.sequence,
            facts?.event(event.index) ?? BatchFacts.Event()
        )
    }

    func countErased(_ record: ErasureRecord) throws { try countErased(record.events, of: record.installation) }
}
