// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Our own wire format: a header line, context lines where the context changes, and the events as they were recorded, one
/// JSON object a line. `Documentation/WireFormat.md` is its description.
public enum CollectorFormat {
    /// Where batches are posted, behind the collector's address.
    public static let path = "/v1/events"
    /// The body's media type before compression.
    public static let contentType = "application/x-ndjson"
    /// The header field that repeats the batch's name, for logs of whatever stands between.
    public static let batchField = "trackway-batch"
    /// What this SDK calls itself in headers.
    public static let sdk = "trackway/0.1.0"

    /// What a line of a body is.
    public enum Line: Sendable, Hashable {
        /// The header, `{"batch":{…}}`; only as the first line.
        case batch
        /// The context of the events that follow, `{"context":{…}}`.
        case context
        /// An event.
        case event
    }

    /// What a line is, by its first member; a line that is no JSON object counts as an event, and fails as one.
    public static func kind(of line: UnsafeRawBufferPointer) -> Line {
        // Only the first member is looked at; what else is wrong with the line shows when it is read.
        guard var scanner = try? JSONScanner(line), (try? scanner.enterObject()) != nil,
            let key = try? scanner.nextKey()
        else { return .event }
        if scanner.text(key, equals: "batch") { return .batch }
        if scanner.text(key, equals: "context") { return .context }
        return .event
    }

    /// The header of a batch.
    ///
    /// - Complexity: O(number of events + number of gaps).
    public static func header(for batch: EventBatch, sentAt: Timestamp) -> BatchHeader {
        let gaps = BatchGaps(of: batch)
        return BatchHeader(
            id: id(of: batch),
            installation: batch.installation,
            writer: batch.writer,
            first: batch.first,
            last: batch.last,
            recorded: batch.recorded,
            sent: sentAt,
            sdk: sdk,
            dropped: gaps.dropped,
            skipped: gaps.skipped
        )
    }

    /// The batch's name: the same for the same events of the same writer.
    public static func id(of batch: EventBatch) -> String {
        "\(batch.writer)-\(batch.first)-\(batch.last)"
    }

    /// Writes a batch's lines, the last one ended too.
    ///
    /// - Complexity: O(bytes of the batch).
    public static func write(_ batch: EventBatch, sentAt: Timestamp, into writer: inout JSONWriter) {
        let lineEnd = UInt8(ascii: "\n")
        header(for: batch, sentAt: sentAt).write(into: &writer)
        writer.byte(lineEnd)
        batch.bytes.withUnsafeBytes { bytes in
            var context: UInt32?
            for record in batch.records {
                if record.context != context {
                    context = record.context
                    writer.beginObject()
                    writer.key("context")
                    if let content = batch.context(record.context)?.content, !content.isEmpty {
                        writer.raw(UnsafeRawBufferPointer(rebasing: bytes[content]))
                    } else {
                        // A context that was lost is an empty one: the events must not inherit the one before.
                        writer.raw("{}".utf8)
                    }
                    writer.endObject()
                    writer.byte(lineEnd)
                }
                writer.raw(UnsafeRawBufferPointer(rebasing: bytes[record.payload]))
                writer.byte(lineEnd)
            }
        }
    }
}

/// What became of the sequence numbers between a batch's events.
///
/// Made from the events themselves, so that the receiver's count of events and numbers agrees whatever the batch claims.
private struct BatchGaps: Sendable, Hashable {
    private(set) var dropped: [DroppedRange] = []
    private(set) var skipped: [ClosedRange<UInt64>] = []

    init(of batch: EventBatch) {
        dropped = batch.dropped.filter { $0.sequences.upperBound < batch.first }
        skipped = batch.skipped.filter { $0.upperBound < batch.first }
        var next = batch.first
        for record in batch.records where record.sequence >= next {
            if record.sequence > next { explain(next...(record.sequence - 1), batch) }
            next = record.sequence + 1
        }
        if batch.last >= next { explain(next...batch.last, batch) }
    }

    /// Says for every number of a hole why there is no event.
    private mutating func explain(_ hole: ClosedRange<UInt64>, _ batch: EventBatch) {
        var open = [hole]
        for gap in batch.dropped {
            for part in Self.take(gap.sequences, from: &open) {
                dropped.append(DroppedRange(sequences: part, reason: gap.reason))
            }
        }
        for gap in batch.skipped { skipped += Self.take(gap, from: &open) }
        // The writer has no account of these: a fault of the sender's, which must show as a loss.
        dropped += open.map { DroppedRange(sequences: $0, reason: .unaccounted) }
    }

    /// Takes a range out of the ranges that are still open.
    private static func take(
        _ range: ClosedRange<UInt64>,
        from open: inout [ClosedRange<UInt64>]
    ) -> [ClosedRange<UInt64>] {
        var taken: [ClosedRange<UInt64>] = []
        var rest: [ClosedRange<UInt64>] = []
        for part in open {
            guard part.overlaps(range) else {
                rest.append(part)
                continue
            }
            let common = part.clamped(to: range)
            taken.append(common)
            if part.lowerBound < common.lowerBound { rest.append(part.lowerBound...(common.lowerBound - 1)) }
            if part.upperBound > common.upperBound { rest.append((common.upperBound + 1)...part.upperBound) }
        }
        open = rest
        return taken
    }
}
