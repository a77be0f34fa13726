// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// The hash of a person's identifier, made with the collector's ``ErasureKey``.
///
/// The hash remains after an erasure, so that later events of the person can be refused and receipts can be checked.
/// Without the key, the identifier cannot be found by hashing likely ones.
public struct IdentityHash: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes of the hash.
    public let bytes: [UInt8]

    fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a hash from 64 hexadecimal digits; nil if invalid.
    public init?(_ text: some StringProtocol) {
        guard let bytes = HexadecimalText.decode(text), bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Creates a hash from its 32 bytes; nil for another length.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// The hash as 64 lowercase hexadecimal digits.
    public var description: String { HexadecimalText.encode(bytes) }
}

/// The secret with which a collector or a cluster hashes erased identifiers and signs receipts.
///
/// Hashes and signatures are HMAC-SHA-256 (RFC 2104). Each use has its own prefix, so that a hash is never a valid
/// signature.
public struct ErasureKey: Sendable, Hashable {
    private let bytes: [UInt8]

    /// Creates a new key of 32 bytes.
    ///
    /// - Parameter randomUInt64: Returns random bits that are suitable for secrets.
    public init(randomUInt64: () -> UInt64) {
        bytes = (0..<4).flatMap { _ in withUnsafeBytes(of: randomUInt64()) { Array($0) } }
    }

    /// Reads a key from 64 hexadecimal digits; nil if invalid.
    public init?(_ text: some StringProtocol) {
        guard let bytes = HexadecimalText.decode(text), bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// The key as 64 lowercase hexadecimal digits.
    public var text: String { HexadecimalText.encode(bytes) }

    /// A name of the key that reveals nothing about it: 16 hexadecimal digits.
    public var fingerprint: String { String(HexadecimalText.encode(authenticate("key", "")).prefix(16)) }

    /// Returns the hash of a user's id.
    public func hash(user id: String) -> IdentityHash { IdentityHash(authenticate("user", id)) }

    /// Returns the hash of an installation's id.
    public func hash(installation id: InstallationID) -> IdentityHash {
        IdentityHash(authenticate("installation", id.description))
    }

    /// Returns the signature of a receipt's text.
    func signature(of receipt: String) -> [UInt8] { authenticate("receipt", receipt) }

    /// Returns a hash of a text for a use; each use has its own hashes.
    func authenticate(_ use: String, _ text: String) -> [UInt8] {
        SHA256.authenticate(Array("trackway \(use)\n\(text)".utf8), key: bytes)
    }
}

extension ErasureKey {
    /// Reads a collector's key file, and creates it with a new key if it is missing.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the file.
    ///   - storage: The storage of the file.
    ///   - randomUInt64: Returns random bits that are suitable for secrets.
    /// - Throws: `StorageError` if the file cannot be read or created, or ``ErasureError`` if it contains no key.
    public static func open(
        _ path: String,
        storage: any JournalStorage = DiskStorage(),
        randomUInt64: () -> UInt64
    ) throws -> ErasureKey {
        if let content = try storage.contents(of: path) {
            let text = String(decoding: content, as: UTF8.self).filter { !$0.isWhitespace }
            guard let key = ErasureKey(text) else {
                throw ErasureError(
                    "\(path) contains no erasure key. Restore the file from a backup; without it, erased users are not "
                        + "recognized and receipts cannot be checked."
                )
            }
            return key
        }
        let key = ErasureKey(randomUInt64: randomUInt64)
        _ = try storage.create(path, with: Array((key.text + "\n").utf8), durably: true)
        return key
    }
}

/// A failure of an erasure.
public struct ErasureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened and what to do, as sentences.
    public var description: String

    /// Creates a failure.
    public init(_ description: String) {
        self.description = description
    }
}

/// Converts bytes to and from hexadecimal digits.
enum HexadecimalText {
    static func encode(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Returns nil if the text has an odd length or contains another character.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.compactMap { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
