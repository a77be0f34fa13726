// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// What is known of an event's way from the device to the index. What nobody told is absent, and said to be.
public struct EventLife: Sendable {
    /// The batch that brought it, as the intake log keeps it.
    public struct Batch: Sendable, Hashable {
        /// What the sender said of it; nil for a sender that gives no header.
        public var header: BatchHeader?
        /// When it arrived, by the collector's clock.
        public var received: Timestamp
        /// The name of the key it came with.
        public var key: String
        /// The format it was sent in.
        public var format: IntakeFormat
        /// How it was compressed.
        public var encoding: ContentEncoding
        /// How many events it had, refused ones included.
        public var events: Int
        /// How many of them were refused.
        public var rejected: Int
        /// Bytes of its body as the log keeps it.
        public var bytes: Int
        /// Whether the event had a time of its own: the index gives one that has none that of its arrival.
        public var tellsTime: Bool
    }

    /// The event.
    public var event: StoredEvent
    /// The batch that brought it; nil when the log does not keep it any more.
    public var batch: Batch?
    /// How far the index is.
    public var indexed: EventPosition
    /// How safe it is: `disk` or `memory`.
    public var durability: String

    /// A life.
    public init(event: StoredEvent, batch: Batch?, indexed: EventPosition, durability: String) {
        self.event = event
        self.batch = batch
        self.indexed = indexed
        self.durability = durability
    }
}

extension EventLife.Batch {
    /// Reads what the log keeps of a batch.
    ///
    /// - Parameter ordinal: the event's place among its events: of several headers, the one that holds for it counts.
    /// - Throws: ``RecordError``, or what is wrong with the body.
    /// - Complexity: O(inflated bytes).
    public init(_ record: IntakeRecord, holding ordinal: Int, limits: AdmissionLimits) throws {
        var header: BatchHeader?
        var own: BatchHeader?
        var events = 0
        var tellsTime = true
        try record.visit(
            limits: limits,
            header: { header = $0 },
            event: { event in
                events += 1
                guard event.ordinal == ordinal else { return }
                own = header
                tellsTime = event.scan?.time != nil
            }
        )
        self.init(
            header: own,
            received: record.header.received,
            key: record.header.key,
            format: record.header.format,
            encoding: record.header.encoding,
            events: events,
            rejected: record.header.rejected.count,
            bytes: record.body.count,
            tellsTime: tellsTime
        )
    }
}

extension EventLife {
    /// Writes the life as one JSON object: a member for each step, with `null` for what is not known, and a sentence for each of
    /// those in `unknown`.
    public func write(to writer: inout JSONWriter) {
        let recorded = RecordedFacts(event, tellsTime: batch?.tellsTime ?? true)
        var unknown: [String] = []
        func said(_ text: String?, _ sentence: String) -> String? {
            if text == nil { unknown.append(sentence) }
            return text
        }
        writer.beginObject()
        writer.member("id", event.id)
        writer.member("name", event.name)
        writer.key("recorded")
        writer.beginObject()
        optional("at", recorded.time, &writer)
        if recorded.time == nil {
            unknown.append("recorded.at: the event has no time; the time of arrival stands for it")
        }
        optional("mono", recorded.mono, &writer)
        if recorded.mono == nil { unknown.append("recorded.mono: the sender tells no monotonic time") }
        writer.member("boot", said(recorded.boot, "recorded.boot: the context names no boot"))
        writer.member("session", event.session)
        writer.member("user", event.user)
        writer.endObject()
        writeBatch(to: &writer, &unknown)
        // Of these the moments are not written down anywhere: the answer to the sender came after the one, and this answer
        // after the other.
        writer.key("durable")
        writer.beginObject()
        writer.member("at", nil as String?)
        writer.member("position", event.position.description)
        writer.member("durability", durability)
        writer.endObject()
        writer.key("indexed")
        writer.beginObject()
        writer.member("at", nil as String?)
        writer.member("position", indexed.description)
        writer.endObject()
        unknown += [
            "attempts: the sender does not tell how often it tried",
            "durable.at: the log keeps no time of its flushes; it is after received.at, and before the sender was answered",
            "indexed.at: the index keeps no time of its steps; it is after durable.at",
        ]
        writeDurations(recorded, to: &writer)
        writer.list("unknown", unknown) { $1.string($0) }
        writer.endObject()
    }

    private func writeBatch(to writer: inout JSONWriter, _ unknown: inout [String]) {
        let header = batch?.header
        writer.key("batch")
        writer.beginObject()
        writer.member("id", header?.id)
        optional("sent", header?.sent?.milliseconds, &writer)
        if header?.sent == nil { unknown.append("batch.sent: the sender does not tell when it sent") }
        writer.member("sdk", header?.sdk)
        writer.member("installation", event.installation?.description)
        writer.member("writer", event.writer?.description)
        optional("sequence", event.sequence.map { Int64(clamping: $0) }, &writer)
        if event.sequence == nil { unknown.append("batch.sequence: the sender numbers no events") }
        optional("first", header?.first.map { Int64(clamping: $0) }, &writer)
        optional("last", header?.last.map { Int64(clamping: $0) }, &writer)
        optional("recorded", header?.recorded.map { Int64(clamping: $0) }, &writer)
        optional("events", batch.map { Int64($0.events) }, &writer)
        optional("rejected", batch.map { Int64($0.rejected) }, &writer)
        writer.member("ordinal", Int64(event.position.ordinal))
        writer.member("attempts", nil as String?)
        writer.endObject()
        writer.key("received")
        writer.beginObject()
        writer.member("at", event.received)
        writer.member("key", batch?.key)
        writer.member("format", batch?.format.rawValue)
        writer.member("encoding", batch?.encoding.rawValue)
        optional("bytes", batch.map { Int64($0.bytes) }, &writer)
        writer.endObject()
        if batch == nil { unknown.append("batch: the intake log does not keep it any more, or it cannot be read") }
    }

    /// Differences in milliseconds. The first is of one clock, which may have been set meanwhile; the others are of two.
    private func writeDurations(_ recorded: RecordedFacts, to writer: inout JSONWriter) {
        let sent = batch?.header?.sent?.milliseconds
        func difference(_ start: Int64?, _ end: Int64?) -> Int64? {
            guard let start, let end else { return nil }
            let (length, isOver) = end.subtractingReportingOverflow(start)
            return isOver ? nil : length
        }
        writer.key("durations")
        writer.beginObject()
        optional("recorded_to_sent", difference(recorded.time, sent), &writer)
        optional("sent_to_received", difference(sent, event.received.milliseconds), &writer)
        optional("recorded_to_received", difference(recorded.time, event.received.milliseconds), &writer)
        writer.endObject()
    }

    private func optional(_ name: String, _ number: Int64?, _ writer: inout JSONWriter) {
        writer.key(name)
        if let number { writer.integer(number) } else { writer.null() }
    }
}

/// What an event says about the moment it was recorded.
private struct RecordedFacts {
    /// The device's wall clock, in milliseconds since 1970.
    let time: Int64?
    /// The device's monotonic clock, in milliseconds.
    let mono: Int64?
    /// The boot that the monotonic clock belongs to.
    let boot: String?

    init(_ event: StoredEvent, tellsTime: Bool) {
        // Admission checked both texts; what cannot be read says nothing.
        let json = try? JSONValue.parse(event.json)
        let context = try? JSONValue.parse(event.context)
        time = tellsTime ? json?["time"]?.integer : nil
        mono = json?["mono"]?.integer
        boot = context?["boot"]?.string
    }
}
