// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
internal import TrackwayWire

/// Admits bodies of the Sensors Analytics format. A function of the bytes, the project, the grant and the time.
///
/// Clients of this format delete what is answered with anything but 403, 404 and 5xx. So every event that can be read is
/// taken, or kept with the reason why not; the errors thrown here tell damage on the way apart from what is bad for ever.
package struct SensorsIntake: Sendable {
    private let limits: AdmissionLimits

    /// Admission within limits.
    package init(limits: AdmissionLimits = AdmissionLimits()) {
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
    package func admit(
        _ wire: [UInt8],
        encoding: ContentEncoding,
        project: String,
        allows: (String) -> Bool,
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
        batch.inflatedBytes = json.count
        let translation = SensorsTranslation(project: project)
        var occurrences = VendorOccurrences()
        let outcome = json.withUnsafeBytes { bytes in
            Result { () throws(AdmissionError) in
                try VendorBody.elements(of: bytes, limits: limits) { (element) throws(AdmissionError) in
                    guard case .value(let value) = element else {
                        if case .refused(let text, let fault) = element { batch.refuse(fault, original: .string(text)) }
                        return
                    }
                    do throws(VendorFault) {
                        try Self.checkProject(value, project, allows)
                        batch.add(try translation.event(value, &occurrences), original: value)
                    } catch {
                        batch.refuse(error, original: value, installation: translation.installation(value))
                    }
                }
            }
        }
        try outcome.get()
        batch.close()
        return batch
    }

    /// Looks at one body as a person does who is integrating a client: what would be accepted, and what breaks a rule.
    ///
    /// - Returns: Every broken rule of every event, in order; none when all is well.
    /// - Throws: ``AdmissionError`` when the body cannot be read.
    package func inspect(
        _ wire: [UInt8],
        encoding: ContentEncoding,
        project: String
    ) throws(AdmissionError) -> [RejectedEvent] {
        let json = try unpack(wire, encoding)
        var faults: [RejectedEvent] = []
        var index = 0
        let translation = SensorsTranslation(project: project)
        let outcome = json.withUnsafeBytes { bytes in
            Result { () throws(AdmissionError) in
                try VendorBody.elements(of: bytes, limits: limits) { (element) throws(AdmissionError) in
                    defer { index += 1 }
                    guard case .value(let value) = element else {
                        if case .refused(_, let fault) = element {
                            faults.append(
                                RejectedEvent(
                                    index: index,
                                    code: fault.code,
                                    field: fault.field,
                                    message: fault.message
                                )
                            )
                        }
                        return
                    }
                    var found = SensorsRules.faults(of: value)
                    do throws(VendorFault) {
                        var occurrences = VendorOccurrences()
                        _ = try translation.event(value, &occurrences)
                    } catch {
                        if !found.contains(where: { $0.field == error.field }) { found.insert(error, at: 0) }
                    }
                    faults += found.map {
                        RejectedEvent(index: index, code: $0.code, field: $0.field, message: $0.message)
                    }
                }
            }
        }
        try outcome.get()
        return faults
    }

    private static func checkProject(
        _ value: JSONValue,
        _ project: String,
        _ allows: (String) -> Bool
    ) throws(VendorFault) {
        guard let own = value["project"]?.text, own != project, !allows(own) else { return }
        throw VendorFault(
            "project_unknown",
            "project",
            "The event names the project “\(own.prefix(128))”, which the key of “\(project)” does not let in."
        )
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
        let first = data.first { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
        if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") { return data }
        let outcome = data.withUnsafeBytes { bytes in
            Result { () throws(AdmissionError) in try VendorBody.unpack(base64: bytes, limits: inflateLimits) }
        }
        return try outcome.get()
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
