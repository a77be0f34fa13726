// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Events of one writer on their way to a destination: what a destination encodes.
///
/// The events' bytes lie in one block, exactly as they were recorded. Slices share it.
public struct EventBatch: Sendable {
    /// The installation that recorded the events.
    public var installation: InstallationID
    /// The writer that recorded them.
    public var writer: WriterID
    /// The first sequence number the batch speaks for, gaps included.
    public var first: UInt64
    /// The last sequence number the batch speaks for, gaps included; `first - 1` when it speaks for none.
    public var last: UInt64
    /// The writer's highest sequence number known when the batch was read.
    public var recorded: UInt64
    /// The events, by ascending sequence number.
    public var records: [Record]
    /// The contexts the events were recorded in.
    public var contexts: [Context]
    /// Sequence numbers lost with a reason. May name numbers before ``first``.
    public var dropped: [DroppedRange]
    /// Sequence numbers addressed to other destinations only. May name numbers before ``first``.
    public var skipped: [ClosedRange<UInt64>]
    /// The block that ``Record/payload`` and ``Context/content`` point into.
    public var bytes: [UInt8]

    /// A batch of these parts, taken as they are.
    public init(
        installation: InstallationID,
        writer: WriterID,
        first: UInt64,
        last: UInt64,
        recorded: UInt64,
        records: [Record],
        contexts: [Context],
        dropped: [DroppedRange] = [],
        skipped: [ClosedRange<UInt64>] = [],
        bytes: [UInt8]
    ) {
        self.installation = installation
        self.writer = writer
        self.first = first
        self.last = last
        self.recorded = recorded
        self.records = records
        self.contexts = contexts
        self.dropped = dropped
        self.skipped = skipped
        self.bytes = bytes
    }

    /// True when there is no event in the batch; it may still speak for gaps.
    public var isEmpty: Bool { records.isEmpty }

    /// The context with a generation, if the batch holds it.
    ///
    /// - Complexity: O(number of contexts), which is nearly always one.
    public func context(_ generation: UInt32) -> Context? {
        contexts.last { $0.generation == generation }
    }
}
