// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore
internal import TrackwayJournal

/// The beginning of a block that is not decided yet.
struct PartialBlock {
    /// Decides where the block ends.
    var cutter: BlockCutter
    /// Collects the contents of the block's records.
    let builder: BlockBuilder

    /// Creates a block without records.
    ///
    /// - Parameter first: The sequence of the first record.
    init(from first: UInt64, limits: BlockCutter.Limits, admission: AdmissionLimits) {
        cutter = BlockCutter(from: first, limits: limits)
        builder = BlockBuilder(limits: admission)
    }
}

extension ForwardingRunner {
    /// Collects records until a block is full or its time limit has passed.
    ///
    /// - Parameter partialBlock: The block to add the records to.
    /// - Returns: The sequence of the block's last record; nil if no records exist and none are awaited.
    func collect(_ partialBlock: inout PartialBlock, _ untilCaughtUp: Bool) async throws(StepFailure) -> UInt64? {
        while !Task.isCancelled {
            while partialBlock.cutter.next <= source.highest(), !partialBlock.cutter.isFull {
                for record in try await records(from: partialBlock.cutter.next) where !partialBlock.cutter.isFull {
                    guard try add(record, into: partialBlock.builder, &partialBlock.cutter) else {
                        return partialBlock.cutter.next - 1
                    }
                }
                if partialBlock.cutter.isDue(at: clock.now().monotonic) { return partialBlock.cutter.next - 1 }
            }
            if partialBlock.cutter.isFull || partialBlock.cutter.isDue(at: clock.now().monotonic) {
                return partialBlock.cutter.next - 1
            }
            if untilCaughtUp { return partialBlock.cutter.isEmpty ? nil : partialBlock.cutter.next - 1 }
            await sleep(.milliseconds(50))
        }
        throw StepFailure(reason: "The operation was canceled.")
    }

    func load(_ decision: BlockDecision, into builder: BlockBuilder) async throws(StepFailure) {
        var next = decision.first
        while next <= decision.last {
            for record in try await records(from: next) where record.start.streamSequence <= decision.last {
                try add(record, into: builder)
                next = record.start.streamSequence + 1
            }
        }
    }

    func records(from sequence: UInt64) async throws(StepFailure) -> [StreamedRecord] {
        do {
            return try await source.records.records(
                from: LogPosition(stream: source.number, sequence: sequence),
                upTo: LogPosition(stream: source.number, sequence: sequence + 1)
            )
        } catch {
            // Purged records cannot be restored.
            throw StepFailure(reason: "\(error)", part: .engine, isFinal: source.isPermanentlyMissing(error))
        }
    }

    /// Adds a record, unless the block ends before it.
    ///
    /// - Returns: Whether the record was added.
    private func add(
        _ record: StreamedRecord,
        into builder: BlockBuilder,
        _ cutter: inout BlockCutter
    ) throws(StepFailure) -> Bool {
        let parsed = parse(record)
        var (events, bytes) = (0, record.payload.count)
        var received: Timestamp?
        if case .batch(let batch, _, _) = parsed {
            (events, bytes) = (batch.events, batch.byteCount)
            received = batch.header.received
        }
        let now = clock.now().monotonic
        guard cutter.add(events: events, bytes: bytes, received: received, at: now) else { return false }
        try add(parsed, of: record, into: builder)
        return true
    }

    private func add(_ record: StreamedRecord, into builder: BlockBuilder) throws(StepFailure) {
        try add(parse(record), of: record, into: builder)
    }

    private func add(
        _ parsed: ParsedRecord,
        of record: StreamedRecord,
        into builder: BlockBuilder
    ) throws(StepFailure) {
        // As in an SQLite index, a record that was not written by a collector counts as damaged.
        if record.kind == nil { builder.addDamaged() }
        do {
            try builder.add(parsed, at: record.start)
        } catch {
            throw StepFailure(reason: "The record at \(record.start) cannot be processed: \(error)")
        }
    }

    func parse(_ record: StreamedRecord) -> ParsedRecord {
        guard let kind = record.kind else { return .other }
        return record.payload.withUnsafeBytes { ParsedRecord(kind, $0, at: record.start, limits: limits) }
    }
}
