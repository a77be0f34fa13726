// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// Finds all erased installations before an index is built from the start of its source.
///
/// Events of an erased installation thus do not reappear while the rebuild has not reached the tombstone.
struct ErasureScan {
    let limits: AdmissionLimits
    /// The first erasure of each installation, in order of arrival.
    private(set) var orders: [DeletionRequest] = []
    private var known: Set<InstallationID> = []

    init(limits: AdmissionLimits) {
        self.limits = limits
    }

    /// Reads from the reader's position up to `limit`, or as far as records are available.
    ///
    /// - Complexity: O(bytes), inflating every batch; it happens only when an index begins.
    mutating func read(_ reader: inout some RecordReading, upTo limit: LogPosition) throws {
        while let entry = try reader.next(upTo: limit) {
            guard entry.kind == .intake || entry.kind == .erasure else { continue }
            try reader.withPayload(of: entry) { payload in
                do {
                    if entry.kind == .erasure {
                        add(DeletionRequest(try ErasureRecord(payload: payload)))
                    } else {
                        try visit(IntakeRecord(payload: payload))
                    }
                } catch {
                    // Indexing the record reports the error; here it erases nothing.
                }
            }
        }
    }

    private mutating func add(_ order: DeletionRequest) {
        if known.insert(order.installation).inserted { orders.append(order) }
    }

    private mutating func visit(_ record: IntakeRecord) throws {
        // Other formats have no tombstones. Almost no batch contains one, and batches without one need not be decoded.
        guard record.header.format == .trackway, try record.mayHaveTombstone(limits: limits) else { return }
        try record.visit(
            limits: limits,
            event: { event in
                guard let scan = event.scan, case .proved(let erased) = Tombstone(event.json, scan) else { return }
                add(DeletionRequest(erased, record.header))
            }
        )
    }
}
