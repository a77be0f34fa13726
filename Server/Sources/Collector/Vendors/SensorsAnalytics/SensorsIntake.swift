// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayWire

/// Admits bodies of the Sensors Analytics format. A function of the bytes, the project, the grant and the time.
///
/// Clients of this format delete what is answered with anything but 403, 404 and 5xx. So every event that can be read is
/// taken, or kept with the reason why not; the errors thrown here tell damage on the way apart from what is bad for ever.
public struct SensorsIntake: Sendable {
    private let limits: AdmissionLimits

    /// Admission within limits.
    public init(limits: AdmissionLimits = AdmissionLimits()) {
        self.limits = limits
    }

    /// Judges one body.
    ///
    /// - Parameters:
    ///   - wire: The form as received.
    ///   - encoding: How the transport encoded it.
    ///   - project: The project of the request.
    ///   - allows: Whether the request's key lets in another project, which an event may name for itself.
    ///   - grant: The key that lets the project in.
    ///   - received: The collector's time.
    ///   - isErased: Whether an installation was erased; events of it are refused, and nothing of them is kept.
    /// - Throws: ``AdmissionError``: `crc_mismatch` when the body was damaged on the way, `encrypted` when only its maker
    ///   can read it, and others when it can never be read.
    public func admit(
        _ wire: [UInt8],
        encoding: ContentEncoding,
        project: String,
        allows: @escaping (String) -> Bool,
        grant: KeyGrant,
        received: Timestamp,
        isErased: @escaping @Sendable (InstallationID) -> Bool = { _ in false }
    ) throws(AdmissionError) -> VendorBatch {
        let json = try unpack(wire, encoding)
        var batch = VendorBatch(
            .sensorsAnalytics,
            limits: limits,
            key: grant.name,
            received: received,
            isErased: isErased
        )
        var translation = SensorsTranslation(project: project, allows: allows)
        try batch.fill(from: json, by: &translation)
        return batch
    }

    /// Looks at one body as a person does who is integrating a client: what would be accepted, and what breaks a rule.
    ///
    /// - Returns: Every broken rule of every event, in order; none when all is well.
    /// - Throws: ``AdmissionError`` when the body cannot be read.
    public func inspect(
        _ wire: [UInt8],
        encoding: ContentEncoding,
        project: String
    ) throws(AdmissionError) -> [RejectedEvent] {
        let json = try unpack(wire, encoding)
        var faults: [RejectedEvent] = []
        var index = 0
        try VendorBody.elements(of: json, limits: limits) { element in
            var found: [VendorFault] = []
            switch element {
            case .refused(_, let fault): found = [fault]
            case .value(let value):
                found = SensorsRules.faults(of: value)
                // What is asked here has no key, so that no other project is out of its reach.
                var translation = SensorsTranslation(project: project, allows: { _ in true })
                do throws(VendorFault) {
                    _ = try translation.event(value)
                } catch {
                    if !found.contains(where: { $0.field == error.field }) { found.insert(error, at: 0) }
                }
            }
            faults += found.map {
                RejectedEvent(index: index, code: $0.code, field: $0.field, message: $0.message)
            }
            index += 1
        }
        return faults
    }

    private func unpack(_ wire: [UInt8], _ encoding: ContentEncoding) throws(AdmissionError) -> [UInt8] {
        let form = SensorsForm(encoding == .gzip ? try VendorBody.inflate(wire, limits: inflateLimits) : wire)
        guard let data = form.data, !data.isEmpty else {
            throw AdmissionError(
                .malformed,
                code: "empty_batch",
                field: "data_list",
                message: "The form has neither “data_list” nor “data”."
            )
        }
        try check(form, data)
        if form.packing == 9 || form.packing == 13 {
            throw AdmissionError(
                .forbidden,
                code: "encrypted",
                field: "gzip",
                message:
                    "The events are encrypted (gzip=\(form.packing ?? 0)) and the key to read them is not here; "
                    + "switch encryption off in the client or in its remote configuration."
            )
        }
        let first = VendorBody.firstByte(data)
        if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") { return data }
        return try VendorBody.unpack(base64: data, limits: inflateLimits)
    }

    private func check(_ form: SensorsForm, _ data: [UInt8]) throws(AdmissionError) {
        guard form.checksum != nil || form.hasBadChecksum else { return }
        let found = SensorsForm.checksum(of: data)
        guard form.checksum != found else { return }
        throw AdmissionError(
            .malformed,
            code: "crc_mismatch",
            field: "crc",
            message:
                "The body is not what was sent: its checksum is \(found), and the form says otherwise. Send it again."
        )
    }

    private var inflateLimits: InflateLimits {
        var limits = limits.body
        limits.wireBytes = self.limits.sensorsBytes
        return limits
    }
}

/// A body of the Sensors Analytics format: a form with one text of packed events in it.
struct SensorsForm: Sendable, Hashable {
    /// The packed events: `data_list`, or `data` for a single one.
    var data: [UInt8]?
    /// What `gzip` says: 0 plain, 1 compressed, 9 and 13 encrypted; nil when it is not said.
    var packing: Int?
    /// The checksum of the packed text, if there is one.
    var checksum: Int32?
    /// Whether there is a checksum that is not a number.
    var hasBadChecksum = false

    /// Reads a form; fields it does not know are passed over, and of one that stands twice the last counts.
    ///
    /// - Complexity: O(bytes).
    init(_ body: [UInt8]) {
        var single: [UInt8]?
        for field in body.split(separator: UInt8(ascii: "&")) {
            let equals = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            let value = field[min(equals + 1, field.endIndex)...]
            switch String(decoding: field[..<equals], as: UTF8.self) {
            case "data_list": data = Self.unescaped(value)
            case "data": single = Self.unescaped(value)
            case "gzip": packing = Int(String(decoding: Self.unescaped(value), as: UTF8.self))
            case "crc":
                let text = String(decoding: Self.unescaped(value), as: UTF8.self)
                // Signed as documented; some clients print the same 32 bits without a sign.
                checksum = Int32(text) ?? UInt32(text).map { Int32(bitPattern: $0) }
                hasBadChecksum = checksum == nil
            default: break
            }
        }
        data = data ?? single
    }

    /// Text with its escapes resolved. A percent sign without two digits stands for itself.
    static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return Array(text) }
        return PercentText.decode(text, plusIsSpace: true)
    }

    /// The format's checksum of a text: `h = 31·h + unit` over its UTF-16 units, wrapping.
    static func checksum(of text: [UInt8]) -> Int32 {
        String(decoding: text, as: UTF8.self).utf16.reduce(0) { 31 &* $0 &+ Int32($1) }
    }
}
