// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

/// Decides which events of a body are accepted.
///
/// A pure function of the bytes, the key's grant, and the time; it uses no files, clocks, or locks.
///
/// The body is inflated within limits and split into events, and each event is checked completely (UTF-8, grammar,
/// numbers, sizes, depth). An invalid event affects only itself: the rest of its batch is accepted, and the response
/// names the invalid event.
public struct Admission: Sendable {
    /// The limits for every body.
    public let limits: AdmissionLimits

    /// Creates an admission with the given limits.
    public init(limits: AdmissionLimits = AdmissionLimits()) {
        self.limits = limits
    }

    /// Checks one body.
    ///
    /// - Parameters:
    ///   - wire: The body as received.
    ///   - encoding: The encoding of the body.
    ///   - grant: The grant of the request's key, which was already checked.
    ///   - received: The time of arrival by the collector's clock.
    ///   - isErasedUser: Returns whether a user was erased; the record contains nothing of events of erased users. Nil
    ///     if no user was ever erased.
    /// - Returns: The record to commit and the contents of the response.
    /// - Throws: ``AdmissionError`` if no part of the body can be accepted.
    /// - Complexity: O(inflated bytes).
    public func admit(
        _ wire: UnsafeRawBufferPointer,
        encoding: ContentEncoding,
        grant: KeyGrant,
        received: Timestamp,
        isErasedUser: ((String) -> Bool)? = nil
    ) throws(AdmissionError) -> AdmittedBatch {
        guard wire.count <= limits.body.wireBytes else {
            throw AdmissionError(
                .tooLarge,
                code: .wireTooLarge,
                message: "The body has \(wire.count) bytes; at most \(limits.body.wireBytes) are accepted."
            )
        }
        var inspection: BatchInspection
        let inflatedBytes: Int
        var redacted: [UInt8]?
        var storedEncoding = encoding
        switch encoding {
        case .identity:
            inflatedBytes = wire.count
            inspection = try BatchInspection(wire, limits: limits, received: received, isErasedUser: isErasedUser)
            redacted = inspection.redacted(wire)
        case .gzip:
            let inflated = try inflate(wire)
            inflatedBytes = inflated.count
            // A Result, because withUnsafeBytes rethrows untyped errors only.
            let result = inflated.withUnsafeBytes { bytes in
                Result { () throws(AdmissionError) in
                    try BatchInspection(bytes, limits: limits, received: received, isErasedUser: isErasedUser)
                }
            }
            inspection = try result.get()
            if let body = inflated.withUnsafeBytes({ inspection.redacted($0) }) {
                // Without the erased events, a body can be more compressible than readers accept.
                let compressed = GzipCompressor().compress(body)
                let isSafe = body.count <= max(limits.body.ratioFloor, compressed.count * limits.body.ratio)
                redacted = isSafe ? compressed : body
                if !isSafe { storedEncoding = .identity }
            }
        }
        try inspection.conclude()
        let header = IntakeHeader(
            received: received,
            key: grant.name,
            encoding: storedEncoding,
            rejected: inspection.rejected.filter { !inspection.erased.contains($0.index) }
        )
        let record =
            redacted.map { body in body.withUnsafeBytes { IntakeRecord.bytes(header, body: $0) } }
            ?? IntakeRecord.bytes(header, body: wire)
        return AdmittedBatch(
            accepted: inspection.accepted,
            rejected: inspection.rejected,
            warnings: inspection.warnings.list,
            erasures: inspection.erasures,
            sender: inspection.sender,
            route: IntakeRoute(inspection.header, key: grant.name),
            record: record,
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
    /// The number of accepted events.
    public var accepted: Int
    /// The rejected events, in order.
    public var rejected: [RejectedEvent]
    /// Warnings about ignored content that the sender probably expected to be used.
    public var warnings: [AdmissionWarning]
    /// The number of accepted events that erase an installation.
    public var erasures: Int
    /// The installation that the batch names as its sender.
    public var sender: InstallationID?
    /// The installation and the batch identity for the commit.
    public var route: IntakeRoute
    /// The bytes of the ``IntakeRecord`` for the intake log.
    public var record: [UInt8]
    /// The size of the inflated body in bytes.
    public var inflatedBytes: Int
}

/// Limits on what a sender may send.
///
/// If a limit is exceeded, the response has the HTTP status and code of that limit.
public struct AdmissionLimits: Sendable, Hashable {
    /// The maximum compressed size, inflated size, and compression ratio of a body.
    ///
    /// The defaults are 1 MiB, 8 MiB, and 100.
    public var body = InflateLimits()
    /// The maximum number of events in a batch.
    ///
    /// Never more than 1,024: an event's position has ten bits for the ordinal.
    public var events = 1_000
    /// The limits for each event.
    ///
    /// The defaults are 64 KiB, 256 attributes, and values nested up to 32 levels deep.
    public var event: EventLimits
    /// The limits for events in other formats.
    ///
    /// These limits allow everything that those formats allow.
    public var vendorEvent: EventLimits
    /// The maximum size of a Sensors Analytics body: 8 MiB.
    ///
    /// The limit is large because Sensors Analytics clients delete a body that gets a 413 response.
    public var sensorsBytes = 8 << 20
    /// The maximum size of a Sift body: 8 MiB.
    ///
    /// Sift clients do not limit the size of their batches, and drop a batch after it was rejected three times.
    public var siftBytes = 8 << 20
    /// The maximum number of bytes stored of a wholly rejected batch.
    public var quarantineBytes = 64 << 10
    /// The maximum number of bytes stored per day of wholly rejected batches.
    ///
    /// The default is 64 MiB, of which one sender may use a quarter.
    public var quarantineBytesPerDay = 64 << 20
    /// The maximum number of bytes of a rejected event in the index.
    ///
    /// The log contains the whole event as received.
    public var failedEventBytes = 8 << 10
    /// The memory for bodies that are being received: 64 MiB.
    ///
    /// Half of it is available to one sender.
    public var arrivingBytes = 64 << 20
    /// The memory for unpacked bodies until they are on disk: 128 MiB.
    ///
    /// Half of it is available to one sender.
    public var unpackedBytes = 128 << 20
    /// The maximum time that a body waits for memory.
    public var bodyTimeout: Duration = .seconds(5)

    /// Creates the default limits.
    public init() {
        event = EventLimits()
        // This limit exceeds the depth of values that the SDK records: other senders may nest deeper, and stored values
        // need not be flat.
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
