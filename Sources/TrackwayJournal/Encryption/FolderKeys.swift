// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// AES-256-GCM as the system has it, under one key. Any thread.
package protocol AuthenticatedCipher: AnyObject, Sendable {
    /// Encrypts a text; `output` gets as many bytes, and a tag of 16 behind them.
    ///
    /// - Parameters:
    ///   - nonce: 12 bytes that were never used with this key before.
    ///   - associated: what is proven beside the text, and not stored.
    /// - Returns: false when the system's library refuses; then `output` holds nothing of use.
    func encrypt(
        _ text: UnsafeRawBufferPointer,
        nonce: UnsafeRawPointer,
        with associated: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawPointer
    ) -> Bool

    /// Decrypts what ``encrypt(_:nonce:with:into:)`` gave, the tag included; `output` gets the text.
    ///
    /// - Returns: false when these bytes are not what was encrypted under this key, nonce and associated data.
    func decrypt(
        _ bytes: UnsafeRawBufferPointer,
        nonce: UnsafeRawPointer,
        with associated: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawPointer
    ) -> Bool
}

/// Makes a cipher under a key of 32 bytes; nil when the system's library refuses.
package typealias CipherMaker = @Sendable (_ key: [UInt8]) -> (any AuthenticatedCipher)?

/// The keys of one installation's folder, and those that are derived from them: one for each segment, one for each content of
/// a small file. A key that the app handed in encrypts nothing itself.
///
/// Derivation is HKDF with SHA-256 (RFC 5869) of the vocabulary, so that files mean the same on every system.
package struct FolderKeys: Sendable {
    /// Bytes of a tag.
    static let tag = 16
    /// Bytes of a nonce.
    static let nonce = 12

    /// What is written is encrypted under this one.
    let current: Root
    private let previous: [Root]
    private let makeCipher: CipherMaker
    /// As many bytes from the kernel's generator.
    let random: @Sendable (Int) -> [UInt8]

    /// - Parameters:
    ///   - encryption: the app's keys.
    ///   - makeCipher: the system's.
    ///   - random: where salts come from; a test hands in its own.
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

    /// A key that the app handed in, in the form from which others are derived.
    struct Root: Sendable {
        /// Tells which key a file needs.
        let id: UInt32
        private let secret: [UInt8]

        init(_ key: [UInt8]) {
            // HKDF's first step; its salt is ours.
            secret = SHA256.authenticate(key, key: Array("trackway encryption 1".utf8))
            id = Self.expand(secret, Array("id".utf8)).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }

        /// The id, in eight hexadecimal digits.
        var name: String { FolderKeys.name(of: id) }

        /// HKDF's second step for 32 bytes, which is a single block.
        private static func expand(_ secret: [UInt8], _ purpose: [UInt8]) -> [UInt8] {
            SHA256.authenticate(purpose + [1], key: secret)
        }

        fileprivate func derive(_ purpose: [UInt8]) -> [UInt8] { Self.expand(secret, purpose) }
    }

    /// How a key's id is written for people.
    static func name(of id: UInt32) -> String {
        let digits = String(id, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The key of an id; nil when it was not handed in.
    func root(_ id: UInt32) -> Root? {
        current.id == id ? current : previous.first { $0.id == id }
    }

    /// The cipher for the frames of one segment.
    ///
    /// - Parameter log: the name of the log's folder, which is a writer's id, or `set-aside`.
    func cipher(_ root: Root, log: String, segment: UInt32) -> (any AuthenticatedCipher)? {
        makeCipher(root.derive(Array("segment \(log)/\(segment)".utf8)))
    }

    /// The cipher for one content of a small file.
    ///
    /// - Parameters:
    ///   - file: the file's path below the installation's folder.
    ///   - salt: drawn anew with each content.
    func cipher(_ root: Root, file: String, salt: ArraySlice<UInt8>) -> (any AuthenticatedCipher)? {
        makeCipher(root.derive(Array("file ".utf8) + salt + Array(file.utf8)))
    }

    /// Bytes from the kernel's generator.
    package static let entropy: @Sendable (Int) -> [UInt8] = { count in
        var bytes: [UInt8] = []
        while bytes.count < count {
            withUnsafeBytes(of: Entropy.bits()) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
        }
        return bytes
    }
}

extension JournalStorage {
    /// The keys that logs in this storage are encrypted with; nil where they are plain.
    var folderKeys: FolderKeys? { (self as? EncryptedStorage)?.keys }
}
