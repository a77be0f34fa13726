// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What became of the sequence numbers between a batch's events.
///
/// Made from the events themselves, so that the receiver's count of events and numbers agrees whatever the batch claims.
struct BatchGaps: Sendable, Hashable {
    private(set) var dropped: [DroppedRange] = []
    private(set) var skipped: [ClosedRange<UInt64>] = []

    init(of batch: EventBatch) {
        dropped = batch.dropped.filter { $0.sequences.upperBound < batch.first }
        skipped = batch.skipped.filter { $0.upperBound < batch.first }
        var next = batch.first
        for record in batch.records where record.sequence >= next {
            if record.sequence > next { explain(next...(record.sequence - 1), batch) }
            next = record.sequence + 1
        }
        if batch.last >= next { explain(next...batch.last, batch) }
    }

    /// Says for every number of a hole why there is no event.
    private mutating func explain(_ hole: ClosedRange<UInt64>, _ batch: EventBatch) {
        var open = [hole]
        for gap in batch.dropped {
            for part in Self.take(gap.sequences, from: &open) {
                dropped.append(DroppedRange(sequences: part, reason: gap.reason))
            }
        }
        for gap in batch.skipped { skipped += Self.take(gap, from: &open) }
        // The writer has no account of these: a fault of the sender's, which must show as a loss.
        dropped += open.map { DroppedRange(sequences: $0, reason: DropReason(rawValue: "unaccounted")) }
    }

    /// Takes a range out of the ranges that are still open.
    private static func take(
        _ range: ClosedRange<UInt64>,
        from open: inout [ClosedRange<UInt64>]
    ) -> [ClosedRange<UInt64>] {
        var taken: [ClosedRange<UInt64>] = []
        var rest: [ClosedRange<UInt64>] = []
        for part in open {
            guard part.overlaps(range) else {
                rest.append(part)
                continue
            }
            let common = part.clamped(to: range)
            taken.append(common)
            if part.lowerBound < common.lowerBound { rest.append(part.lowerBound...(common.lowerBound - 1)) }
            if part.upperBound > common.upperBound { rest.append((common.upperBound + 1)...part.upperBound) }
        }
        open = rest
        return taken
    }
}
