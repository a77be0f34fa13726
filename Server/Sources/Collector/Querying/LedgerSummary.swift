// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// The accounts of many writers in numbers.
public struct LedgerSummary: Sendable, Hashable {
    /// The most writers that are added up: those whose first batch came last.
    public static let maxWriters = 5_000
    /// The most reasons that are counted separately; drops for further reasons are counted as ``otherReasons``.
    public static let maxReasons = 64
    /// The name of all reasons that are not counted separately.
    public static let otherReasons = "other"
    /// Writers are added up until so much was read of their accounts: some four million ranges.
    private static let maxBytes = 4 * AnswerBudget.bytes

    /// How many writers there are.
    public var writers = 0
    /// How many of them are added up here.
    public var counted = 0
    /// Those of them of which nothing is missing or on its way.
    public var complete = 0
    /// What they have recorded, as far as they told.
    public var recorded: UInt64 = 0
    /// Distinct events stored.
    public var received: UInt64 = 0
    /// Numbers that nobody accounts for, with later ones received.
    public var missing: UInt64 = 0
    /// Numbers at the end of an account that have not arrived yet.
    public var waiting: UInt64 = 0
    /// Numbers of which is not known what became.
    public var untracked: UInt64 = 0
    /// Events refused by admission.
    public var rejected: UInt64 = 0
    /// Events that arrived again.
    public var duplicates: UInt64 = 0
    /// Events that devices gave up, by reason.
    public var dropped: [String: UInt64] = [:]
    /// The accounts of which most is missing, the worst first.
    public private(set) var worst: [LedgerRow] = []
    private let maxWorst: Int
    private var worstMissing: [UInt64] = []

    /// A summary of nothing, of so many writers.
    ///
    /// - Parameter worst: how many accounts of which something is missing are kept.
    public init(writers: Int, worst: Int = 0) {
        self.writers = writers
        maxWorst = worst
    }

    /// The accounts of the newest writers as one. ``counted`` of ``writers`` are in it: the rest are too many, or their accounts too long.
    ///
    /// - Complexity: O(ranges × log) of ``maxWriters`` writers at most, and of some four million ranges.
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
        // Of two of which as much is missing the one that came first stays before.
        let place = worstMissing.firstIndex { $0 < missing } ?? worstMissing.count
        guard place < maxWorst else { return }
        worst.insert(row, at: place)
        worstMissing.insert(missing, at: place)
        guard worst.count > maxWorst else { return }
        worst.removeLast()
        worstMissing.removeLast()
    }

    /// What senders claim may be any number.
    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? .max : sum
    }

    /// Writes the numbers, and the worst accounts if any were to be kept.
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
