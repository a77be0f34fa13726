// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The system's AES-256-GCM implementation with one key.
///
/// Callable from any thread.
package protocol AuthenticatedCipher: AnyObject, Sendable {
    /// Encrypts plaintext.
    ///
    /// Writes the same number of bytes to `output`, followed by a 16-byte tag.
    ///
    /// - Parameters:
    ///   - nonce: 12 bytes that have never been used with this key before.
    ///   - associated: data that is authenticated with the plaintext but not stored.
    /// - Returns: false if the system's library fails; the contents of `output` are then undefined.
    func encrypt(
        _ text: UnsafeRawBufferPointer,
        nonce: UnsafeRawPointer,
        with associated: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawPointer
    ) -> Bool

    /// Decrypts the output of ``encrypt(_:nonce:with:into:)``, including the tag.
    ///
    /// Writes the plaintext to `output`.
    ///
    /// - Returns: false if the bytes were not encrypted with this key, nonce, and associated data.
    func decrypt(
        _ bytes: UnsafeRawBufferPointer,
        nonce: UnsafeRawPointer,
        with associated: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawPointer
    ) -> Bool
}

/// Creates a cipher from a key of 32 bytes.
///
/// Returns nil if the system's library fails.
package typealias CipherMaker = @Sendable (_ key: [UInt8]) -> (any AuthenticatedCipher)?

/// The keys of one installation's folder, and the keys derived from them.
///
/// There is one derived key for each segment, and one for each write of a small file. A key provided by the app does
/// not encrypt data directly. Derivation uses HKDF with SHA-256 (RFC 5869) as implemented in `TrackwayCore`, so that
/// the derived keys are the same on every system.
package struct FolderKeys: Sendable {
    /// The number of bytes in a tag.
    static let tag = 16
    /// The number of bytes in a nonce.
    static let nonce = 12

    /// The key for new data.
    let current: Root
    private let previous: [Root]
    private let makeCipher: CipherMaker
    /// Returns the given number of random bytes.
    let random: @Sendable (Int) -> [UInt8]

    /// - Parameters:
    ///   - encryption: the app's keys.
    ///   - makeCipher: the system's cipher.
    ///   - random: the source of salts; tests provide their own.
    package init(
        _ encryption: Encryption,
        cipher makeCipher: @escaping CipherMaker,
        random: @escaping @Sendable (Int) -> [UInt8] = FolderKeys.entropy
    ) {
        current = Root(encryption.key.bytes)
        previous = encryption.previous.map { Root($0.bytes) }
        self.makeCipher = makeCipher
        self.random = random
    }

    /// A key provided by the app, prepared for deriving other keys.
    struct Root: Sendable {
        /// The ID that encrypted files contain.
        let id: UInt32
        private let secret: [UInt8]

        init(_ key: [UInt8]) {
            // The first step of HKDF, with this project's fixed salt.
            secret = SHA256.authenticate(key, key: Array("trackway encryption 1".utf8))
            id = Self.expand(secret, Array("id".utf8)).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }

        /// The ID as eight hexadecimal digits.
        var name: String { FolderKeys.name(of: id) }

        /// The second step of HKDF for 32 bytes, which are a single block.
        private static func expand(_ secret: [UInt8], _ purpose: [UInt8]) -> [UInt8] {
            SHA256.authenticate(purpose + [1], key: secret)
        }

        fileprivate func derive(_ purpose: [UInt8]) -> [UInt8] { Self.expand(secret, purpose) }
    }

    /// Returns the human-readable form of a key's ID.
    static func name(of id: UInt32) -> String {
        let digits = String(id, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Returns the key with an ID; nil if it was not provided.
    func root(_ id: UInt32) -> Root? {
        current.id == id ? current : previous.first { $0.id == id }
    }

    /// Returns the cipher for the frames of one segment.
    ///
    /// - Parameter log: the name of the log's folder, which is a writer's ID or `set-aside`.
    func cipher(_ root: Root, log: String, segment: UInt32) -> (any AuthenticatedCipher)? {
        makeCipher(root.derive(Array("segment \(log)/\(segment)".utf8)))
    }

    /// Returns the cipher for one write of a small file.
    ///
    /// - Parameters:
    ///   - file: the file's path relative to the installation's folder.
    ///   - salt: random bytes generated for each write.
    func cipher(_ root: Root, file: String, salt: ArraySlice<UInt8>) -> (any AuthenticatedCipher)? {
        makeCipher(root.derive(Array("file ".utf8) + salt + Array(file.utf8)))
    }

    /// Returns bytes from the kernel's random number generator.
    package static let entropy: @Sendable (Int) -> [UInt8] = { count in
        var bytes: [UInt8] = []
        while bytes.count < count {
            withUnsafeBytes(of: Entropy.randomBits()) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
        }
        return bytes
    }
}

extension JournalStorage {
    /// The keys that encrypt logs in this storage.
    ///
    /// Nil if logs are not encrypted.
    var folderKeys: FolderKeys? { (self as? EncryptedStorage)?.keys }
}
