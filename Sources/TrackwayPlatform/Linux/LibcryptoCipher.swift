// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CCrypto
internal import TrackwayCore
internal import TrackwayJournal

/// AES-256-GCM through OpenSSL's libcrypto.
///
/// One context per direction is created and reused for all messages, so a message requires no allocation.
///
/// The cipher can be used from any thread: a lock guards the contexts. The library clears keys when it frees a context.
final class LibcryptoCipher: AuthenticatedCipher {
    private let contexts: Locked<Contexts>

    /// The addresses of the library's contexts.
    ///
    /// An address is 0 if its context has not been needed yet.
    private struct Contexts {
        let key: [UInt8]
        var encrypting: UInt = 0
        var decrypting: UInt = 0

        /// Creates a context and returns its address.
        ///
        /// Returns 0 if the library fails.
        static func make(_ key: [UInt8], encrypts: Bool) -> UInt {
            UInt(bitPattern: ccrypto_make(key, encrypts ? 1 : 0))
        }
    }

    /// Creates a cipher.
    ///
    /// Returns nil if the key is not 32 bytes long.
    init?(key: [UInt8]) {
        guard key.count == 32 else { return nil }
        contexts = Locked(Contexts(key: key))
    }

    deinit {
        contexts.withLock { contexts in
            ccrypto_free(OpaquePointer(bitPattern: contexts.encrypting))
            ccrypto_free(OpaquePointer(bitPattern: contexts.decrypting))
        }
    }

    func encrypt(
        _ text: UnsafeRawBufferPointer,
        nonce: UnsafeRawPointer,
        with associated: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawPointer
    ) -> Bool {
        contexts.withLock { contexts in
            if contexts.encrypting == 0 { contexts.encrypting = Contexts.make(contexts.key, encrypts: true) }
            guard let context = OpaquePointer(bitPattern: contexts.encrypting) else { return false }
            return ccrypto_encrypt(
                context,
                nonce,
                associated.baseAddress,
                associated.count,
                text.baseAddress,
                text.count,
                output
            ) == 1
        }
    }

    func decrypt(
        _ bytes: UnsafeRawBufferPointer,
        nonce: UnsafeRawPointer,
        with associated: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawPointer
    ) -> Bool {
        guard let start = bytes.baseAddress, bytes.count >= ccrypto_tag_size else { return false }
        return contexts.withLock { contexts in
            if contexts.decrypting == 0 { contexts.decrypting = Contexts.make(contexts.key, encrypts: false) }
            guard let context = OpaquePointer(bitPattern: contexts.decrypting) else { return false }
            return ccrypto_decrypt(
                context,
                nonce,
                associated.baseAddress,
                associated.count,
                start,
                bytes.count - ccrypto_tag_size,
                output
            ) == 1
        }
    }
}
#endif
