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

    /// The installations the log erases up to `limit`.
    ///
    /// - Complexity: O(log), inflating every batch; it happens only when an index begins.
    func installations(_ follower: inout LogFollower, upTo limit: LogPosition) throws -> Set<InstallationID> {
        var found: Set<InstallationID> = []
        follower.reset()
        follower.align(to: .start)
        while let entry = try follower.next(upTo: limit) {
            guard entry.kind == .intake else { continue }
            try follower.withPayload(of: entry) { payload in
                do {
                    try visit(IntakeRecord(payload: payload), &found)
                } catch {
                    // Entering the record will say so; it erases nobody.
                }
            }
        }
        follower.reset()
        return found
    }

    private func visit(_ record: IntakeRecord, _ found: inout Set<InstallationID>) throws {
        var sender: InstallationID?
        try record.visit(
            limits: limits,
            header: { sender = $0.installation },
            event: { event in
                guard let scan = event.scan,
                    let erased = Tombstone.installation(event.json, scan, sender: sender)
                else { return }
                found.insert(erased)
            }
        )
    }
}
