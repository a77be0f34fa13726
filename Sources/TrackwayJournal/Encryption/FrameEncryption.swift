// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Encrypts the payloads of one segment's frames.
///
/// Callable from any thread.
///
/// The contents of an encrypted frame after the header:
///
/// | offset | bytes | content |
/// |--:|--:|---|
/// | 24 | 4 | the key's ID |
/// | 28 | 12 | nonce: eight random bytes, then a count of frames |
/// | 40 | … | the payload, encrypted |
/// | … | 16 | tag |
///
/// The tag also authenticates bytes 8–23 of the header (kind, flags, lengths, context, sequence number), the frame's
/// offset in the segment, and the key's ID. Writer and segment are part of the key derivation. A frame moved to any
/// other place is therefore invalid.
///
/// **A nonce never repeats under a key.** The key is derived from the log's name and the segment's number, so it is
/// used for only one file. No process appends to another process's file, and a segment's name can be reused only in a
/// folder that was emptied. In that case, the eight random bytes differ, because they are generated for every
/// encryptor. Within one encryptor, the count differs, even for a marker that is written to the same slot again; when
/// the count reaches its maximum, new random bytes are generated.
final class FrameEncryptor: Sendable {
    /// The number of bytes that encryption adds to a payload.
    static let overhead = 4 + FolderKeys.nonce + FolderKeys.tag

    private let keys: FolderKeys
    private let cipher: any AuthenticatedCipher
    private let nonces: Locked<Nonces>

    /// Eight random bytes, and the number of frames encrypted since they were generated.
    private struct Nonces {
        var prefix: UInt64
        var count: UInt32 = 0
    }

    /// - Parameter folder: the log's folder.
    init(_ keys: FolderKeys, folder: String, segment: UInt32) throws(StorageError) {
        let log = Checksum.logName(of: folder)
        guard let cipher = keys.cipher(keys.current, log: log, segment: segment) else {
            throw StorageError(.other, operation: "encrypt", path: SegmentName.path(folder, segment))
        }
        self.keys = keys
        self.cipher = cipher
        nonces = Locked(Nonces(prefix: Self.randomPrefix(keys)))
    }

    private static func randomPrefix(_ keys: FolderKeys) -> UInt64 {
        keys.random(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Encrypts a payload for a frame at an offset in the segment.
    ///
    /// - Parameters:
    ///   - header: the frame's header, with the length and flags of the encrypted frame.
    ///   - output: the start of the frame's payload; must have space for ``overhead`` bytes more than `payload`.
    /// - Returns: false if the system's library fails.
    func encrypt(
        _ payload: UnsafeRawBufferPointer,
        of header: FrameHeader,
        at offset: Int,
        into output: UnsafeMutableRawPointer
    ) -> Bool {
        let (prefix, count) = nonces.withLock { [keys] nonces in
            if nonces.count == .max { nonces = Nonces(prefix: Self.randomPrefix(keys)) }
            nonces.count += 1
            return (nonces.prefix, nonces.count)
        }
        let key = keys.current.id
        output.storeBytes(of: key.littleEndian, as: UInt32.self)
        output.storeBytes(of: prefix.littleEndian, toByteOffset: 4, as: UInt64.self)
        output.storeBytes(of: count.littleEndian, toByteOffset: 12, as: UInt32.self)
        return withUnsafeBytes(of: FrameAssociatedData(header, at: offset, key: key)) { place in
            cipher.encrypt(payload, nonce: output + 4, with: place, into: output + 4 + FolderKeys.nonce)
        }
    }
}

/// The 24 bytes that a frame's tag authenticates in addition to its payload.
private struct FrameAssociatedData {
    let sealed: UInt64
    let sequence: UInt64
    let place: UInt64

    init(_ header: FrameHeader, at offset: Int, key: UInt32) {
        let words = header.sealedWords
        sealed = words.0.littleEndian
        sequence = words.1.littleEndian
        place = (UInt64(UInt32(truncatingIfNeeded: offset)) | UInt64(key) << 32).littleEndian
    }
}

/// Decrypts frames for a reader, one at a time.
///
/// A decryptor is a value; each copy has its own ``text``.
struct FrameDecryptor: Sendable {
    /// The result for a frame whose checksum is valid.
    enum Outcome {
        /// The frame was decrypted; ``FrameDecryptor/text`` contains its payload.
        case decrypted
        /// The frame was not encrypted for this position.
        case forged
        /// The frame requires the key with this ID, which is missing.
        case keyMissing(UInt32)
    }

    private let keys: FolderKeys?
    private let log: String
    /// The most recently used cipher.
    private var known: (segment: UInt32, key: UInt32, cipher: any AuthenticatedCipher)?
    /// The most recently decrypted payload.
    private(set) var text: [UInt8] = []

    /// - Parameter folder: the log's folder.
    init(_ keys: FolderKeys?, folder: String) {
        self.keys = keys
        log = Checksum.logName(of: folder)
    }

    /// Decrypts a frame.
    ///
    /// - Parameters:
    ///   - header: the frame's header.
    ///   - stored: the bytes after the header.
    ///   - offset: the frame's start in its segment.
    mutating func decrypt(
        _ header: FrameHeader,
        _ stored: UnsafeRawBufferPointer,
        at offset: Int,
        segment: UInt32
    ) -> Outcome {
        guard header.flags & FrameHeader.encrypted != 0, stored.count >= FrameEncryptor.overhead,
            let start = stored.baseAddress
        else { return .forged }
        let key = UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
        guard let keys, let root = keys.root(key) else { return .keyMissing(key) }
        if known?.segment != segment || known?.key != key {
            // A failure of the system's library must not count as damage.
            guard let cipher = keys.cipher(root, log: log, segment: segment) else { return .keyMissing(key) }
            known = (segment, key, cipher)
        }
        let count = stored.count - FrameEncryptor.overhead
        let hidden = UnsafeRawBufferPointer(rebasing: stored[(4 + FolderKeys.nonce)...])
        // The space for the tag ensures that the address is not nil if the text is empty.
        if text.count < count + FolderKeys.tag { text = [UInt8](repeating: 0, count: count + FolderKeys.tag) }
        let isOurs = text.withUnsafeMutableBytes { text in
            withUnsafeBytes(of: FrameAssociatedData(header, at: offset, key: key)) { place in
                guard let output = text.baseAddress, let cipher = known?.cipher else { return false }
                return cipher.decrypt(hidden, nonce: start + 4, with: place, into: output)
            }
        }
        return isOurs && Int(header.routeLength) <= count ? .decrypted : .forged
    }
}
