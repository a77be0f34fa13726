// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// Finds every erased installation before an index is made from the log's beginning, so that an erased installation's
/// events do not come back even while the rebuild has not reached the tombstone yet.
struct TombstoneScan {
    let limits: AdmissionLimits

    /// The erasures in the log up to `limit`, each installation's first, in the order of the log.
    ///
    /// - Complexity: O(log), inflating every batch; it happens only when an index begins.
    func erasures(_ follower: inout LogFollower, upTo limit: LogPosition) throws -> [Erasure.Order] {
        var found = Found()
        follower.reset()
        follower.align(to: .start)
        while let entry = try follower.next(upTo: limit) {
            guard entry.kind == .intake || entry.kind == .erasure else { continue }
            try follower.withPayload(of: entry) { payload in
                do {
                    if entry.kind == .erasure {
                        found.add(Erasure.Order(try ErasureRecord(payload: payload)))
                    } else {
                        try visit(IntakeRecord(payload: payload), &found)
                    }
                } catch {
                    // Entering the record will say so; it erases nobody.
                }
            }
        }
        follower.reset()
        return found.orders
    }

    private struct Found {
        private(set) var orders: [Erasure.Order] = []
        private var known: Set<InstallationID> = []

        mutating func add(_ order: Erasure.Order) {
            if known.insert(order.installation).inserted { orders.append(order) }
        }
    }

    private func visit(_ record: IntakeRecord, _ found: inout Found) throws {
        // Another format has no word for it.
        guard record.header.format == .trackway else { return }
        try record.visit(
            limits: limits,
            event: { event in
                guard let scan = event.scan, case .proved(let erased) = Tombstone(event.json, scan) else { return }
                found.add(Erasure.Order(erased, record.header))
            }
        )
    }
}
