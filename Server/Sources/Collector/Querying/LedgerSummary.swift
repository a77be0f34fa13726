// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Totals of the accounts of many writers.
public struct LedgerSummary: Sendable, Hashable {
    /// The maximum number of writers in the totals.
    ///
    /// These are the writers whose first batch arrived last.
    public static let maxWriters = 5_000
    /// The maximum number of reasons counted separately.
    ///
    /// Drops for further reasons count as ``otherReasons``.
    public static let maxReasons = 64
    /// The name for all reasons that are not counted separately.
    public static let otherReasons = "other"
    /// The maximum bytes of accounts to read: about four million ranges.
    private static let maxBytes = 4 * ResponseBudget.bytes

    /// The number of writers.
    public var writers = 0
    /// The number of writers included in the totals.
    public var counted = 0
    /// The number of those writers without missing or pending events.
    public var complete = 0
    /// The number of events they recorded, as far as reported.
    public var recorded: UInt64 = 0
    /// The number of distinct stored events.
    public var received: UInt64 = 0
    /// The number of unaccounted sequence numbers followed by received ones.
    public var missing: UInt64 = 0
    /// The number of sequence numbers that have not arrived yet.
    ///
    /// They are at the end of accounts.
    public var waiting: UInt64 = 0
    /// The number of sequence numbers with an unknown outcome.
    public var untracked: UInt64 = 0
    /// The number of events rejected by admission.
    public var rejected: UInt64 = 0
    /// The number of duplicates.
    public var duplicates: UInt64 = 0
    /// The number of events that devices dropped, by reason.
    public var dropped: [String: UInt64] = [:]
    /// The accounts with the most missing events, the worst first.
    public private(set) var worst: [LedgerRow] = []
    private let maxWorst: Int
    private var worstMissing: [UInt64] = []

    /// Creates an empty summary for a number of writers.
    ///
    /// - Parameter worst: the number of accounts with missing events to keep.
    public init(writers: Int, worst: Int = 0) {
        self.writers = writers
        maxWorst = worst
    }

    /// Returns the totals of the newest writers' accounts.
    ///
    /// They include ``counted`` of ``writers``: the others exceed the limit on writers or on the size of accounts.
    ///
    /// - Complexity: O(ranges × log) for at most ``maxWriters`` writers and about four million ranges.
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
                bytes += row.answerBytes
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
        rejected = Self.sum(rejected, row.rejected)
        duplicates = Self.sum(duplicates, row.duplicates)
        untracked = Self.sum(untracked, row.untracked)
        for (reason, count) in row.dropped.sorted(by: { $0.key < $1.key }) {
            let known = dropped[reason] != nil || dropped.count < Self.maxReasons ? reason : Self.otherReasons
            dropped[known] = Self.sum(dropped[known] ?? 0, count)
        }
    }

    private mutating func keep(_ row: LedgerRow, missing: UInt64) {
        // Of two accounts with equally many missing events, the first one stays in front.
        let place = worstMissing.firstIndex { $0 < missing } ?? worstMissing.count
        guard place < maxWorst else { return }
        worst.insert(row, at: place)
        worstMissing.insert(missing, at: place)
        guard worst.count > maxWorst else { return }
        worst.removeLast()
        worstMissing.removeLast()
    }

    /// Adds with saturation: senders can claim any number.
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
        writer.object("dropped") { writer in
            for (reason, count) in dropped.sorted(by: { $0.key < $1.key }) { writer.member(reason, count) }
        }
        if maxWorst > 0 { writer.list("worst", worst) { $0.write(to: &$1) } }
        writer.endObject()
    }
}
