// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// Compares what the collector acknowledged to senders with its rows.
enum AcknowledgedBatches {
    /// Expects every acknowledged event in exactly one row, and unacknowledged batches as a whole or not at all.
    ///
    /// - Parameter refusedAreAbsent: false if a refusal means "not acknowledged" rather than "not stored": after a
    ///   failed flush the batch may be stored.
    static func expect(
        _ senders: [Sender],
        at collector: Collector,
        refusedAreAbsent: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try collector.settle()
        let rows = try collector.rows("name=sent")
        let present = Set(rows.map(\.id))
        #expect(present.count == rows.count, "an event has several rows", sourceLocation: sourceLocation)
        let answered = senders.flatMap(\.kept)
        let lost = answered.joined().count { !present.contains($0) }
        #expect(lost == 0, "of \(answered.count) acknowledged batches", sourceLocation: sourceLocation)
        let halves = senders.flatMap(\.open).count { batch in
            let found = batch.count { present.contains($0) }
            return found != 0 && found != batch.count
        }
        #expect(halves == 0, "partially stored batches", sourceLocation: sourceLocation)
        guard refusedAreAbsent else { return }
        let known = Set((answered + senders.flatMap(\.open)).joined())
        #expect(present.isSubset(of: known), "rows that were never sent", sourceLocation: sourceLocation)
    }
}
