// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayWire

/// Admits bodies of the Clickstream format. A function of the bytes, the query, the grant and the time.
///
/// The body may be an array of events, one event, base64 text of either compressed, or compressed bytes; what it is, is
/// seen by looking at it, as the format's own receivers do. A faulty event costs only itself.
public struct ClickstreamIntake: Sendable {
    private let limits: AdmissionLimits

    /// Admission within limits.
    public init(limits: AdmissionLimits = AdmissionLimits()) {
        self.limits = limits
    }

    /// Judges one body.
    ///
    /// - Parameters:
    ///   - wire: The body as received.
    ///   - encoding: How the transport encoded it.
    ///   - app: The `appId` of the query; every event must name the same.
    ///   - hashCode: The `hashCode` of the query, if there is one.
    ///   - grant: The key that lets the app in.
    ///   - received: The collector's time.
    ///   - isErased: Whether an installation was erased; events of it are refused, and nothing of them is kept.
    /// - Throws: ``AdmissionError`` when nothing of it can be accepted: `hash_mismatch`, `malformed_json`, ….
    public func admit(
        _ wire: [UInt8],
        encoding: ContentEncoding,
        app: String,
        hashCode: String?,
        grant: KeyGrant,
        received: Timestamp,
        isErased: @escaping @Sendable (InstallationID) -> Bool = { _ in false }
    ) throws(AdmissionError) -> VendorBatch {
        let text = encoding == .gzip ? try VendorBody.inflate(wire, limits: limits.body) : wire
        try check(hashCode, of: [wire, text])
        let json = try unpack(text)
        var batch = VendorBatch(
            .clickstream,
            limits: limits,
            key: grant.name,
            received: received,
            isErased: isErased
        )
        var translation = ClickstreamTranslation(app: app)
        try batch.fill(from: json, by: &translation)
        return batch
    }

    /// The hash is of the text as it was sent. A client that leaves compression to its transport may have hashed either.
    private func check(_ hashCode: String?, of candidates: [[UInt8]]) throws(AdmissionError) {
        guard let hashCode, !hashCode.isEmpty else { return }
        for bytes in candidates where Self.hashCode(of: bytes) == hashCode.lowercased() { return }
        throw AdmissionError(
            .malformed,
            code: "hash_mismatch",
            field: "hashCode",
            message:
                "The body is not what was sent: its hash is \(Self.hashCode(of: candidates[0])), not \(hashCode.prefix(64))."
        )
    }

    /// The first eight hexadecimal digits of SHA-256.
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
                code: "empty_batch",
                message: "The body is empty; send an array of events."
            )
        case UInt8(ascii: "["), UInt8(ascii: "{"): return text
        default:
            return try VendorBody.unpack(base64: text, limits: limits.body)
        }
    }
}
