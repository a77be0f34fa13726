// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Totals over the accounts of many writers.
public struct LedgerSummary: Sendable, Hashable {
    /// The maximum number of writers in the totals.
    ///
    /// The writers whose first batch arrived most recently are included.
    public static let maxWriters = 5_000
    /// The maximum number of reasons counted separately.
    ///
    /// Drops for further reasons count as ``otherReasons``.
    public static let maxReasons = 64
    /// The name for all reasons that are not counted separately.
    public static let otherReasons = "other"
    /// The maximum total size of the accounts to read.
    ///
    /// The size corresponds to about four million ranges.
    private static let maxBytes = 4 * ResponseBudget.bytes

    /// The number of writers.
    public var writers = 0
    /// The number of writers included in the totals.
    public var counted = 0
    /// The number of counted writers without missing, pending or untracked events.
    public var complete = 0
    /// The number of recorded events, as reported by the writers.
    public var recorded: UInt64 = 0
    /// The number of distinct stored events.
    public var received: UInt64 = 0
    /// The number of distinct stored events that were removed because of their age.
    public var expired: UInt64 = 0
    /// The number of unaccounted-for sequence numbers that do not end an account.
    public var missing: UInt64 = 0
    /// The number of sequence numbers whose events are still pending.
    ///
    /// These are the unaccounted-for numbers at the end of each account.
    public var waiting: UInt64 = 0
    /// The number of sequence numbers with an unknown outcome.
    public var untracked: UInt64 = 0
    /// The number of events rejected by admission.
    public var rejected: UInt64 = 0
    /// The number of duplicates.
    public var duplicates: UInt64 = 0
    /// The number of events that devices dropped, by reason.
    public var dropped: [String: UInt64] = [:]
    /// The accounts with the most missing events, worst first.
    public private(set) var worst: [LedgerRow] = []
    private let maxWorst: Int
    private var worstMissing: [UInt64] = []

    /// Creates an empty summary for a number of writers.
    ///
    /// - Parameter worst: the maximum number of accounts with missing events to keep.
    public init(writers: Int, worst: Int = 0) {
        self.writers = writers
        maxWorst = worst
    }

    /// Returns the totals of the newest writers' accounts.
    ///
    /// The totals include ``counted`` of the ``writers``; the other writers exceed the limit on writers or on the size
    /// of accounts.
    ///
    /// - Complexity: O(ranges × log ranges) for at most ``maxWriters`` writers and about four million ranges.
    public static func newest(
        of store: any EventStore,
        worst: Int = 0
    ) async throws(StoreError) -> LedgerSummary {
        var summary = LedgerSummary(writers: try await store.writers(installation: nil), worst: worst)
        var after: Int64?
        var bytes = 0
        repeat {
            let wanted = LedgerQuery(after: after, limit: min(1_000, maxWriters - summary.counted))
            let rows = try await store.ledger(matching: wanted)
            for row in rows {
                summary.add(row)
                bytes += row.responseBytes
            }
            after = rows.isFull(limit: wanted.limit) ? rows.last?.number : nil
        } while after != nil && summary.counted < maxWriters && bytes < maxBytes && !Task.isCancelled
        return summary
    }

    /// Adds an account.
    public mutating func add(_ row: LedgerRow) {
        counted += 1
        if row.isComplete { complete += 1 }
        var missingHere: UInt64 = 0
        for gap in row.gaps {
            let length = Self.sum(gap.upperBound - gap.lowerBound, 1)
            if gap.upperBound == row.recorded {
                waiting = Self.sum(waiting, length)
            } else {
                missingHere = Self.sum(missingHere, length)
            }
        }
        missing = Self.sum(missing, missingHere)
        if missingHere > 0 { keep(row, missing: missingHere) }
        recorded = Self.sum(recorded, row.recorded)
        received = Self.sum(received, row.received)
        expired = Self.sum(expired, row.expired)
        rejected = Self.sum(rejected, row.rejected)
        duplicates = Self.sum(duplicates, row.duplicates)
        untracked = Self.sum(untracked, row.untracked)
        for (reason, count) in row.dropped.sorted(by: { $0.key < $1.key }) {
            let known = dropped[reason] != nil || dropped.count < Self.maxReasons ? reason : Self.otherReasons
            dropped[known] = Self.sum(dropped[known] ?? 0, count)
        }
    }

    private mutating func keep(_ row: LedgerRow, missing: UInt64) {
        // Accounts with equal numbers of missing events stay in the order in which they were added.
        let place = worstMissing.firstIndex { $0 < missing } ?? worstMissing.count
        guard place < maxWorst else { return }
        worst.insert(row, at: place)
        worstMissing.insert(missing, at: place)
        guard worst.count > maxWorst else { return }
        worst.removeLast()
        worstMissing.removeLast()
    }

    /// Returns the sum, saturating on overflow, because senders can report any number.
    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? .max : sum
    }

    /// Writes the totals, and the worst accounts if any are kept.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("writers", Int64(writers))
        writer.member("counted", Int64(counted))
        writer.member("complete", Int64(complete))
        for (key, value) in [
            ("recorded", recorded), ("received", received), ("missing", missing), ("waiting", waiting),
            ("rejected", rejected), ("duplicates", duplicates),
        ] {
            writer.member(key, value)
        }
        if untracked > 0 { writer.member("untracked", untracked) }
        if expired > 0 { writer.member("expired", expired) }
        writer.object("dropped") { writer in
            for (reason, count) in dropped.sorted(by: { $0.key < $1.key }) { writer.member(reason, count) }
        }
        if maxWorst > 0 { writer.list("worst", worst) { $0.write(to: &$1) } }
        writer.endObject()
    }
}
