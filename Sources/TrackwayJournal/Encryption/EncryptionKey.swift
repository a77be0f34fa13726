// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// A secret that files at rest are encrypted with: 32 bytes of chance or more, which the app keeps somewhere else than beside
/// those files.
///
/// It is no password: whoever has the files can try a million passwords a second. Neither a description nor a dump of a
/// value shows its bytes.
public struct EncryptionKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// How many bytes a key has at least.
    public static let leastBytes = 32

    package let bytes: [UInt8]
    /// A short hash of the bytes, eight hexadecimal digits. It stands in every encrypted file and tells which key that needs.
    public let id: String

    /// A key of these bytes. Fewer than ``leastBytes`` are refused where the key is to be used.
    public init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
        id = FolderKeys.Root(self.bytes).name
    }

    /// A new key of 32 bytes from the kernel's generator.
    ///
    /// - Throws: when the kernel has no chance to give; nothing else is good enough for a key.
    public static func generate() throws(StorageError) -> EncryptionKey {
        var bytes = [UInt8](repeating: 0, count: leastBytes)
        guard bytes.withUnsafeMutableBytes({ ctrackway_random_bytes($0.baseAddress, $0.count) }) == 0 else {
            throw StorageError.system("draw a key from", "the kernel's generator")
        }
        return EncryptionKey(bytes)
    }

    /// The key's bytes, for the app to keep.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// Names the key without telling it.
    public var description: String { "encryption key \(id)" }

    /// Shows the id alone.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// Which keys an installation's files are encrypted with at rest.
///
/// ```swift
/// configuration.storage.encryption = .key(EncryptionKey(bytes))
/// configuration.storage.encryption = .key(EncryptionKey(fresh), previous: [EncryptionKey(bytes)])
/// ```
public struct Encryption: Sendable, Hashable {
    /// What is written is encrypted with this key.
    public var key: EncryptionKey
    /// What was encrypted with one of these can still be read.
    public var previous: [EncryptionKey]

    /// Encrypts with a key.
    ///
    /// - Parameters:
    ///   - key: for what is written from now on.
    ///   - previous: keys that were used before, as long as something encrypted with them waits.
    public static func key(_ key: EncryptionKey, previous: [EncryptionKey] = []) -> Encryption {
        Encryption(key: key, previous: previous)
    }
}
