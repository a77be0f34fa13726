// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// A secret shared by a sender and a receiver of webhooks.
///
/// The text of a secret has the form of Standard Webhooks: `whsec_` and base64.
public struct WebhookSecret: Sendable, Hashable {
    /// The key of the signature: 24 to 64 bytes.
    public let bytes: [UInt8]

    /// Creates a new secret of 32 bytes.
    ///
    /// - Parameter randomUInt64: Returns random bits that are suitable for secrets.
    public init(randomUInt64: () -> UInt64) {
        bytes = (0..<4).flatMap { _ in
            let bits = randomUInt64()
            return (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
        }
    }

    /// Reads a secret, with or without the prefix `whsec_`.
    ///
    /// Nil if it is invalid.
    public init?(_ text: String) {
        let base64 = text.hasPrefix(Self.prefix) ? text.dropFirst(Self.prefix.count) : text[...]
        let decoded = Array(base64.utf8).withUnsafeBytes(Base64.decodeLeniently)
        guard let decoded, (24...64).contains(decoded.count) else { return nil }
        bytes = decoded
    }

    /// The secret as text.
    public var text: String { Self.prefix + String(decoding: Base64.encode(bytes), as: UTF8.self) }

    private static let prefix = "whsec_"
}

/// Signs and checks messages as defined by Standard Webhooks 1.0.0.
///
/// The signature is HMAC-SHA-256 over `id.timestamp.body`.
public enum WebhookSignature {
    /// The maximum age or lead of a message's time, in seconds.
    ///
    /// Beyond it, a message counts as replayed by a third party.
    public static let tolerance: Int64 = 300

    /// Returns the value of `webhook-signature`.
    ///
    /// The value has one signature per secret, the one for the current secret first.
    ///
    /// - Parameters:
    ///   - id: The value of `webhook-id`.
    ///   - seconds: The value of `webhook-timestamp`, in seconds since 1970.
    ///   - body: The body as sent, byte for byte.
    ///   - secrets: The valid secrets.
    /// - Complexity: O(bytes · secrets).
    public static func header(id: String, seconds: Int64, body: [UInt8], secrets: [WebhookSecret]) -> String {
        secrets.map { "v1," + String(decoding: Base64.encode(signature(id, seconds, body, $0)), as: UTF8.self) }.joined(
            separator: " "
        )
    }

    /// The reason why a message is not accepted.
    public enum Refusal: Error, Hashable {
        /// None of the message's signatures was made with the secret for this body.
        case unsigned
        /// The message is signed, but its time is outside the tolerance.
        case outsideTolerance(seconds: Int64)
    }

    /// Checks that a message was recently signed with a secret.
    ///
    /// Takes the same time for every wrong signature.
    ///
    /// - Parameter now: The current time in seconds since 1970; nil skips the check of the time.
    /// - Throws: ``Refusal``.
    public static func check(
        _ header: String,
        id: String,
        seconds: Int64,
        body: [UInt8],
        secret: WebhookSecret,
        now: Int64?
    ) throws(Refusal) {
        let expected = signature(id, seconds, body, secret)
        var isSigned = false
        for part in header.split(separator: " ").prefix(32) where part.hasPrefix("v1,") {
            let presented = Array(part.dropFirst(3).utf8).withUnsafeBytes(Base64.decodeLeniently) ?? []
            guard presented.count == expected.count else { continue }
            let difference = zip(presented, expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
            if difference == 0 { isSigned = true }
        }
        guard isSigned else { throw .unsigned }
        guard let now else { return }
        let (age, overflows) = now.subtractingReportingOverflow(seconds)
        guard !overflows, age.magnitude <= UInt64(tolerance) else {
            throw .outsideTolerance(seconds: overflows ? .max : age)
        }
    }

    private static func signature(
        _ id: String,
        _ seconds: Int64,
        _ body: [UInt8],
        _ secret: WebhookSecret
    ) -> [UInt8] {
        SHA256.authenticate(Array("\(id).\(seconds).".utf8) + body, key: secret.bytes)
    }
}
