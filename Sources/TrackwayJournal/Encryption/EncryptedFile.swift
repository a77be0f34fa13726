// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The content of a small file, encrypted as a whole:
///
/// | at | bytes | what |
/// |--:|--:|---|
/// | 0 | 8 | `TRACKENC` |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | the key's id |
/// | 16 | 32 | salt |
/// | 48 | … | the content, encrypted |
/// | … | 16 | tag; proves bytes 0–47, too |
/// | … | 4 | crc32 of all bytes before |
///
/// Each content has a key of its own, derived from a salt of 32 bytes that is drawn with every write and from the file's path
/// below the installation's folder. So the nonce can be the same always, and a file in another's place proves nothing there.
/// The checksum needs no key: it tells a damaged file from one whose key is not there.
enum EncryptedFile {
    /// By how many bytes a file becomes longer.
    static let overhead = header + FolderKeys.tag + 4
    private static let salt = 32
    private static let header = 48
    private static let version: UInt32 = 1
    private static let magic = Array("TRACKENC".utf8)

    /// What bytes of a file are.
    enum Content {
        /// They are not encrypted.
        case plain
        /// They were decrypted.
        case decrypted([UInt8])
        /// They need a key of this id, which is not there.
        case keyMissing(UInt32)
        /// They are no content that was written to this file.
        case damaged
    }

    /// The bytes that a content is kept as; nil when the system's library refuses.
    ///
    /// - Parameter file: the file's path below the installation's folder.
    static func bytes(_ content: [UInt8], of file: String, _ keys: FolderKeys) -> [UInt8]? {
        var bytes = magic
        bytes.reserveCapacity(content.count + overhead)
        append(version, to: &bytes)
        append(keys.current.id, to: &bytes)
        bytes += keys.random(salt).prefix(salt)
        guard bytes.count == header,
            let cipher = keys.cipher(keys.current, file: file, salt: bytes[(header - salt)..<header])
        else { return nil }
        let place = bytes
        bytes += [UInt8](repeating: 0, count: content.count + FolderKeys.tag)
        let isWritten = bytes.withUnsafeMutableBytes { bytes in
            content.withUnsafeBytes { content in
                place.withUnsafeBytes { place in
                    guard let start = bytes.baseAddress else { return false }
                    return cipher.encrypt(content, nonce: nonceBytes, with: place, into: start + header)
                }
            }
        }
        guard isWritten else { return nil }
        append(bytes.withUnsafeBytes { Checksum.payload($0) }, to: &bytes)
        return bytes
    }

    /// What the bytes of a file are.
    static func content(of bytes: [UInt8], of file: String, _ keys: FolderKeys?) -> Content {
        guard bytes.starts(with: magic) else { return .plain }
        guard let key = key(of: bytes) else { return .damaged }
        guard let keys, let root = keys.root(key),
            let cipher = keys.cipher(root, file: file, salt: bytes[(header - salt)..<header])
        else { return .keyMissing(key) }
        let hidden = bytes[header..<(bytes.count - 4)]
        var text = [UInt8](repeating: 0, count: hidden.count)
        let isOurs = text.withUnsafeMutableBytes { text in
            bytes.withUnsafeBytes { bytes in
                let place = UnsafeRawBufferPointer(rebasing: bytes[..<header])
                let hidden = UnsafeRawBufferPointer(rebasing: bytes[header..<(bytes.count - 4)])
                guard let output = text.baseAddress else { return false }
                return cipher.decrypt(hidden, nonce: nonceBytes, with: place, into: output)
            }
        }
        guard isOurs else { return .damaged }
        text.removeLast(FolderKeys.tag)
        return .decrypted(text)
    }

    /// The id of the key that an encrypted file needs; nil for a plain file, and a damaged one.
    static func key(of bytes: [UInt8]) -> UInt32? {
        guard bytes.starts(with: magic), bytes.count >= overhead, word(bytes, at: 8) == version else { return nil }
        let end = bytes.count - 4
        let sum = bytes.withUnsafeBytes { Checksum.payload(UnsafeRawBufferPointer(rebasing: $0[..<end])) }
        return sum == word(bytes, at: end) ? word(bytes, at: 12) : nil
    }

    private static let nonceBytes = [UInt8](repeating: 0, count: FolderKeys.nonce)

    private static func append(_ word: UInt32, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
    }

    private static func word(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }
}
