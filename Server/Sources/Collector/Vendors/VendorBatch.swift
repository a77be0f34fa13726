// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayWire

/// A body of another format that was admitted, ready to be committed: every event is in our own form, or kept with the
/// reason why it is not.
public struct VendorBatch: Sendable {
    /// How many events are accepted.
    public private(set) var accepted = 0
    /// The events that are not, in order.
    public private(set) var rejected: [RejectedEvent] = []
    /// What the intake log keeps: usually one record; several when the body is long.
    public private(set) var records: [[UInt8]] = []
    /// Bytes of the body as inflated.
    public private(set) var inflatedBytes = 0
    /// How many events of erased installations came. Nothing of them is in the records; in ``rejected`` they are.
    public private(set) var erased: [InstallationID: Int] = [:]

    private let format: IntakeFormat
    private let limits: AdmissionLimits
    private let key: String
    private let received: Timestamp
    private let isErased: @Sendable (InstallationID) -> Bool
    private var outcomes: [Outcome] = []
    private var bytes = 0

    private struct Outcome: Sendable {
        var installation: InstallationID?
        var context: [UInt8]
        var line: [UInt8]
        var fault: VendorFault?
        var index: Int
        var id: EventID?
    }

    /// A record is closed when its lines have this many bytes: far below what a segment of the log holds.
    private static let recordBytes = 2 << 20
    /// Beyond this factor a body is kept plain, so that reading it never meets the limit against bombs.
    private static let safeRatio = 50

    init(
        _ format: IntakeFormat,
        limits: AdmissionLimits,
        key: String,
        received: Timestamp,
        isErased: @escaping @Sendable (InstallationID) -> Bool = { _ in false }
    ) {
        self.isErased = isErased
        self.format = format
        self.limits = limits
        self.key = key
        self.received = received
    }

    /// How many events came, refused ones included.
    public var count: Int { accepted + rejected.count }

    /// Takes every event of an unpacked body apart, one after the other, and ends the last record. A faulty event costs only
    /// itself.
    ///
    /// - Parameter key: The member of the body under which the events stand; nil where the body is the events.
    /// - Throws: ``AdmissionError`` as ``VendorBody/elements(of:under:limits:_:)``.
    mutating func fill(
        from json: [UInt8],
        under key: StaticString? = nil,
        by translation: inout some VendorTranslation
    ) throws(AdmissionError) {
        let limits = limits
        try fill(inflatedBytes: json.count, by: &translation) { (visit) throws(AdmissionError) in
            try VendorBody.elements(of: json, under: key, limits: limits, visit)
        }
    }

    /// Takes over every event that is handed over, one after the other, and ends the last record. A faulty event costs only
    /// itself.
    ///
    /// - Parameters:
    ///   - inflatedBytes: The length of the unpacked body.
    ///   - elements: Hands over the body's events.
    /// - Throws: What `elements` throws; nothing of the batch is to be used then.
    mutating func fill(
        inflatedBytes: Int,
        by translation: inout some VendorTranslation,
        _ elements: ((VendorBody.Element) -> Void) throws(AdmissionError) -> Void
    ) throws(AdmissionError) {
        self.inflatedBytes = inflatedBytes
        try elements { element in
            switch element {
            case .refused(let text, let fault): refuse(fault, original: .string(text))
            case .value(let value):
                do throws(VendorFault) {
                    add(try translation.event(value), original: value)
                } catch {
                    refuse(error, original: value, installation: translation.installation(value))
                }
            }
        }
        close()
    }

    /// Takes an event, if it fits our limits and its installation was not erased. One with a name that means something to
    /// the collector is taken under another name.
    private mutating func add(_ event: VendorEvent, original: JSONValue) {
        if passesOver(event.installation, id: event.id) { return }
        let event = ReservedName.renamed(event, from: format)
        let line = event.line
        let fault: VendorFault? = line.withUnsafeBytes { bytes in
            do throws(EventFault) {
                _ = try EventScan(bytes, limits: limits.vendorEvent)
                return nil
            } catch {
                return VendorFault(error.code.rawValue, error.field, error.message)
            }
        }
        if let fault { return refuse(fault, original: original, installation: event.installation, id: event.id) }
        let context = event.context.json()
        guard context.count <= limits.vendorEvent.eventBytes else {
            let fault = VendorFault(
                "context_too_large",
                "",
                "What the event says of app, device and user has \(context.count) bytes; "
                    + "at most \(limits.vendorEvent.eventBytes) are accepted."
            )
            return refuse(fault, original: original, installation: event.installation, id: event.id)
        }
        accepted += 1
        append(Outcome(installation: event.installation, context: context, line: line, index: count - 1, id: event.id))
    }

