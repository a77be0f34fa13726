// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents
internal import TrackwayJournal

/// Indexes one record of the intake log or of a stream.
struct RecordIndexer {
    private let transaction: IndexTransaction
    private let walk: RecordVisitor<IndexTransaction>

    /// Creates a writer of records into `transaction`.
    ///
    /// - Parameter limits: The admission limits, used to decode batches.
    init(_ transaction: IndexTransaction, limits: AdmissionLimits) {
        self.transaction = transaction
        walk = RecordVisitor(transaction, limits: limits)
    }

    /// Indexes a record.
    ///
    /// - Throws: A `DatabaseError` if the index cannot store it now. A record that cannot be read is stored as a failed
    ///   one instead, because it would never become readable and must not block the others.
    func enter(_ record: LogChunk.Record) throws {
        transaction.facts = record.facts
        transaction.contextsMet = 0
        try walk.enter(record.kept, at: record.start)
    }
}

extension IndexTransaction: RecordConsumer {
    func isOwnFailure(_ error: any Error) -> Bool { error is DatabaseError }

    func context(_ content: UnsafeRawBufferPointer, clock: ClockCorrection?) throws {
        let known = facts?.context(contextsMet, content, clock: clock)
        try context(content, known ?? BatchFacts.Context(content, clock: clock))
        contextsMet += 1
    }

    func event(_ event: WalkedEvent) throws {
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
