// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Events of one writer, as the input of a destination's encoder.
///
/// The events' bytes are in one block, exactly as they were recorded. Slices share the block.
public struct EventBatch: Sendable {
    /// One event of the batch.
    public struct Record: Sendable, Hashable {
        /// The event's sequence number in the writer's journal.
        public var sequence: UInt64
        /// The generation of the context in which the event was recorded.
        public var context: UInt32
        /// The range of the event's canonical JSON in ``EventBatch/bytes``.
        public var payload: Range<Int>

        /// Creates a record.
        public init(sequence: UInt64, context: UInt32, payload: Range<Int>) {
            self.sequence = sequence
            self.context = context
            self.payload = payload
        }
    }

    /// Data shared by many events: device, app, user.
    public struct Context: Sendable, Hashable {
        /// The number of this context among the writer's contexts.
        ///
        /// Each change of the context increments the number by one.
        public var generation: UInt32
        /// The range of the context's JSON object in ``EventBatch/bytes``.
        public var content: Range<Int>

        /// Creates a context.
        public init(generation: UInt32, content: Range<Int>) {
            self.generation = generation
            self.content = content
        }
    }

    /// The installation that recorded the events.
    public var installation: InstallationID
    /// The writer that recorded the events.
    public var writer: WriterID
    /// The first sequence number that the batch covers, including gaps.
    public var first: UInt64
    /// The last sequence number that the batch covers, including gaps.
    ///
    /// The value is `first - 1` if the batch covers none.
    public var last: UInt64
    /// The highest sequence number of the writer when the batch was read.
    public var recorded: UInt64
    /// The events, in ascending order of their sequence numbers.
    public var records: [Record]
    /// The contexts in which the events were recorded.
    public var contexts: [Context]
    /// Sequence numbers lost with a reason.
    ///
    /// May contain numbers before ``first``.
    public var dropped: [DroppedRange]
    /// Sequence numbers of events for other destinations only.
    ///
    /// May contain numbers before ``first``.
    public var skipped: [ClosedRange<UInt64>]
    /// The block that ``Record/payload`` and ``Context/content`` refer to.
    public var bytes: [UInt8]

    /// Creates a batch without checking its parts.
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

    /// Whether the batch contains no event.
    ///
    /// It may still cover gaps.
    public var isEmpty: Bool { records.isEmpty }

    /// Returns the context with a generation, if the batch contains it.
    ///
    /// - Complexity: O(number of contexts), which is nearly always one.
    public func context(_ generation: UInt32) -> Context? {
        contexts.last { $0.generation == generation }
    }

    /// Reads the event of a record.
    ///
    /// - Throws: `JSONError` if the record is not an event.
    /// - Complexity: O(bytes of the record).
    package func event(_ record: Record) throws(JSONError) -> Event {
        try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> Event in
            try Event(json: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[record.payload]))
        }
    }

    /// Reads the context with a generation.
    ///
    /// Returns nil if the batch does not contain the context, or if the context is damaged: the events are then
    /// delivered without it, because they matter more than their shared data.
    ///
    /// - Complexity: O(bytes of the context).
    package func recordedContext(_ generation: UInt32) -> RecordedContext? {
        guard let content = context(generation)?.content else { return nil }
        return bytes.withUnsafeBytes { bytes in
            // A damaged context results in nil.
            try? RecordedContext(json: UnsafeRawBufferPointer(rebasing: bytes[content]))
        }
    }

    /// Returns the part of the batch with a range of its records.
    ///
    /// A slice covers the sequence numbers after the preceding record, up to its own last record. The slice with the
    /// last record also covers the gaps after it. Therefore, slices of adjacent ranges cover adjacent sequence numbers,
    /// and splitting a batch at any point loses no gap. A slice without records covers nothing, unless the batch has no
    /// records. The bytes are shared, not copied. A range beyond the records is clamped.
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
        // Losses from before the batch are reported once, by the slice that begins at the start of the batch.
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
