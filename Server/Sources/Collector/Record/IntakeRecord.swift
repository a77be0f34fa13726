// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// What the intake log keeps of an accepted batch (frames of kind `intake`): a header line, then the body exactly as it
/// was received.
public struct IntakeRecord: Sendable, Hashable {
    /// What the collector added.
    public var header: IntakeHeader
    /// The body as received, still encoded.
    public var body: [UInt8]

    /// The record's bytes, without copying the body into an array first.
    static func bytes(_ header: IntakeHeader, body: UnsafeRawBufferPointer) -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            header.write(to: &writer)
            writer.byte(UInt8(ascii: "\n"))
            writer.raw(body)
            return writer.array()
        }
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

    /// Inflates the body and hands its accepted and refused events over, in order.
    ///
    /// A body of another format may hold several headers, one before the events of each installation.
    ///
    /// - Parameter limits: Those of admission; what was admitted passes them.
    /// - Throws: ``RecordError`` when the body cannot be taken apart any more, or what `visit` throws.
    /// - Complexity: O(inflated bytes). The places in an event are valid while `visit` runs.
    public func visit(
        limits: AdmissionLimits = AdmissionLimits(),
        header visitHeader: (BatchHeader) throws -> Void = { _ in },
        event visitEvent: (IntakeEvent) throws -> Void
    ) throws {
        try inflated(limits: limits).withUnsafeBytes { bytes in
            try walk(bytes, limits: limits, visitHeader, visitEvent)
        }
    }

    /// The body as it was before the sender compressed it.
    func inflated(limits: AdmissionLimits) throws -> [UInt8] {
        switch header.encoding {
        case .identity: body
        case .gzip: try Gzip.inflate(body, limits: limits.body)
        }
    }

    /// Whether an event of the batch may be a tombstone: whether its name stands anywhere in the body, or some text is escaped.
    ///
    /// - Throws: What inflating throws.
    /// - Complexity: O(inflated bytes), a small part of what taking it apart costs.
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

    /// Takes an inflated body apart.
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
                let scan = fault == nil ? try EventScan(json, limits: eventLimits) : nil
                try visitEvent(
                    IntakeEvent(
                        ordinal: index,
                        sequence: sequences?.next(),
                        json: json,
                        context: context,
                        scan: scan,
                        fault: fault,
                        time: scan?.time,
                        clock: nil
                    )
                )
                index += 1
            }
        }
    }
}

/// One event of a kept batch, as places in the inflated body. Valid only while the visit that hands it over runs.
public struct IntakeEvent {
    /// Its index among the batch's events, refused ones included.
    public let ordinal: Int
    /// Its number among the writer's events; nil when the sender gives none.
    public let sequence: UInt64?
    /// The event as received, one JSON object.
    public let json: UnsafeRawBufferPointer
    /// The context it holds in, one JSON object; empty when the sender gave none.
    public let context: UnsafeRawBufferPointer
    /// The places of its parts; nil for a refused event.
    public let scan: EventScan?
    /// Why it was refused; nil for an accepted event.
    public let fault: RejectedEvent?
    /// When it happened: by the device's clock, corrected where that was off. Nil when the sender tells no time.
    public let time: Timestamp?
    /// How far the device's clock was off; nil when it was right, or nothing is known of it.
    public let clock: ClockCorrection?

    /// The event's id: its own, or, for a simple sender that gives none, one made from its place, so that an index that
    /// is built again gives the same.
    public func id(at position: EventPosition, received: Timestamp) -> EventID {
        if let id = scan?.id { return id }
        let time = UInt64(clamping: received.milliseconds) & 0xFFFF_FFFF_FFFF
        let place = UInt64(position.rawValue)
        // UUIDv7: 48 bits of time, version, 12 bits; variant, 62 bits. A place has 63 bits.
        return EventID(high: time << 16 | 0x7000 | place >> 62, low: 0x8000_0000_0000_0000 | place & (1 << 62 - 1))
    }
}

/// A record of the intake log that cannot be read, although its checksum is right: a newer version wrote it, or it was
/// never one.
public struct RecordError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence.
    public var message: String

    public var description: String { message }
}
