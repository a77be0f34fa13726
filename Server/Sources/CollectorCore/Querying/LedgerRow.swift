// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The account of one writer's sequence numbers.
///
/// Every number is received, expired, rejected, dropped with a reason, skipped, untracked, or missing.
public struct LedgerRow: Sendable, Hashable {
    /// The installed copy of the app.
    public var installation: InstallationID
    /// The process that recorded the events.
    public var writer: WriterID
    /// The writer's highest sequence number reported by any batch.
    public var recorded: UInt64
    /// The number of distinct stored events.
    public var received: UInt64
    /// The number of distinct stored events that were removed because of their age.
    public var expired: UInt64
    /// The number of events rejected by admission.
    ///
    /// Rejected events are kept as failed events.
    public var rejected: UInt64
    /// The number of duplicates, which are not counted as received.
    public var duplicates: UInt64
    /// The number of events the device dropped, by reason.
    public var dropped: [String: UInt64]
    /// The number of events addressed only to other destinations.
    public var skipped: UInt64
    /// The number of sequence numbers with an unknown outcome.
    ///
    /// Outcomes are unknown when the account has more ranges than are kept.
    public var untracked: UInt64
    /// The unaccounted-for ranges of sequence numbers up to ``recorded``.
    ///
    /// These numbers are neither received nor reported. Only the first ranges are listed when there are very many.
    public var gaps: [ClosedRange<UInt64>]
    /// The number of ranges from which the row was computed.
    public var ranges: Int
    /// When the writer's last batch arrived.
    public var lastReceived: Timestamp
    /// The page cursor: the writer's number.
    ///
    /// Writers are numbered in order of their first batches.
    ///
    /// The number is specific to the store that returned the row.
    public var number: Int64

    /// Creates a row with all its counts.
    public init(
        installation: InstallationID,
        writer: WriterID,
        recorded: UInt64,
        received: UInt64,
        expired: UInt64 = 0,
        rejected: UInt64 = 0,
        duplicates: UInt64 = 0,
        dropped: [String: UInt64] = [:],
        skipped: UInt64 = 0,
        untracked: UInt64 = 0,
        gaps: [ClosedRange<UInt64>] = [],
        ranges: Int = 0,
        lastReceived: Timestamp,
        number: Int64 = 0
    ) {
        self.installation = installation
        self.writer = writer
        self.recorded = recorded
        self.received = received
        self.expired = expired
        self.rejected = rejected
        self.duplicates = duplicates
        self.dropped = dropped
        self.skipped = skipped
        self.untracked = untracked
        self.gaps = gaps
        self.ranges = ranges
        self.lastReceived = lastReceived
        self.number = number
    }
}

extension LedgerRow {
    /// Creates a row by computing the counts of an account.
    ///
    /// - Complexity: O(ranges of the account × log ranges).
    public init(
        installation: InstallationID,
        writer: WriterID,
        _ account: WriterAccount,
        duplicates: UInt64,
        lastReceived: Timestamp,
        number: Int64
    ) {
        let totals = account.totals()
        self.init(
            installation: installation,
            writer: writer,
            recorded: account.recorded,
            received: totals.received,
            expired: totals.expired,
            rejected: totals.rejected,
            duplicates: duplicates,
            dropped: totals.dropped,
            skipped: totals.skipped,
            untracked: totals.untracked,
            gaps: totals.gaps,
            ranges: account.rangeCount,
            lastReceived: lastReceived,
            number: number
        )
    }
}

/// A query for writers' accounts.
public struct LedgerQuery: Sendable, Hashable {
    /// Only writers of this installation.
    public var installation: InstallationID?
    /// The number of the writer after which the results continue.
    public var after: Int64?
    /// The maximum number of accounts in one response.
    public var limit: Int

    /// Creates a query for all accounts, newest writer first.
    public init(installation: InstallationID? = nil, after: Int64? = nil, limit: Int = 1_000) {
        self.installation = installation
        self.after = after
        self.limit = limit
    }
}

extension LedgerRow: BudgetedRow {
    /// The size of the row, plus the cost of reading its ranges.
    ///
    /// Each range counts as 4 bytes, so a response is computed from at most a million ranges.
    public var responseBytes: Int {
        320 + 24 * gaps.count + dropped.reduce(0) { $0 + 48 + $1.key.utf8.count } + Self.rangeBytes * ranges
    }

    /// The cost of reading a range, expressed in response bytes.
    static let rangeBytes = 4

    /// The maximum number of ranges in one response.
    ///
    /// The last row of a response may exceed this limit.
    public static let maxRanges = ResponseBudget.bytes / rangeBytes

    /// Whether every sequence number that the writer reported is accounted for.
    public var isComplete: Bool { gaps.isEmpty && untracked == 0 }

    /// Writes the row.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("installation", installation)
        writer.member("writer", self.writer)
        for (key, value) in [
            ("recorded", recorded), ("received", received), ("rejected", rejected), ("duplicates", duplicates),
        ] {
            writer.member(key, value)
        }
        if expired > 0 { writer.member("expired", expired) }
        writer.object("dropped") { writer in
            for (reason, count) in dropped.sorted(by: { $0.key < $1.key }) { writer.member(reason, count) }
        }
        writer.member("skipped", skipped)
        if untracked > 0 { writer.member("untracked", untracked) }
        writer.list("gaps", gaps) { gap, writer in
            writer.beginArray()
            writer.element()
            writer.integer(gap.lowerBound)
            writer.element()
            writer.integer(gap.upperBound)
            writer.endArray()
        }
        writer.member("last_received", lastReceived)
        writer.member("complete", isComplete)
        writer.endObject()
    }
}
