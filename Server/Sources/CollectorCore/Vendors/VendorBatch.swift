// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit

/// An admitted body of another format, ready to be committed.
///
/// Every event is translated into our own format, or stored with the reason for its rejection.
public struct VendorBatch: Sendable {
    /// The number of accepted events.
    public private(set) var accepted = 0
    /// The rejected events, in order.
    public private(set) var rejected: [RejectedEvent] = []
    /// The records for the intake log.
    ///
    /// There is usually one; a long body has several.
    public private(set) var records: [[UInt8]] = []
    /// The size of the inflated body in bytes.
    public private(set) var inflatedBytes = 0
    /// The number of events per erased installation.
    ///
    /// The records contain nothing of these events; ``rejected`` lists them.
    public private(set) var erased: [InstallationID: Int] = [:]

    private let format: IntakeFormat
    private let limits: AdmissionLimits
    private let key: String
    private let received: Timestamp
    private let isErased: @Sendable (InstallationID) -> Bool
    private let isErasedUser: @Sendable (String) -> Bool
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

    /// The number of bytes at which a record is closed.
    ///
    /// The limit is far below the capacity of a segment of the log.
    private static let recordBytes = 2 << 20
    /// The maximum compression ratio of a stored body.
    ///
    /// Above this ratio, a body is stored uncompressed, so that reading it never exceeds the limit against
    /// decompression bombs.
    private static let safeRatio = 50

    init(
        _ format: IntakeFormat,
        limits: AdmissionLimits,
        key: String,
        received: Timestamp,
        isErased: @escaping @Sendable (InstallationID) -> Bool = { _ in false },
        isErasedUser: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.isErased = isErased
        self.isErasedUser = isErasedUser
        self.format = format
        self.limits = limits
        self.key = key
        self.received = received
    }

    /// The number of events, including rejected ones.
    public var count: Int { accepted + rejected.count }

    /// Translates every event of an unpacked body in order.
    ///
    /// Closes the last record afterward. An invalid event affects only itself.
    ///
    /// - Parameter key: The member of the body that contains the events; nil if the body itself contains them.
    /// - Throws: The ``AdmissionError`` of ``VendorBody/elements(of:under:limits:_:)``.
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

    /// Adds every event that `elements` passes, in order.
    ///
    /// Closes the last record afterward. An invalid event affects only itself.
    ///
    /// - Parameters:
    ///   - inflatedBytes: The length of the unpacked body.
    ///   - elements: Passes the body's events.
    /// - Throws: The error of `elements`, in which case the batch must not be used.
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

    /// Accepts an event within our limits whose installation was not erased.
    ///
    /// An event whose name has a special meaning for the collector gets another name.
    private mutating func add(_ event: VendorEvent, original: JSONValue) {
        if discardIfErased(event.installation, id: event.id) { return }
        if let user = event.context.user.id, isErasedUser(user) {
            return rejected.append(.erasedUser(index: count, id: event.id))
        }
        let event = ReservedName.renamed(event, from: format)
        let line = event.line
        let fault: VendorFault? = line.withUnsafeBytes { bytes in
            do throws(EventFault) {
                _ = try EventScan(bytes, limits: limits.vendorEvent)
                return nil
            } catch {
                return VendorFault(ResponseCode(rawValue: error.code.rawValue), error.field, error.message)
            }
        }
        if let fault { return refuse(fault, original: original, installation: event.installation, id: event.id) }
        let context = event.context.json()
        guard context.count <= limits.vendorEvent.eventBytes else {
            let fault = VendorFault(
                .contextTooLarge,
                "",
                "The app, device and user data of the event has \(context.count) bytes; "
                    + "at most \(limits.vendorEvent.eventBytes) are accepted."
            )
            return refuse(fault, original: original, installation: event.installation, id: event.id)
        }
        accepted += 1
        append(Outcome(installation: event.installation, context: context, line: line, index: count - 1, id: event.id))
    }

    /// Stores an event with the reason for its rejection.
    ///
    /// The log contains the event as it arrived, wrapped under the format's name, so that it is never mistaken for one
    /// of ours.
    private mutating func refuse(
        _ fault: VendorFault,
        original: JSONValue,
        installation: InstallationID? = nil,
        id: EventID? = nil
    ) {
        if discardIfErased(installation, id: id) { return }
        if mentionsErasedUser(original) { return rejected.append(.erasedUser(index: count, id: id)) }
        let line = JSONValue.object(.init([.init(key: format.rawValue, value: original)])).json()
        rejected.append(
            RejectedEvent(index: count, id: id, code: fault.code, field: fault.field, message: fault.message)
        )
        append(Outcome(installation: installation, context: [], line: line, fault: fault, index: count - 1, id: id))
    }

    /// Whether a string in an event that cannot be translated is the id of an erased user.
    private func mentionsErasedUser(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): isErasedUser(text)
        case .array(let elements): elements.contains { mentionsErasedUser($0) }
        case .object(let object): object.members.contains { mentionsErasedUser($0.value) }
        default: false
        }
    }

    /// Counts an event of an erased installation, of which nothing is stored.
    ///
    /// - Returns: Whether the event belongs to an erased installation.
    private mutating func discardIfErased(_ installation: InstallationID?, id: EventID?) -> Bool {
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

    /// Closes the record that is being filled.
    private mutating func close() {
        guard !outcomes.isEmpty else { return }
        var body: [UInt8] = []
        body.reserveCapacity(bytes + 128)
        var refused: [RejectedEvent] = []
        var context: [UInt8]?
        // Keep the order of arrival: a server sends events of many people in one body, and nothing else orders events
        // within the same millisecond.
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

/// Event names that are commands to the collector.
///
/// These names have this meaning only in our own format. An event of another format with such a name is stored under
/// another name.
private enum ReservedName {
    /// The prefix of all these names, in this version and in later ones.
    private static let prefix = "_installation_"
    /// The attribute for the event's original name.
    static let originalKey = "_original_name"
    /// The attribute for the reason why the event was renamed.
    static let reasonKey = "_renamed_because"

    /// Whether a name is reserved.
    static func isReserved(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// Returns the event under a name without a special meaning.
    ///
    /// The event's own name and the reason become attributes.
    static func renamed(_ event: VendorEvent, from format: IntakeFormat) -> VendorEvent {
        guard isReserved(event.name) else { return event }
        var renamed = event
        renamed.name = format.rawValue + ":" + event.name
        renamed.attributes.put(originalKey, .string(event.name))
        renamed.attributes.put(reasonKey, .string("Only Trackway's own format may use the name."))
        return renamed
    }
}
