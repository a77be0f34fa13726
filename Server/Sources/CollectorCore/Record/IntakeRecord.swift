// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

/// The intake log's record of an accepted batch (frames of kind `intake`).
///
/// The record consists of a header line and the body exactly as received.
public struct IntakeRecord: Sendable, Hashable {
    /// The header that the collector added.
    public var header: IntakeHeader
    /// The body as received, still encoded.
    public var body: [UInt8]

    /// Returns the record's bytes without copying the body into an array first.
    static func bytes(_ header: IntakeHeader, body: UnsafeRawBufferPointer) -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            header.write(to: &writer)
            writer.byte(UInt8(ascii: "\n"))
            writer.raw(body)
            return writer.array()
        }
    }

    /// Returns a record's bytes with the sender's address in the header.
    ///
    /// - Parameter client: The address (``IntakeHeader/client``); nil to return the record unchanged.
    public static func adding(client: String?, to record: [UInt8]) -> [UInt8] {
        guard let client, let brace = record.firstIndex(of: UInt8(ascii: "{")) else { return record }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(record.count + client.utf8.count + 16)
        bytes += record[...brace]
        // Every header has further members.
        bytes += "\"client\":".utf8 + JSONValue.string(client).json() + ",".utf8
        bytes += record[(brace + 1)...]
        return bytes
    }

    /// Reads a record.
    ///
    /// - Throws: ``RecordError``.
    public init(payload: UnsafeRawBufferPointer) throws(RecordError) {
        let line = LineSplitter.endOfLine(payload, from: 0)
        do {
            header = try IntakeHeader(json: UnsafeRawBufferPointer(rebasing: payload[..<line]))
        } catch {
            throw RecordError(message: "the intake record's header cannot be read: \(error)")
        }
        body = Array(payload[min(line + 1, payload.count)...])
    }

    /// Inflates the body and visits its accepted and rejected events in order.
    ///
    /// A body of another format may hold several headers, one before the events of each installation.
    ///
    /// - Parameter limits: The limits of admission, which admitted bodies satisfy.
    /// - Throws: ``RecordError`` if the body can no longer be split, or the error of a closure.
    /// - Complexity: O(inflated bytes). The pointers in an event are valid only while the closure runs.
    public func visit(
        limits: AdmissionLimits = AdmissionLimits(),
        header visitHeader: (BatchHeader) throws -> Void = { _ in },
        event visitEvent: (IntakeEvent) throws -> Void
    ) throws {
        try inflated(limits: limits).withUnsafeBytes { bytes in
            try walk(bytes, limits: limits, visitHeader, visitEvent)
        }
    }

    /// Returns the body as it was before the sender compressed it.
    func inflated(limits: AdmissionLimits) throws -> [UInt8] {
        switch header.encoding {
        case .identity: body
        case .gzip: try Gzip.inflate(body, limits: limits.body)
        }
    }

    /// Whether the batch may contain a tombstone.
    ///
    /// True if the tombstone's name occurs anywhere in the body, or a string has a `\u` escape.
    ///
    /// - Throws: The errors of inflating.
    /// - Complexity: O(inflated bytes), a small part of the cost of splitting the body.
    public func mayHaveTombstone(limits: AdmissionLimits) throws -> Bool {
        let name = Array(CapturedName.installationErased.utf8)
        return try inflated(limits: limits).withUnsafeBytes { bytes in
            for index in bytes.indices {
                if bytes[index] == UInt8(ascii: "\\") {
                    if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "u") { return true }
                } else if bytes[index] == name[0], bytes[index...].starts(with: name) {
                    return true
                }
            }
            return false
        }
    }

    /// Splits an inflated body.
    func walk(
        _ bytes: UnsafeRawBufferPointer,
        limits: AdmissionLimits,
        _ visitHeader: (BatchHeader) throws -> Void,
        _ visitEvent: (IntakeEvent) throws -> Void
    ) throws {
        var lines = try BatchLines(bytes, hasManyHeaders: header.format.hasManyHeaders)
        let eventLimits = header.format == .trackway ? limits.event : limits.vendorEvent
        var sequences: BatchSequences?
        var context = UnsafeRawBufferPointer(start: nil, count: 0)
        var rejected = header.rejected[...]
        var index = 0
        while let line = try lines.next() {
            switch line {
            case .header(let range):
                let batch = try BatchHeader(json: UnsafeRawBufferPointer(rebasing: bytes[range]))
                sequences = batch.sequences
                context = UnsafeRawBufferPointer(start: nil, count: 0)
                try visitHeader(batch)
            case .context(let range):
                let line = UnsafeRawBufferPointer(rebasing: bytes[range])
                let value = try JSONScanner.member("context", of: line) ?? 0..<0
                context = UnsafeRawBufferPointer(rebasing: line[value])
            case .event(let range):
                let json = UnsafeRawBufferPointer(rebasing: bytes[range])
                var fault: RejectedEvent?
                if let next = rejected.first, next.index == index {
                    fault = next
                    rejected.removeFirst()
                }
                let erased = fault == nil ? ErasedPlaceholder(json) : nil
                let scan = fault == nil && erased == nil ? try EventScan(json, limits: eventLimits) : nil
                try visitEvent(
                    IntakeEvent(
                        ordinal: index,
                        sequence: sequences?.next(),
                        json: json,
                        context: context,
                        scan: scan,
                        fault: fault,
                        erased: erased,
                        time: scan?.time,
                        clock: nil
                    )
                )
                index += 1
            }
        }
    }
}

/// One event of a stored batch, with pointers into the inflated body.
///
/// Valid only during the visit that passes it.
public struct IntakeEvent {
    /// The event's index in the batch, counting rejected events.
    public let ordinal: Int
    /// The event's number among the writer's events.
    ///
    /// Nil if the sender does not number its events.
    public let sequence: UInt64?
    /// The event as received, one JSON object.
    public let json: UnsafeRawBufferPointer
    /// The context that applies to the event, one JSON object.
    ///
    /// Empty if the sender provided none.
    public let context: UnsafeRawBufferPointer
    /// The offsets of the event's parts; nil for a rejected event.
    public let scan: EventScan?
    /// The reason for the rejection; nil for an accepted event.
    public let fault: RejectedEvent?
    /// The kind of event that was erased here; nil if the event was not erased.
    public let erased: ErasedPlaceholder?
    /// When the event happened, by the device's clock with errors corrected.
    ///
    /// Nil if the sender provides no time.
    public let time: Timestamp?
    /// The correction of the device's clock.
    ///
    /// Nil if the clock was correct or its error is unknown.
    public let clock: ClockCorrection?

    /// Returns the event's own id, or one derived from its position.
    ///
    /// Simple senders provide no id. A rebuilt index derives the same id.
    public func id(at position: EventPosition, received: Timestamp) -> EventID {
        if let id = scan?.id { return id }
        let time = UInt64(clamping: received.milliseconds) & 0xFFFF_FFFF_FFFF
        let place = UInt64(position.rawValue)
        // UUIDv7: 48 bits of time, version, 12 bits; variant, 62 bits. A position has 63 bits.
        return EventID(high: time << 16 | 0x7000 | place >> 62, low: 0x8000_0000_0000_0000 | place & (1 << 62 - 1))
    }
}

/// The error for an unreadable record with a correct checksum.
///
/// A newer version wrote the record to the intake log, or it was never a valid record.
public struct RecordError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason as a human-readable sentence.
    public var message: String

    public var description: String { message }
}
