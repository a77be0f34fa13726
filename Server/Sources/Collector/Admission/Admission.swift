// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// Decides what of a body is accepted. A function of the bytes, the key's grant and the time: no file, no clock, no lock.
///
/// The body is inflated within bounds, taken apart, and every event is checked completely (UTF-8, grammar, numbers,
/// sizes, depth). A faulty event costs only itself: the rest of its batch is accepted, and the answer names it.
public struct Admission: Sendable {
    /// What is asked of every body.
    public let limits: AdmissionLimits

    /// Admission within limits.
    public init(limits: AdmissionLimits = AdmissionLimits()) {
        self.limits = limits
    }

    /// Judges one body.
    ///
    /// - Parameters:
    ///   - wire: The body as received.
    ///   - encoding: How it is encoded.
    ///   - grant: The key it came with, already checked.
    ///   - received: The collector's time.
    /// - Returns: What to commit and to answer.
    /// - Throws: ``AdmissionError`` when nothing of it can be accepted.
    /// - Complexity: O(inflated bytes).
    public func admit(
        _ wire: UnsafeRawBufferPointer,
        encoding: ContentEncoding,
        grant: KeyGrant,
        received: Timestamp
    ) throws(AdmissionError) -> AdmittedBatch {
        guard wire.count <= limits.body.wireBytes else {
            throw AdmissionError(
                .tooLarge,
                code: GzipError.Code.wireTooLarge.rawValue,
                message: "The body has \(wire.count) bytes; at most \(limits.body.wireBytes) are accepted."
            )
        }
        var inspection: BatchInspection
        let inflatedBytes: Int
        switch encoding {
        case .identity:
            inflatedBytes = wire.count
            inspection = try BatchInspection(wire, limits: limits, received: received)
        case .gzip:
            let inflated = try inflate(wire)
            inflatedBytes = inflated.count
            // Through a Result: withUnsafeBytes hands on untyped errors only.
            let result = inflated.withUnsafeBytes { bytes in
                Result { () throws(AdmissionError) in
                    try BatchInspection(bytes, limits: limits, received: received)
                }
            }
            inspection = try result.get()
        }
        try inspection.conclude()
        let header = IntakeHeader(
            received: received,
            key: grant.name,
            encoding: encoding,
            rejected: inspection.rejected
        )
        return AdmittedBatch(
            accepted: inspection.accepted,
            rejected: inspection.rejected,
            warnings: inspection.warnings.list,
            erasures: inspection.erasures,
            sender: inspection.sender,
            route: IntakeRoute(inspection.header, key: grant.name),
            record: IntakeRecord.bytes(header, body: wire),
            inflatedBytes: inflatedBytes
        )
    }

    private func inflate(_ wire: UnsafeRawBufferPointer) throws(AdmissionError) -> [UInt8] {
        do {
            return try Gzip.inflate(wire, limits: limits.body)
        } catch {
            throw AdmissionError(gzip: error, field: "content-encoding")
        }
    }
}

/// A batch that passed admission, ready to be committed.
public struct AdmittedBatch: Sendable {
    /// How many events are accepted.
    public var accepted: Int
    /// The events that are not, in order.
    public var rejected: [RejectedEvent]
    /// What the sender probably expects to be used, and is not.
    public var warnings: [AdmissionWarning]
    /// How many of the accepted events erase an installation.
    public var erasures: Int
    /// The installation that the batch names as its sender.
    public var sender: InstallationID?
    /// Where it belongs, and what names it.
    public var route: IntakeRoute
    /// What the intake log keeps: an ``IntakeRecord``'s bytes.
    public var record: [UInt8]
    /// Bytes of the inflated body.
    public var inflatedBytes: Int
}

/// How much a sender may ask of the collector. Every limit has a status and a code of its own when it is passed.
public struct AdmissionLimits: Sendable, Hashable {
    /// The longest body as sent and as inflated, and the highest factor between them: 1 MiB, 8 MiB, 100.
    public var body = InflateLimits()
    /// The most events of one batch. The place of an event holds ten bits of ordinal, so never more than 1,024.
    public var events = 1_000
    /// The limits of each event: 64 KiB, 256 attributes, values nested up to 32 deep.
    public var event: EventLimits
    /// The limits of an event that was sent in another format: what those formats allow fits in.
    public var vendorEvent: EventLimits
    /// The longest body of Sensors Analytics. Its clients delete what is answered with 413, so this is wide: 8 MiB.
    public var sensorsBytes = 8 << 20
    /// The longest body of Sift. Its clients put no bound to a batch, and give it up after three refusals: 8 MiB.
    public var siftBytes = 8 << 20
    /// How much is kept of a batch that was refused as a whole, in bytes.
    public var quarantineBytes = 64 << 10
    /// How much is kept a day of all batches that were refused as a whole: 64 MiB, a quarter of it of one sender.
    public var quarantineBytesPerDay = 64 << 20
    /// How much is kept of one refused event in the index, in bytes; the log has it as it came.
    public var failedEventBytes = 8 << 10
    /// The memory for all bodies that are arriving: 64 MiB, half of it for one sender.
    public var arrivingBytes = 64 << 20
    /// The memory for what is made of bodies until they are on disk: 128 MiB, half of it for one sender.
    public var unpackedBytes = 128 << 20
    /// How long a body may wait for that memory.
    public var bodyTimeout: Duration = .seconds(5)

    /// The default limits.
    public init() {
        event = EventLimits()
        // Wider than what the SDK records: other senders may nest deeper, and what is stored need not be flat.
        event.depth = 32
        vendorEvent = event
        vendorEvent.nameBytes = 512
        vendorEvent.keyBytes = 512
        vendorEvent.stringBytes = 64 << 10
        vendorEvent.attributes = 1_024
        vendorEvent.itemIDBytes = 1_024
        vendorEvent.eventBytes = 256 << 10
    }
}
