// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Encrypts the payloads of one segment's frames. Any thread.
///
/// What stands in an encrypted frame behind the header:
///
/// | at | bytes | what |
/// |--:|--:|---|
/// | 24 | 4 | the key's id |
/// | 28 | 12 | nonce: eight bytes of chance, then a count of frames |
/// | 40 | … | the payload, encrypted |
/// | … | 16 | tag |
///
/// The tag also proves bytes 8–23 of the header (kind, flags, lengths, context, sequence number), the frame's offset in the
/// segment and the key's id. Writer and segment are in the key. So a frame that stands anywhere else is no frame.
///
/// **A nonce never repeats under a key.** The key is derived from the log's name and the segment's number: it serves one file.
/// Nobody appends to what another process left, and a segment of the same name can come about a second time only in a folder
/// that was emptied; then its eight bytes of chance differ, which are drawn whenever an appender is made. Within one appender
/// the count differs, also for a note that is written into the same place again; when it has run through, new chance is drawn.
final class FrameEncryptor: Sendable {
    /// By how much an encrypted payload is longer.
    static let overhead = 4 + FolderKeys.nonce + FolderKeys.tag

    private let keys: FolderKeys
    private let cipher: any AuthenticatedCipher
    private let nonces: Locked<Nonces>

    /// Eight bytes of chance, and how many frames were encrypted since they were drawn.
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
        nonces = Locked(Nonces(prefix: Self.draw(keys)))
    }

    private static func draw(_ keys: FolderKeys) -> UInt64 {
        keys.random(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Encrypts a payload into the frame of `header` at an offset of the segment.
    ///
    /// - Parameters:
    ///   - header: the frame's, its length and flags being those of the encrypted frame.
    ///   - output: where the payload's place begins; takes ``overhead`` bytes more than the payload has.
    /// - Returns: false when the system's library refuses.
    func encrypt(
        _ payload: UnsafeRawBufferPointer,
        of header: FrameHeader,
        at offset: Int,
        into output: UnsafeMutableRawPointer
    ) -> Bool {
        let (prefix, count) = nonces.withLock { [keys] nonces in
            if nonces.count == .max { nonces = Nonces(prefix: Self.draw(keys)) }
            nonces.count += 1
            return (nonces.prefix, nonces.count)
        }
        let key = keys.current.id
        output.storeBytes(of: key.littleEndian, as: UInt32.self)
        output.storeBytes(of: prefix.littleEndian, toByteOffset: 4, as: UInt64.self)
        output.storeBytes(of: count.littleEndian, toByteOffset: 12, as: UInt32.self)
        return withUnsafeBytes(of: FramePlace(header, at: offset, key: key)) { place in
            cipher.encrypt(payload, nonce: output + 4, with: place, into: output + 4 + FolderKeys.nonce)
        }
    }
}

/// What a frame's tag proves beside its payload, as 24 bytes.
private struct FramePlace {
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

/// Decrypts frames for a reader, one at a time. A value; each copy has a text of its own.
struct FrameDecryptor: Sendable {
    /// What became of a frame whose checksum is right.
    enum Outcome {
        /// ``FrameDecryptor/text`` is its payload.
        case decrypted
        /// It is not what was encrypted for this place.
        case forged
        /// It needs a key of this id, which is not there.
        case keyMissing(UInt32)
    }

    private let keys: FolderKeys?
    private let log: String
    /// The cipher used last.
    private var known: (segment: UInt32, key: UInt32, cipher: any AuthenticatedCipher)?
    /// The payload decrypted last.
    private(set) var text: [UInt8] = []

    /// - Parameter folder: the log's folder.
    init(_ keys: FolderKeys?, folder: String) {
        self.keys = keys
        log = Checksum.logName(of: folder)
    }

    /// Decrypts a frame.
    ///
    /// - Parameters:
    ///   - header: the frame's.
    ///   - stored: what lies behind the header.
    ///   - offset: where the frame begins in its segment.
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
            // Nothing is called damaged because the library refuses.
            guard let cipher = keys.cipher(root, log: log, segment: segment) else { return .keyMissing(key) }
            known = (segment, key, cipher)
        }
        let count = stored.count - FrameEncryptor.overhead
        let hidden = UnsafeRawBufferPointer(rebasing: stored[(4 + FolderKeys.nonce)...])
        // Room for the tag keeps the address from being nil where there is no text.
        if text.count < count + FolderKeys.tag { text = [UInt8](repeating: 0, count: count + FolderKeys.tag) }
        let isOurs = text.withUnsafeMutableBytes { text in
            withUnsafeBytes(of: FramePlace(header, at: offset, key: key)) { place in
                guard let output = text.baseAddress, let cipher = known?.cipher else { return false }
                return cipher.decrypt(hidden, nonce: start + 4, with: place, into: output)
            }
        }
        return isOurs && Int(header.routeLength) <= count ? .decrypted : .forged
    }
}
