// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Trackway's own wire format, described in `Documentation/WireFormat.md`.
///
/// A batch consists of a header line, a context line wherever the context changes, and the events as they were
/// recorded, with one JSON object per line.
public enum CollectorFormat {
    /// The path to which batches are posted, relative to the collector's address.
    public static let path = "/v1/events"
    /// The body's media type before compression.
    public static let contentType = "application/x-ndjson"
    /// The header field with the batch's ID, for logs of intermediaries.
    public static let batchField = "trackway-batch"
    /// The name and version of this SDK in headers.
    public static let sdk = "trackway/0.1.0"

    /// The kind of a line in a body.
    public enum Line: Sendable, Hashable {
        /// The header, `{"batch":{…}}`; only as the first line.
        case batch
        /// The context of the events that follow, `{"context":{…}}`.
        case context
        /// An event.
        case event
    }

    /// Returns the kind of a line, based on its first member.
    ///
    /// A line that is not a JSON object counts as an event, which is then rejected.
    public static func kind(of line: UnsafeRawBufferPointer) -> Line {
        // Only the first member is examined; other errors are found when the line is parsed.
        guard var scanner = try? JSONScanner(line), (try? scanner.enterObject()) != nil,
            let key = try? scanner.nextKey()
        else { return .event }
        if scanner.text(key, equals: "batch") { return .batch }
        if scanner.text(key, equals: "context") { return .context }
        return .event
    }

    /// Returns the header of a batch.
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

    /// Returns the batch's ID.
    ///
    /// The ID is the same for the same events of the same writer.
    public static func id(of batch: EventBatch) -> String {
        "\(batch.writer)-\(batch.first)-\(batch.last)"
    }

    /// Writes a batch's lines, including a line ending after the last line.
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
                        // A lost context is written as an empty context, so that the events do not inherit the
                        // previous context.
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

/// The reasons for the gaps between a batch's events.
///
/// The gaps are computed from the events, so that the receiver's number of events matches the sequence numbers,
/// regardless of the gaps that the batch claims.
private struct BatchGaps: Sendable, Equatable {
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

    /// Adds a reason for every number of a gap.
    private mutating func explain(_ hole: ClosedRange<UInt64>, _ batch: EventBatch) {
        var open = [hole]
        for gap in batch.dropped {
            for part in Self.take(gap.sequences, from: &open) {
                dropped.append(DroppedRange(sequences: part, reason: gap.reason))
            }
        }
        for gap in batch.skipped { skipped += Self.take(gap, from: &open) }
        // The writer recorded no reason for these numbers. This is a fault of the sender, and the numbers must be
        // reported as lost.
        dropped += open.map { DroppedRange(sequences: $0, reason: .unaccounted) }
    }

    /// Removes a range from the open ranges and returns the removed parts.
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
