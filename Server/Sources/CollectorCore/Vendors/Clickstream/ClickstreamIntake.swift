// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit

/// Admits bodies of the Clickstream format.
///
/// Admission is a pure function of the bytes, the query, the grant, and the time.
///
/// The body may be an array of events, one event, the base64 text of either in compressed form, or compressed bytes.
/// The form is detected from the body, as in the format's own receivers. An invalid event affects only itself.
public struct ClickstreamIntake: Sendable {
    private let limits: AdmissionLimits

    /// Creates an intake with these limits.
    public init(limits: AdmissionLimits = AdmissionLimits()) {
        self.limits = limits
    }

    /// Checks one body.
    ///
    /// - Parameters:
    ///   - wire: The body as received.
    ///   - encoding: The encoding applied by the transport.
    ///   - app: The `appId` of the query; every event must name the same one.
    ///   - hashCode: The `hashCode` of the query, if any.
    ///   - grant: The grant of the key that allows the app.
    ///   - received: The time of arrival by the collector's clock.
    ///   - isErased: Returns whether an installation was erased; events of erased installations are rejected and not
    ///     stored.
    ///   - isErasedUser: Returns whether a user was erased; events of erased users are rejected and not stored.
    /// - Throws: ``AdmissionError`` if no part of the body can be accepted: `hash_mismatch`, `malformed_json`, ….
    public func admit(
        _ wire: [UInt8],
        encoding: ContentEncoding,
        app: String,
        hashCode: String?,
        grant: KeyGrant,
        received: Timestamp,
        isErased: @escaping @Sendable (InstallationID) -> Bool = { _ in false },
        isErasedUser: @escaping @Sendable (String) -> Bool = { _ in false }
    ) throws(AdmissionError) -> VendorBatch {
        let text = encoding == .gzip ? try VendorBody.inflate(wire, limits: limits.body) : wire
        try check(hashCode, of: [wire, text])
        let json = try unpack(text)
        var batch = VendorBatch(
            .clickstream,
            limits: limits,
            key: grant.name,
            received: received,
            isErased: isErased,
            isErasedUser: isErasedUser
        )
        var translation = ClickstreamTranslation(app: app)
        try batch.fill(from: json, by: &translation)
        return batch
    }

    /// Checks the hash of the text as it was sent.
    ///
    /// A client that leaves compression to its transport may have hashed either form.
    private func check(_ hashCode: String?, of candidates: [[UInt8]]) throws(AdmissionError) {
        guard let hashCode, !hashCode.isEmpty else { return }
        for bytes in candidates where Self.hashCode(of: bytes) == hashCode.lowercased() { return }
        throw AdmissionError(
            .malformed,
            code: .hashMismatch,
            field: "hashCode",
            message:
                """
                The body was changed in transit: its hash is \(Self.hashCode(of: candidates[0])), \
                not \(hashCode.prefix(64)).
                """
        )
    }

    /// Returns the first eight hexadecimal digits of the SHA-256.
    static func hashCode(of bytes: [UInt8]) -> String {
        SHA256.hash(bytes).prefix(4).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    private func unpack(_ text: [UInt8]) throws(AdmissionError) -> [UInt8] {
        if VendorBody.isGzip(text) { return try VendorBody.inflate(text, limits: limits.body) }
        switch VendorBody.firstByte(text) {
        case nil:
            throw AdmissionError(
                .malformed,
                code: .emptyBatch,
                message: "The body is empty; send an array of events."
            )
        case UInt8(ascii: "["), UInt8(ascii: "{"): return text
        default:
            return try VendorBody.unpack(base64: text, limits: limits.body)
        }
    }
}
