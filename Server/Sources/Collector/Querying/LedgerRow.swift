// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What the collector knows about one writer's sequence numbers: every number is received, dropped with a reason, or
/// missing.
public struct LedgerRow: Sendable, Hashable {
    /// The installed copy of the app.
    public var installation: InstallationID
    /// The process that recorded the events.
    public var writer: WriterID
    /// The writer's highest sequence number that any batch has reported.
    public var recorded: UInt64
    /// Distinct events stored.
    public var received: UInt64
    /// Events refused by admission, kept among the failed ones.
    public var rejected: UInt64
    /// Events that arrived again and were not counted twice.
    public var duplicates: UInt64
    /// Events the device gave up, by reason.
    public var dropped: [String: UInt64]
    /// Events addressed to other destinations only.
    public var skipped: UInt64
    /// Sequence numbers of which is not known what became: the account has more ranges than are kept.
    public var untracked: UInt64
    /// Sequence numbers neither received nor reported yet, up to ``recorded``; the first few when there are very many.
    public var gaps: [ClosedRange<UInt64>]
    /// How many ranges the row was reckoned from.
    public var ranges: Int
    /// When the writer's last batch arrived.
    public var lastReceived: Timestamp
    /// A number in the order of the writers' first batches, by which a reader goes on. It is that of the store which answered.
    public var number: Int64

    /// A row with all its counts.
    public init(
        installation: InstallationID,
        writer: WriterID,
        recorded: UInt64,
        received: UInt64,
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
    /// The row of an account, reckoned.
    ///
    /// - Complexity: O(ranges of the account × log).
    public init(
        installation: InstallationID,
        writer: WriterID,
        _ account: Account,
        duplicates: UInt64,
        lastReceived: Timestamp,
        number: Int64
    ) {
        let reckoning = account.reckoning()
        self.init(
            installation: installation,
            writer: writer,
            recorded: account.recorded,
            received: reckoning.received,
            rejected: reckoning.rejected,
            duplicates: duplicates,
            dropped: reckoning.dropped,
            skipped: reckoning.skipped,
            untracked: reckoning.untracked,
            gaps: reckoning.gaps,
            ranges: account.rangeCount,
            lastReceived: lastReceived,
            number: number
        )
    }
}

/// Which writers' accounts are asked for.
public struct LedgerQuery: Sendable, Hashable {
    /// Those of this installation.
    public var installation: InstallationID?
    /// The number of the last one already seen; the answer goes on behind it.
    public var after: Int64?
    /// The most accounts in one answer.
    public var limit: Int

    /// A query for all accounts, the newest writer first.
    public init(installation: InstallationID? = nil, after: Int64? = nil, limit: Int = 1_000) {
        self.installation = installation
        self.after = after
        self.limit = limit
    }
}

extension LedgerRow: BudgetedRow {
    /// With what reading the row costs: 4 bytes for each range, so that an answer is made of a million of them at most.
    public var answerBytes: Int {
        320 + 24 * gaps.count + dropped.reduce(0) { $0 + 48 + $1.key.utf8.count } + Self.rangeBytes * ranges
    }

    /// What a range that is read counts for, in bytes of an answer.
    static let rangeBytes = 4

    /// The most ranges that the rows of one answer are made of, but for its last row.
    public static let maxRanges = AnswerBudget.bytes / rangeBytes

    /// Whether every number the writer has reported is accounted for.
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
