// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CryptoKit)
internal import CryptoKit
internal import Foundation
internal import TrackwayJournal

/// AES-256-GCM through CryptoKit.
///
/// The cipher can be used from any thread.
final class CryptoKitCipher: AuthenticatedCipher {
    private static let nonceSize = 12
    private static let tagSize = 16
    private let key: SymmetricKey

    /// Creates a cipher.
    ///
    /// Returns nil if the key is not 32 bytes long.
    init?(key: [UInt8]) {
        guard key.count == 32 else { return nil }
        self.key = SymmetricKey(data: key)
    }

    func encrypt(
        _ text: UnsafeRawBufferPointer,
        nonce: UnsafeRawPointer,
        with associated: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawPointer
    ) -> Bool {
        do {
            let nonce = try AES.GCM.Nonce(data: UnsafeRawBufferPointer(start: nonce, count: Self.nonceSize))
            let box = try AES.GCM.seal(text, using: key, nonce: nonce, authenticating: associated)
            let room = UnsafeMutableRawBufferPointer(start: output, count: text.count + Self.tagSize)
            box.ciphertext.copyBytes(to: room)
            box.tag.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: room[text.count...]))
            return true
        } catch {
            return false
        }
    }

    func decrypt(
        _ bytes: UnsafeRawBufferPointer,
        nonce: UnsafeRawPointer,
        with associated: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawPointer
    ) -> Bool {
        guard bytes.count >= Self.tagSize else { return false }
        do {
            let count = bytes.count - Self.tagSize
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: UnsafeRawBufferPointer(start: nonce, count: Self.nonceSize)),
                ciphertext: UnsafeRawBufferPointer(rebasing: bytes[..<count]),
                tag: UnsafeRawBufferPointer(rebasing: bytes[count...])
            )
            let text = try AES.GCM.open(box, using: key, authenticating: associated)
            text.copyBytes(to: UnsafeMutableRawBufferPointer(start: output, count: count))
            return true
        } catch {
            // The bytes were not encrypted with this key and this associated data.
            return false
        }
    }
}
#endif
