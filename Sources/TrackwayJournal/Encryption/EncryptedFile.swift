// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The content of a small file, encrypted as a whole:
///
/// | offset | bytes | content |
/// |--:|--:|---|
/// | 0 | 8 | `TRACKENC` |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | the key's ID |
/// | 16 | 32 | salt |
/// | 48 | … | the content, encrypted |
/// | … | 16 | tag; also authenticates bytes 0–47 |
/// | … | 4 | crc32 of all preceding bytes |
///
/// Each write uses its own key, derived from a 32-byte salt that is generated for every write and from the file's
/// path relative to the installation's folder. The nonce can therefore be constant, and a file moved to another
/// file's path fails authentication. The checksum requires no key: it distinguishes a damaged file from a file whose
/// key is missing.
enum EncryptedFile {
    /// The number of bytes that encryption adds to a file.
    static let overhead = header + FolderKeys.tag + 4
    private static let salt = 32
    private static let header = 48
    private static let version: UInt32 = 1
    private static let magic = Array("TRACKENC".utf8)

    /// The result of decoding a file's bytes.
    enum Content {
        /// The bytes are not encrypted.
        case plain
        /// The bytes were decrypted.
        case decrypted([UInt8])
        /// The bytes require the key with this ID, which is missing.
        case keyMissing(UInt32)
        /// The bytes are damaged, or were not written to this file.
        case damaged
    }

    /// Returns the encrypted form of a file's content.
    ///
    /// Nil if the system's library fails.
    ///
    /// - Parameter file: the file's path relative to the installation's folder.
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

    /// Decodes the bytes of a file.
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

    /// Returns the ID of the key that an encrypted file requires.
    ///
    /// Nil for a plain or damaged file.
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