    /// Keeps an event with the reason why it is not taken. It stands in the log as it came, wrapped under the format's
    /// name, so that it is never mistaken for one of ours.
    private mutating func refuse(
        _ fault: VendorFault,
        original: JSONValue,
        installation: InstallationID? = nil,
        id: EventID? = nil
    ) {
        if passesOver(installation, id: id) { return }
        let line = JSONValue.object(.init([.init(key: format.rawValue, value: original)])).json()
        rejected.append(
            RejectedEvent(index: count, id: id, code: fault.code, field: fault.field, message: fault.message)
        )
        append(Outcome(installation: installation, context: [], line: line, fault: fault, index: count - 1, id: id))
    }

    /// Counts an event of an erased installation, of which nothing is kept. Whether it is one.
    private mutating func passesOver(_ installation: InstallationID?, id: EventID?) -> Bool {
        guard let installation, isErased(installation) else { return false }
        erased[installation, default: 0] += 1
        rejected.append(.erased(installation, index: count, id: id))
        return true
    }

    private mutating func append(_ outcome: Outcome) {
        outcomes.append(outcome)
        bytes += outcome.line.count + outcome.context.count
        if outcomes.count == limits.events || bytes >= Self.recordBytes { close() }
    }

    /// Ends the record that is being filled.
    private mutating func close() {
        guard !outcomes.isEmpty else { return }
        var body: [UInt8] = []
        body.reserveCapacity(bytes + 128)
        var refused: [RejectedEvent] = []
        var context: [UInt8]?
        // In the order in which they came: a server sends events of many people in one body, and nothing else orders what
        // happened within the same millisecond.
        for (place, outcome) in outcomes.enumerated() {
            if place == 0 || outcome.installation != outcomes[place - 1].installation {
                Self.write(header: outcome.installation, into: &body)
                context = nil
            }
            if outcome.fault == nil, outcome.context != context {
                body += "{\"context\":".utf8 + outcome.context + "}\n".utf8
                context = outcome.context
            }
            body += outcome.line
            body.append(UInt8(ascii: "\n"))
            if let fault = outcome.fault {
                refused.append(
                    RejectedEvent(
                        index: place,
                        id: outcome.id,
                        code: fault.code,
                        field: fault.field,
                        message: fault.message
                    )
                )
            }
        }
        records.append(record(body, refused))
        outcomes = []
        bytes = 0
    }

    private static func write(header installation: InstallationID?, into body: inout [UInt8]) {
        body += "{\"batch\":{".utf8
        if let installation { body += "\"installation\":\"\(installation)\"".utf8 }
        body += "}}\n".utf8
    }

    private func record(_ body: [UInt8], _ refused: [RejectedEvent]) -> [UInt8] {
        let compressed = GzipCompressor().compress(body)
        let isSafe =
            compressed.count <= limits.body.wireBytes && body.count <= limits.body.inflatedBytes
            && body.count / max(1, compressed.count) <= Self.safeRatio
        let header = IntakeHeader(
            received: received,
            key: key,
            encoding: isSafe ? .gzip : .identity,
            rejected: refused,
            format: format
        )
        return (isSafe ? compressed : body).withUnsafeBytes { IntakeRecord.bytes(header, body: $0) }
    }
}

/// Names of events that tell the collector to do something. They mean that in our own format only; an event of another
/// format that has such a name is kept under another one.
private enum ReservedName {
    /// How every such name begins, of today and of later versions.
    private static let prefix = "_installation_"
    /// The attribute that holds the name an event came with.
    static let originalKey = "_original_name"
    /// The attribute that says why it has another.
    static let reasonKey = "_renamed_because"

    /// Whether a name is reserved.
    static func isReserved(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// The event under a name that means nothing to the collector, with its own name and the reason as attributes.
    static func renamed(_ event: VendorEvent, from format: IntakeFormat) -> VendorEvent {
        guard isReserved(event.name) else { return event }
        var renamed = event
        renamed.name = format.rawValue + ":" + event.name
        renamed.attributes.put(originalKey, .string(event.name))
        renamed.attributes.put(reasonKey, .string("Only Trackway's own format may use the name."))
        return renamed
    }
}
