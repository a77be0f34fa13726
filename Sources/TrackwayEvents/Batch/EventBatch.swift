// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Events of one writer on their way to a destination: what a destination encodes.
///
/// The events' bytes lie in one block, exactly as they were recorded. Slices share it.
public struct EventBatch: Sendable {
    /// One event of the batch.
    public struct Record: Sendable, Hashable {
        /// Its sequence number in the writer's journal.
        public var sequence: UInt64
        /// The generation of the context it was recorded in.
        public var context: UInt32
        /// Where its canonical JSON lies in ``EventBatch/bytes``.
        public var payload: Range<Int>

        /// An event's place.
        public init(sequence: UInt64, context: UInt32, payload: Range<Int>) {
            self.sequence = sequence
            self.context = context
            self.payload = payload
        }
    }

    /// Facts that hold for many events: device, app, user.
    public struct Context: Sendable, Hashable {
        /// Which context of the writer this is; it grows by one with every change.
        public var generation: UInt32
        /// Where its JSON object lies in ``EventBatch/bytes``.
        public var content: Range<Int>

        /// A context's place.
        public init(generation: UInt32, content: Range<Int>) {
            self.generation = generation
            self.content = content
        }
    }

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

    /// Reads the event of a record.
    ///
    /// - Throws: `JSONError` when the record is no event.
    /// - Complexity: O(bytes of the record).
    package func event(_ record: Record) throws(JSONError) -> Event {
        try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> Event in
            try Event(json: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[record.payload]))
        }
    }

    /// Reads the context with a generation; nil when the batch does not hold it, or it is damaged: then the events are worth
    /// more than what they share.
    ///
    /// - Complexity: O(bytes of the context).
    package func recordedContext(_ generation: UInt32) -> RecordedContext? {
        guard let content = context(generation)?.content else { return nil }
        return bytes.withUnsafeBytes { bytes in
            // Damage is told by nil.
            try? RecordedContext(json: UnsafeRawBufferPointer(rebasing: bytes[content]))
        }
    }

    /// The part of the batch that holds these of its records.
    ///
    /// Slices of neighbouring ranges speak for neighbouring sequence numbers, so cutting a batch anywhere loses no gap:
    /// a slice speaks for everything after the record before it up to its own last record; the slice that ends with the
    /// last record also for the gaps behind it. A slice of no records speaks for nothing, unless the batch holds none. The bytes are shared, not copied. A range beyond the records is clamped.
    ///
    /// - Complexity: O(length of the slice + number of gaps).
    public func slice(_ range: Range<Int>) -> EventBatch {
        let range = range.clamped(to: records.indices)
        var part = self
        part.records = Array(records[range])
        part.first = range.lowerBound == 0 ? first : records[range.lowerBound - 1].sequence &+ 1
        if range.isEmpty, !records.isEmpty {
            part.last = part.first &- 1
        } else {
            part.last = range.upperBound == records.count ? last : records[range.upperBound - 1].sequence
        }
        let upper = part.last
        // Losses from before the batch are told once, by the slice that begins where the batch begins.
        let lower = range.lowerBound == 0 ? 0 : part.first
        guard part.first <= upper else {
            part.dropped = []
            part.skipped = []
            return part
        }
        part.dropped = dropped.compactMap { gap in
            Self.clip(gap.sequences, lower, upper).map { DroppedRange(sequences: $0, reason: gap.reason) }
        }
        part.skipped = skipped.compactMap { Self.clip($0, lower, upper) }
        return part
    }

    private static func clip(_ gap: ClosedRange<UInt64>, _ lower: UInt64, _ upper: UInt64) -> ClosedRange<UInt64>? {
        let low = max(gap.lowerBound, lower)
        let high = min(gap.upperBound, upper)
        return low <= high ? low...high : nil
    }
}
