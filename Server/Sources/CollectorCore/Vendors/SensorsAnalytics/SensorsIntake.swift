// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit

/// Admits bodies of the Sensors Analytics format.
///
/// Admission is a pure function of the bytes, the project, the grant, and the time.
///
/// Clients of this format delete a body after any response except 403, 404 and 5xx. Therefore every readable event is
/// accepted, or stored with the reason for its rejection. The errors thrown here distinguish damage in transit from
/// bodies that can never be read.
public struct SensorsIntake: Sendable {
    private let limits: AdmissionLimits

    /// Creates an intake with these limits.
    public init(limits: AdmissionLimits = AdmissionLimits()) {
        self.limits = limits
    }

    /// Checks one body.
    ///
    /// - Parameters:
    ///   - wire: The body, a form, as received.
    ///   - encoding: The encoding applied by the transport.
    ///   - project: The project of the request.
    ///   - allows: Returns whether the request's key also allows another project, because an event may name its own.
    ///   - grant: The grant of the key that allows the project.
    ///   - received: The time of arrival by the collector's clock.
    ///   - isErased: Returns whether an installation was erased; events of erased installations are rejected and not
    ///     stored.
    ///   - isErasedUser: Returns whether a user was erased; events of erased users are rejected and not stored.
    /// - Throws: ``AdmissionError``: `crc_mismatch` if the body was damaged in transit, `encrypted` if the collector
    ///   lacks the key to read it, and other errors if the body can never be read.
    public func admit(
        _ wire: [UInt8],
        encoding: ContentEncoding,
        project: String,
        allows: @escaping (String) -> Bool,
        grant: KeyGrant,
        received: Timestamp,
        isErased: @escaping @Sendable (InstallationID) -> Bool = { _ in false },
        isErasedUser: @escaping @Sendable (String) -> Bool = { _ in false }
    ) throws(AdmissionError) -> VendorBatch {
        let json = try unpack(wire, encoding)
        var batch = VendorBatch(
            .sensorsAnalytics,
            limits: limits,
            key: grant.name,
            received: received,
            isErased: isErased,
            isErasedUser: isErasedUser
        )
        var translation = SensorsTranslation(project: project, allows: allows)
        try batch.fill(from: json, by: &translation)
        return batch
    }

    /// Checks one body for a developer who is integrating a client.
    ///
    /// The check determines what would be accepted, and which rules are broken.
    ///
    /// - Returns: Every broken rule of every event, in order; empty if no rule is broken.
    /// - Throws: ``AdmissionError`` if the body cannot be read.
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
                // This request has no key, so all projects are allowed.
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
                code: .emptyBatch,
                field: "data_list",
                message: "The form has neither “data_list” nor “data”."
            )
        }
        try check(form, data)
        if form.packing == 9 || form.packing == 13 {
            throw AdmissionError(
                .forbidden,
                code: .encrypted,
                field: "gzip",
                message:
                    "The events are encrypted (gzip=\(form.packing ?? 0)) and the collector has no key to read them; "
                    + "turn off encryption in the client or in its remote configuration."
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
            code: .crcMismatch,
            field: "crc",
            message:
                "The body was damaged in transit: its checksum is \(found), unlike the form's “crc”. Send it again."
        )
    }

    private var inflateLimits: InflateLimits {
        var limits = limits.body
        limits.wireBytes = self.limits.sensorsBytes
        return limits
    }
}

/// A body of the Sensors Analytics format.
///
/// The body is a form with one field of packed events.
struct SensorsForm: Sendable, Hashable {
    /// The packed events: `data_list`, or `data` for a single one.
    var data: [UInt8]?
    /// The value of `gzip`: 0 for plain, 1 for compressed, 9 and 13 for encrypted.
    ///
    /// Nil if missing.
    var packing: Int?
    /// The checksum of the packed text, if any.
    var checksum: Int32?
    /// Whether there is a checksum that is not a number.
    var hasBadChecksum = false

    /// Reads a form, ignoring unknown fields; of duplicate fields, the last counts.
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

    /// Returns text with its escapes decoded.
    ///
    /// A percent sign that is not followed by two hexadecimal digits is kept.
    static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return Array(text) }
        return PercentText.decode(text, plusIsSpace: true)
    }

    /// Returns the format's checksum of a string.
    ///
    /// `h = 31·h + unit` over its UTF-16 units, wrapping.
    static func checksum(of text: [UInt8]) -> Int32 {
        String(decoding: text, as: UTF8.self).utf16.reduce(0) { 31 &* $0 &+ Int32($1) }
    }
}
