// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// A secret that encrypts files at rest: 32 or more random bytes.
///
/// The app stores it separately from those files. A password is not suitable: an attacker who has the files can try a
/// million passwords per second. Neither the description nor a dump of a key shows its bytes.
public struct EncryptionKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The minimum number of bytes in a key.
    public static let minimumBytes = 32

    package let bytes: [UInt8]
    /// A short hash of the bytes, as eight hexadecimal digits.
    ///
    /// Every encrypted file contains the ID of the key that the file requires.
    public let id: String

    /// Creates a key from the given bytes.
    ///
    /// Keys with fewer than ``minimumBytes`` bytes are rejected when they are used.
    public init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
        id = FolderKeys.Root(self.bytes).name
    }

    /// Generates a new key of 32 bytes.
    ///
    /// The bytes come from the kernel's random number generator.
    ///
    /// - Throws: an error if the kernel cannot provide random bytes. No other source is secure enough for a key.
    public static func generate() throws(StorageError) -> EncryptionKey {
        var bytes = [UInt8](repeating: 0, count: minimumBytes)
        guard bytes.withUnsafeMutableBytes({ ctrackway_random_bytes($0.baseAddress, $0.count) }) == 0 else {
            throw StorageError.system("read random bytes from", "the kernel's generator")
        }
        return EncryptionKey(bytes)
    }

    /// Passes the key's bytes to `body`, for the app to store.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// A description that identifies the key without revealing it.
    public var description: String { "encryption key \(id)" }

    /// A mirror that contains only the ID.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// The keys that encrypt an installation's files at rest.
///
/// ```swift
/// configuration.storage.encryption = .key(EncryptionKey(bytes))
/// configuration.storage.encryption = .key(EncryptionKey(newKeyBytes), previous: [EncryptionKey(bytes)])
/// ```
public struct Encryption: Sendable, Hashable {
    /// The key that encrypts new data.
    public var key: EncryptionKey
    /// Keys that can still decrypt older data.
    public var previous: [EncryptionKey]

    /// Returns settings that encrypt with a key.
    ///
    /// - Parameters:
    ///   - key: the key for new data.
    ///   - previous: keys used earlier; required while data encrypted with them is pending.
    public static func key(_ key: EncryptionKey, previous: [EncryptionKey] = []) -> Encryption {
        Encryption(key: key, previous: previous)
    }
}
