// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway

/// What became of the events of one `trackway send`.
struct SendTally: Sendable, Hashable {
    /// Events that lie in the journal.
    var recorded: UInt64 = 0
    /// Events that could not be recorded.
    var refused: UInt64 = 0
    /// Events the collector has.
    var delivered: UInt64 = 0
    /// Events the collector refused, or that were given up.
    var dropped: UInt64 = 0
    /// Events that still wait.
    var pending: UInt64 = 0
    /// What stands in the way of those that wait.
    var obstacle: String?

    /// Whether the collector does not know the key.
    var isUnauthorized = false

    /// Counts a receipt.
    mutating func count(_ receipt: Receipt) {
        if receipt.dropped == nil { recorded += 1 } else { refused += 1 }
    }

    /// Takes over what a flush found standing in the way.
    mutating func count(_ report: FlushReport) {
        pending = 0
        obstacle = nil
        isUnauthorized = false
        for part in report.destinations.values {
            pending += part.pending
            obstacle = obstacle ?? part.obstacle
            if case .unauthorized = part.lastVerdict, part.pending > 0 { isUnauthorized = true }
        }
    }

    /// Takes over what the ledger says has become of events since it looked like `before`.
    mutating func count(_ ledger: Ledger, since before: Ledger) {
        func sum(_ ledger: Ledger, _ count: (Ledger.Account) -> UInt64) -> UInt64 {
            ledger.destinations.values.reduce(0) { $0 + count($1) }
        }
        // The ledger only grows; a reading that failed may show an older one.
        delivered = sum(ledger, \.delivered) - min(sum(ledger, \.delivered), sum(before, \.delivered))
        dropped = sum(ledger, \.droppedTotal) - min(sum(ledger, \.droppedTotal), sum(before, \.droppedTotal))
    }

    /// The tally in words.
    var text: String {
        var parts = ["\(recorded.grouped) recorded", "\(delivered.grouped) delivered"]
        if pending > 0 { parts.append("\(pending.grouped) waiting") }
        if dropped > 0 { parts.append("\(dropped.grouped) refused by the collector or given up") }
        if refused > 0 { parts.append("\(refused.grouped) not recorded") }
        return parts.joined(separator: ", ")
    }
}
