// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// Finds every erased installation before an index is made from the beginning of what there is, so that an erased installation's
/// events do not come back even while the rebuild has not reached the tombstone yet.
struct TombstoneScan {
    let limits: AdmissionLimits
    /// The erasures in what was read, each installation's first, in the order they came.
    private(set) var orders: [ErasureOrder] = []
    private var known: Set<InstallationID> = []

    init(limits: AdmissionLimits) {
        self.limits = limits
    }

    /// Reads on, from where the reader stands up to `limit` or as far as there is something to read.
    ///
    /// - Complexity: O(bytes), inflating every batch; it happens only when an index begins.
    mutating func read(_ reader: inout some RecordReading, upTo limit: LogPosition) throws {
        while let entry = try reader.next(upTo: limit) {
            guard entry.kind == .intake || entry.kind == .erasure else { continue }
            try reader.withPayload(of: entry) { payload in
                do {
                    if entry.kind == .erasure {
                        add(ErasureOrder(try ErasureRecord(payload: payload)))
                    } else {
                        try visit(IntakeRecord(payload: payload))
                    }
                } catch {
                    // Indexing the record reports that; it erases nothing here.
                }
            }
        }
    }

    private mutating func add(_ order: ErasureOrder) {
        if known.insert(order.installation).inserted { orders.append(order) }
    }

    private mutating func visit(_ record: IntakeRecord) throws {
        // Another format has no word for it. Nearly no batch has one, and those need not be taken apart.
        guard record.header.format == .trackway, try record.mayHaveTombstone(limits: limits) else { return }
        try record.visit(
            limits: limits,
            event: { event in
                guard let scan = event.scan, case .proved(let erased) = Tombstone(event.json, scan) else { return }
                add(ErasureOrder(erased, record.header))
            }
        )
    }
}
