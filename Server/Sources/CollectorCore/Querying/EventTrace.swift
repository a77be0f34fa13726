// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

/// The known path of an event from the device to the index.
///
/// Values that were not recorded are nil and are listed as unknown.
public struct EventTrace: Sendable {
    /// The batch that contained the event, as stored in the intake log.
    public struct Batch: Sendable, Hashable {
        /// The sender's header for the batch; nil if the sender sent none.
        public var header: BatchHeader?
        /// The time of arrival, by the collector's clock.
        public var received: Timestamp
        /// The name of the request's API key.
        public var key: String
        /// The format of the batch.
        public var format: IntakeFormat
        /// The compression of the batch.
        public var encoding: ContentEncoding
        /// The number of events, including rejected ones.
        public var events: Int
        /// The number of rejected events.
        public var rejected: Int
        /// The size of the body in bytes, as stored in the log.
        public var bytes: Int
        /// Whether the event includes its own time.
        ///
        /// If not, the index uses the time of arrival.
        public var hasClockTimes: Bool
    }

    /// The event.
    public var event: StoredEvent
    /// The batch that contained the event.
    ///
    /// Nil when the log no longer contains the batch.
    public var batch: Batch?
    /// The position up to which the index has read.
    public var indexed: EventPosition
    /// The durability of the stored event: `disk` or `memory`.
    public var durability: String

    /// Creates a trace.
    public init(event: StoredEvent, batch: Batch?, indexed: EventPosition, durability: String) {
        self.event = event
        self.batch = batch
        self.indexed = indexed
        self.durability = durability
    }
}

extension EventTrace.Batch {
    /// Reads a batch from its record in the log.
    ///
    /// - Parameter ordinal: the event's index in the batch. If there are several headers, the one that applies to the
    ///   event is used.
    /// - Throws: ``RecordError``, or an error from parsing the body.
    /// - Complexity: O(inflated bytes).
    public init(_ record: IntakeRecord, holding ordinal: Int, limits: AdmissionLimits) throws {
        var header: BatchHeader?
        var own: BatchHeader?
        var events = 0
        var hasClockTimes = true
        try record.visit(
            limits: limits,
            header: { header = $0 },
            event: { event in
                events += 1
                guard event.ordinal == ordinal else { return }
                own = header
                hasClockTimes = event.scan?.time != nil
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
            hasClockTimes: hasClockTimes
        )
    }
}

extension EventTrace {
    /// Writes the trace as a JSON object with one member per step.
    ///
    /// Unknown values are `null`, and the member `unknown` has a sentence about each of them.
    public func write(to writer: inout JSONWriter) {
        let recorded = RecordedFacts(event, hasClockTimes: batch?.hasClockTimes ?? true)
        var unknown: [String] = []
        func orUnknown(_ text: String?, _ sentence: String) -> String? {
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
            unknown.append("recorded.at: the event has no time; the time of arrival is used instead")
        }
        optional("mono", recorded.mono, &writer)
        if recorded.mono == nil { unknown.append("recorded.mono: the sender reports no monotonic time") }
        writer.member("boot", orUnknown(recorded.boot, "recorded.boot: the context has no boot id"))
        writer.member("session", event.session)
        writer.member("user", event.user)
        writer.endObject()
        writeBatch(to: &writer, &unknown)
        // The times of the next two steps are not recorded. The event was durable before the sender received its
        // response, and was indexed before this response was written.
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
            "attempts: the sender does not report its number of attempts",
            "durable.at: the log does not record flush times; the flush was after received.at and before the response",
            "indexed.at: the index does not record times; indexing was after durable.at",
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
        if header?.sent == nil { unknown.append("batch.sent: the sender does not report when it sent the batch") }
        writer.member("sdk", header?.sdk)
        writer.member("installation", event.installation?.description)
        writer.member("writer", event.writer?.description)
        optional("sequence", event.sequence.map { Int64(clamping: $0) }, &writer)
        if event.sequence == nil { unknown.append("batch.sequence: the sender does not number its events") }
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
        if batch == nil { unknown.append("batch: the intake log no longer keeps it, or it cannot be read") }
    }

    /// Writes time differences in milliseconds.
    ///
    /// The first difference uses one clock, which may have been adjusted between the two times; the other differences
    /// use two clocks.
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

/// Facts about the recording, from an event and its context.
private struct RecordedFacts {
    /// The device's wall clock, in milliseconds since 1970.
    let time: Int64?
    /// The device's monotonic clock, in milliseconds.
    let mono: Int64?
    /// The id of the boot that the monotonic clock belongs to.
    let boot: String?

    init(_ event: StoredEvent, hasClockTimes: Bool) {
        // Admission validated both JSON texts. If one still cannot be parsed, its values are nil.
        let json = try? JSONValue.parse(event.json)
        let context = try? JSONValue.parse(event.context)
        time = hasClockTimes ? json?["time"]?.integer : nil
        mono = json?["mono"]?.integer
        boot = context?["boot"]?.string
    }
}
