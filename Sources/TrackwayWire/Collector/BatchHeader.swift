// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// The first line of a batch in our own format: whose events follow, and what became of the numbers between them.
///
/// Simple clients may leave out everything, even the line itself; then their events have no sequence numbers.
public struct BatchHeader: Sendable, Hashable {
    /// Names the batch; the same batch sent twice has the same name. At most 128 bytes.
    public var id: String?
    /// The installation that recorded the events.
    public var installation: InstallationID?
    /// The writer that recorded them.
    public var writer: WriterID?
    /// The first sequence number the batch speaks for.
    public var first: UInt64?
    /// The last sequence number the batch speaks for; `first - 1` when it speaks for none.
    public var last: UInt64?
    /// The writer's highest sequence number when the batch was made.
    public var recorded: UInt64?
    /// When the batch was sent, on the device's wall clock.
    public var sent: Timestamp?
    /// What made the batch, such as `trackway/0.1.0`.
    public var sdk: String?
    /// Numbers lost with a reason; may lie before `first`.
    public var dropped: [DroppedRange]
    /// Numbers addressed to other destinations only; may lie before `first`.
    public var skipped: [ClosedRange<UInt64>]

    /// Makes a header.
    public init(
        id: String? = nil,
        installation: InstallationID? = nil,
        writer: WriterID? = nil,
        first: UInt64? = nil,
        last: UInt64? = nil,
        recorded: UInt64? = nil,
        sent: Timestamp? = nil,
        sdk: String? = nil,
        dropped: [DroppedRange] = [],
        skipped: [ClosedRange<UInt64>] = []
    ) {
        self.id = id
        self.installation = installation
        self.writer = writer
        self.first = first
        self.last = last
        self.recorded = recorded
        self.sent = sent
        self.sdk = sdk
        self.dropped = dropped
        self.skipped = skipped
    }

    /// The sequence numbers of the events that follow, in order; nil when the header names no range.
    ///
    /// - Complexity: O(n log n) in the number of gaps.
    public var sequences: BatchSequences? {
        guard let first, let last else { return nil }
        return BatchSequences(first: first, last: last, without: dropped.map(\.sequences) + skipped)
    }
}
