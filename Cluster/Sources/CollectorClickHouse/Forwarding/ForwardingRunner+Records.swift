// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents
internal import TrackwayJournal

/// The beginning of a block that is not decided yet.
struct BlockBeginning {
    /// Decides where the block ends.
    var cutter: BlockCutter
    /// Collects the contents of its records.
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
    /// - Parameter begun: The block to add them to.
    /// - Returns: The sequence of the block's last record; nil if no records exist and none are awaited.
    func collect(_ begun: inout BlockBeginning, _ untilCaughtUp: Bool) async throws(StepFailure) -> UInt64? {
        while !Task.isCancelled {
            while begun.cutter.next <= source.highest(), !begun.cutter.isFull {
                for record in try await records(from: begun.cutter.next) where !begun.cutter.isFull {
                    guard try enter(record, into: begun.builder, &begun.cutter) else { return begun.cutter.next - 1 }
                }
                if begun.cutter.isDue(at: clock.now().monotonic) { return begun.cutter.next - 1 }
            }
            if begun.cutter.isFull || begun.cutter.isDue(at: clock.now().monotonic) { return begun.cutter.next - 1 }
            if untilCaughtUp { return begun.cutter.isEmpty ? nil : begun.cutter.next - 1 }
            await sleep(.milliseconds(50))
        }
        throw StepFailure(reason: "The operation was canceled.")
    }

    func load(_ decision: BlockDecision, into builder: BlockBuilder) async throws(StepFailure) {
        var next = decision.first
        while next <= decision.last {
            for record in try await records(from: next) where record.start.streamSequence <= decision.last {
                try enter(record, into: builder)
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
            throw StepFailure(reason: "\(error)", part: .engine, isFinal: source.isGone(error))
        }
    }

    /// - Returns: Whether the record belongs to the block.
    private func enter(
        _ record: StreamedRecord,
        into builder: BlockBuilder,
        _ cutter: inout BlockCutter
    ) throws(StepFailure) -> Bool {
        let kept = kept(record)
        var (events, bytes) = (0, record.payload.count)
        var received: Timestamp?
        if case .batch(let batch, _, _) = kept {
            (events, bytes) = (batch.events, batch.byteCount)
            received = batch.header.received
        }
        let now = clock.now().monotonic
        guard cutter.take(events: events, bytes: bytes, received: received, at: now) else { return false }
        try enter(kept, of: record, into: builder)
        return true
    }

    private func enter(_ record: StreamedRecord, into builder: BlockBuilder) throws(StepFailure) {
        try enter(kept(record), of: record, into: builder)
    }

    private func enter(
        _ kept: ParsedRecord,
        of record: StreamedRecord,
        into builder: BlockBuilder
    ) throws(StepFailure) {
        // Counted as in an index: a record that no collector has written is damage.
        if record.kind == nil { builder.pass() }
        do {
            try builder.enter(kept, at: record.start)
        } catch {
            throw StepFailure(reason: "The record at \(record.start) cannot be processed: \(error)")
        }
    }

    func kept(_ record: StreamedRecord) -> ParsedRecord {
        guard let kind = record.kind else { return .other }
        return record.payload.withUnsafeBytes { ParsedRecord(kind, $0, at: record.start, limits: limits) }
    }
}
