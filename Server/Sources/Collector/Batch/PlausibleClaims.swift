// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
package import TrackwayWire

/// What a batch may claim about sequence numbers. A writer is one process of one app: it never gets near the bound, and
/// below it every sum of the ledger stays far from the largest number.
package enum PlausibleClaims {
    /// The highest sequence number: 2⁴⁰, a thousand events a second for 34 years.
    package static let lastSequence: UInt64 = 1 << 40

    /// The member of a header that claims more; nil when none does.
    ///
    /// - Complexity: O(ranges).
    package static func excess(of header: BatchHeader) -> (field: String, value: UInt64)? {
        let claims: [(String, UInt64)] =
            [("first", header.first ?? 0), ("last", header.last ?? 0), ("recorded", header.recorded ?? 0)]
            + header.dropped.map { ("dropped", $0.sequences.upperBound) }
            + header.skipped.map { ("skipped", $0.upperBound) }
        return claims.first { $0.1 > lastSequence }.map { (field: $0.0, value: $0.1) }
    }
}
