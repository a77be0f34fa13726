// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// Compares what the collector acknowledged to senders with its rows.
enum AcknowledgedBatches {
    /// Expects every acknowledged event in exactly one row, and unacknowledged batches as a whole or not at all.
    ///
    /// - Parameter rejectedAreAbsent: false if a refusal means "not acknowledged" rather than "not stored": after a
    ///   failed flush, the batch may be stored.
    static func expect(
        _ senders: [Sender],
        at collector: Collector,
        rejectedAreAbsent: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try collector.waitForIndex()
        let rows = try collector.rows("name=sent")
        let storedIDs = Set(rows.map(\.id))
        #expect(storedIDs.count == rows.count, "an event has several rows", sourceLocation: sourceLocation)
        let acknowledged = senders.flatMap(\.acknowledgedBatches)
        let lost = acknowledged.joined().count { !storedIDs.contains($0) }
        #expect(lost == 0, "of \(acknowledged.count) acknowledged batches", sourceLocation: sourceLocation)
        let partialBatches = senders.flatMap(\.unansweredBatches).count { batch in
            let found = batch.count { storedIDs.contains($0) }
            return found != 0 && found != batch.count
        }
        #expect(partialBatches == 0, "partially stored batches", sourceLocation: sourceLocation)
        guard rejectedAreAbsent else { return }
        let known = Set((acknowledged + senders.flatMap(\.unansweredBatches)).joined())
        #expect(storedIDs.isSubset(of: known), "rows that were never sent", sourceLocation: sourceLocation)
    }
}
