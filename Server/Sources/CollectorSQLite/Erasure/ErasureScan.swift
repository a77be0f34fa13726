// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

/// Finds all erased installations before an index is built from the start of its source.
///
/// Events of an erased installation therefore do not reappear before the rebuild reaches the tombstone.
struct ErasureScan {
    let limits: AdmissionLimits
    /// The first erasure of each installation, in order of arrival.
    private(set) var orders: [DeletionRequest] = []
    /// The complete erasures of users.
    ///
    /// Events of such a user do not reappear either. An incomplete erasure takes effect at its own position, because
    /// the sign-ins before it determine what is removed.
    private(set) var users: [UserErasureRecord] = []
    private var known: Set<InstallationID> = []

    init(limits: AdmissionLimits) {
        self.limits = limits
    }

    /// Reads from the reader's position up to `limit` or the last available record.
    ///
    /// - Complexity: O(bytes), because every batch is inflated. Runs only before an index is built from the start.
    mutating func read(_ reader: inout some RecordReading, upTo limit: LogPosition) throws {
        while let entry = try reader.next(upTo: limit) {
            guard [.intake, .erasure, .userErasure].contains(entry.kind) else { continue }
            try reader.withPayload(of: entry) { payload in
                do {
                    if entry.kind == .userErasure {
                        let record = try UserErasureRecord(payload: payload)
                        if record.user == nil { users.append(record) }
                    } else if entry.kind == .erasure {
                        add(DeletionRequest(try ErasureRecord(payload: payload)))
                    } else {
                        try visit(IntakeRecord(payload: payload))
                    }
                } catch {
                    // The error is reported when the record is indexed; here, the record erases nothing.
                }
            }
        }
    }

    private mutating func add(_ order: DeletionRequest) {
        if known.insert(order.installation).inserted { orders.append(order) }
    }

    private mutating func visit(_ record: IntakeRecord) throws {
        // Other formats have no tombstones. Almost no batch contains a tombstone, and a batch without one does not need
        // to be decoded.
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
