// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Bytes that only holders of an ``ErasureKey`` can read.
///
/// A cluster stores the identifiers of pending erasures in this form, because the servers' logs keep deleted records
/// for a while.
public struct SealedBytes: Sendable, Hashable {
    private let nonce: String
    private let content: [UInt8]
    private let tag: String

    /// Encrypts bytes.
    ///
    /// - Parameters:
    ///   - key: The cluster's key.
    ///   - randomUInt64: Returns random bits that are suitable for secrets.
    public init(_ bytes: [UInt8], with key: ErasureKey, randomUInt64: () -> UInt64) {
        nonce = HexadecimalText.encode((0..<2).flatMap { _ in withUnsafeBytes(of: randomUInt64()) { Array($0) } })
        content = Self.combine(bytes, key, nonce)
        tag = Self.tag(content, key, nonce)
    }

    /// Reads sealed bytes; nil if members are missing.
    public init?(json: JSONValue) {
        guard let nonce = json["nonce"]?.string, let text = json["sealed"]?.string,
            let content = HexadecimalText.decode(text), let tag = json["tag"]?.string
        else { return nil }
        (self.nonce, self.content, self.tag) = (nonce, content, tag)
    }

    /// Decrypts the bytes; nil if they were sealed with another key or changed.
    public func open(with key: ErasureKey) -> [UInt8]? {
        Self.tag(content, key, nonce) == tag ? Self.combine(content, key, nonce) : nil
    }

    /// Writes the members of the current object.
    public func write(to writer: inout JSONWriter) {
        writer.member("nonce", nonce)
        writer.member("sealed", HexadecimalText.encode(content))
        writer.member("tag", tag)
    }

    private static func tag(_ content: [UInt8], _ key: ErasureKey, _ nonce: String) -> String {
        HexadecimalText.encode(key.authenticate("seal tag", "\(nonce)\n\(HexadecimalText.encode(content))"))
    }

    /// Combines bytes with a key stream: HMAC-SHA-256 of the nonce and a counter.
    private static func combine(_ bytes: [UInt8], _ key: ErasureKey, _ nonce: String) -> [UInt8] {
        var result = bytes
        for start in stride(from: 0, to: bytes.count, by: 32) {
            let block = key.authenticate("seal", "\(nonce)\n\(start)")
            for index in start..<min(bytes.count, start + 32) { result[index] ^= block[index - start] }
        }
        return result
    }
}
