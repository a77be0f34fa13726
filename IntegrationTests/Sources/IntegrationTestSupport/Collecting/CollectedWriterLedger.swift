// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The collector's event counts for one writer.
package struct CollectedWriterLedger: Sendable, Hashable {
    /// The writer's id.
    package var writer: String
    /// The highest sequence number that the writer reported.
    package var recorded: UInt64
    /// Events received, without duplicates.
    package var received: UInt64
    /// Events rejected individually.
    package var rejected: UInt64
    /// Events received more than once.
    package var duplicates: UInt64
    /// Events that the writer reported as dropped, by reason.
    package var dropped: [String: UInt64]
    /// Events addressed to other destinations.
    package var skipped: UInt64
    /// Sequence numbers that are unaccounted for.
    package var missing: UInt64

    init(_ value: JSONValue) throws {
        func count(_ key: String) -> UInt64 { UInt64(value[key]?.integer ?? 0) }
        guard let writer = value["writer"]?.string, let gaps = value["gaps"]?.array else {
            throw TestSupportError("not a ledger entry: \(String(decoding: value.json(), as: UTF8.self))")
        }
        self.writer = writer
        recorded = count("recorded")
        received = count("received")
        rejected = count("rejected")
        duplicates = count("duplicates")
        skipped = count("skipped")
        dropped = [:]
        for member in value["dropped"]?.object?.members ?? [] {
            dropped[member.key] = UInt64(member.value.integer ?? 0)
        }
        missing = gaps.reduce(0) { sum, gap in
            guard let ends = gap.array?.compactMap(\.integer), ends.count == 2 else { return sum }
            return sum + UInt64(ends[1] - ends[0] + 1)
        }
    }

    /// Events that the writer reported as dropped, for all reasons.
    package var droppedTotal: UInt64 { dropped.values.reduce(0, +) }

    /// Whether every event the writer recorded is accounted for.
    package var isBalanced: Bool {
        missing == 0 && recorded == received + rejected + droppedTotal + skipped
    }
}
