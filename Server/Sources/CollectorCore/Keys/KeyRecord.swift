// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A line of the key file.
///
/// It contains everything about a key except its text.
public struct KeyRecord: Sendable, Hashable {
    /// The name that the operator gave the key.
    ///
    /// A name has 1 to 64 letters, digits, `.`, `_`, or `-`.
    public var name: String
    /// The allowed scopes.
    public var scopes: Set<KeyScope>
    /// The time when the key was created.
    public var created: Timestamp
    /// The digest of the key's text.
    public var digest: KeyDigest
    /// The accounts of other formats that the key allows.
    public var accounts: [VendorAccount]
    /// The key's own limits, if any.
    public var limits: KeyLimits

    /// The permissions of the key's holder.
    var grant: KeyGrant { KeyGrant(name: name, scopes: scopes, accounts: accounts, limits: limits) }

    /// Whether a name is valid for a key.
    public static func isValid(name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowedInName)
    }

    /// Whether a byte is valid in a key's or an account's name.
    static func isAllowedInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The line in the file: `name scopes created digest word…`.
    ///
    /// Scopes are joined by `+`, and `created` is in milliseconds. A word is an account such as `clickstream=shop`, or
    /// a limit such as `rate=50`. Most keys have no words.
    var line: String {
        let scopes = KeyScope.allCases.filter(scopes.contains).map(\.rawValue).joined(separator: "+")
        let words =
            [name, scopes, String(created.milliseconds), digest.hexadecimal]
            + accounts.map(\.description) + limits.words
        return words.joined(separator: " ")
    }

    /// Reads a line; nil if it is invalid.
    init?(line: some StringProtocol) {
        let parts = line.split(separator: " ")
        guard parts.count >= 4, let created = Int64(parts[2]), let digest = KeyDigest(hexadecimal: parts[3]) else {
            return nil
        }
        let scopes = parts[1].split(separator: "+").map { KeyScope(rawValue: String($0)) }
        guard !scopes.isEmpty, !scopes.contains(nil), Self.isValid(name: String(parts[0])) else { return nil }
        var accounts: [VendorAccount] = []
        var limits = KeyLimits()
        for word in parts.dropFirst(4) where !limits.read(word) {
            guard let account = VendorAccount(word: word) else { return nil }
            accounts.append(account)
        }
        self.init(
            name: String(parts[0]),
            scopes: Set(scopes.compactMap { $0 }),
            created: Timestamp(milliseconds: created),
            digest: digest,
            accounts: accounts,
            limits: limits
        )
    }

    /// Creates the record of a new key.
    init(
        name: String,
        scopes: Set<KeyScope>,
        created: Timestamp,
        digest: KeyDigest,
        accounts: [VendorAccount] = [],
        limits: KeyLimits = KeyLimits()
    ) {
        self.name = name
        self.scopes = scopes
        self.created = created
        self.digest = digest
        self.accounts = accounts
        self.limits = limits
    }
}

/// The SHA-256 of a key, stored instead of the key.
///
/// A key has 260 random bits, so its plain hash cannot be reversed by brute force, and checking a key costs about a
/// microsecond. Slow password hashes are needed only for secrets that people choose.
public struct KeyDigest: Sendable, Hashable {
    /// The 32 bytes of the hash.
    let bytes: [UInt8]

    /// Creates the digest of a key's text.
    public init(of key: String) {
        bytes = SHA256.hash(key.utf8)
    }

    /// Reads a digest from 64 hexadecimal digits; nil if invalid.
    public init?(hexadecimal text: some StringProtocol) {
        guard let bytes = HexadecimalText.decode(text), bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// The digest as 64 lowercase hexadecimal digits.
    public var hexadecimal: String {
        HexadecimalText.encode(bytes)
    }

    /// Whether the two digests are equal, compared in constant time.
    func matches(_ other: KeyDigest) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        var difference: UInt8 = 0
        for index in bytes.indices { difference |= bytes[index] ^ other.bytes[index] }
        return difference == 0
    }
}
