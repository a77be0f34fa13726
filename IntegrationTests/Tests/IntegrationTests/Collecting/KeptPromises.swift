// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// What senders were promised, held against the collector's rows.
enum KeptPromises {
    /// Every answered event is in exactly one row; a batch without an answer is there whole or not at all.
    ///
    /// - Parameter refusedAreAbsent: false when a refusal means "not promised" rather than "not taken": after a failed flush
    ///   the batch may be there.
    static func expect(
        _ senders: [Sender],
        at collector: Collector,
        refusedAreAbsent: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try collector.settle()
        let rows = try collector.rows("name=sent")
        let present = Set(rows.map(\.id))
        #expect(present.count == rows.count, "an event has two rows", sourceLocation: sourceLocation)
        let answered = senders.flatMap(\.kept)
        let lost = answered.joined().count { !present.contains($0) }
        #expect(lost == 0, "of \(answered.count) answered batches", sourceLocation: sourceLocation)
        let halves = senders.flatMap(\.open).count { batch in
            let found = batch.count { present.contains($0) }
            return found != 0 && found != batch.count
        }
        #expect(halves == 0, "batches stored half", sourceLocation: sourceLocation)
        guard refusedAreAbsent else { return }
        let known = Set((answered + senders.flatMap(\.open)).joined())
        #expect(present.isSubset(of: known), "rows nobody sent", sourceLocation: sourceLocation)
    }
}
