// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayJournal

@testable import TrackwayPlatform

@Suite("AES-256-GCM cipher")
struct SystemCipherTests {
    /// Test cases of the algorithm's specification (McGrew and Viega, appendix B).
    struct Case: Sendable {
        let key, nonce, associated, text, hidden, tag: String
    }

    static let cases = [
        Case(
            key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12),
            associated: "",
            text: "",
            hidden: "",
            tag: "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        Case(
            key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12),
            associated: "",
            text: String(repeating: "00", count: 16),
            hidden: "cea7403d4d606b6e074ec5d3baf39d18",
            tag: "d0d1c8a799996bf0265b98b5d48ab919"
        ),
        Case(
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            nonce: "cafebabefacedbaddecaf888",
            associated: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            text: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            hidden: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ]

    @Test(arguments: cases)
    func `encryption matches the specification, twice with one cipher, and decryption reverses it`(_ item: Case) throws
    {
        let cipher = try #require(SystemCipher.make(Self.bytes(item.key)))
        let expected = Self.bytes(item.hidden + item.tag)
        for _ in 0..<2 {
            #expect(Self.encrypt(item, with: cipher) == expected)
            #expect(Self.decrypt(expected, item, with: cipher) == Self.bytes(item.text))
        }
    }

    @Test(arguments: cases)
    func `a change to ciphertext, tag, nonce or associated data makes decryption fail`(_ item: Case) throws {
        let cipher = try #require(SystemCipher.make(Self.bytes(item.key)))
        let whole = Self.bytes(item.hidden + item.tag)
        for index in whole.indices {
            var other = whole
            other[index] ^= 0x10
            #expect(Self.decrypt(other, item, with: cipher) == nil)
        }
        let nonce = "ff" + item.nonce.dropFirst(2)
        let elsewhere = Case(
            key: item.key,
            nonce: nonce,
            associated: item.associated,
            text: "",
            hidden: "",
            tag: ""
        )
        #expect(Self.decrypt(whole, elsewhere, with: cipher) == nil)
        let truncatedTag = Case(
            key: item.key,
            nonce: item.nonce,
            associated: item.associated + "00",
            text: "",
            hidden: "",
            tag: ""
        )
        #expect(Self.decrypt(whole, truncatedTag, with: cipher) == nil)
        #expect(Self.decrypt(whole, item, with: cipher) == Self.bytes(item.text))
        #expect(Self.decrypt(Array(whole.suffix(15)), item, with: cipher) == nil)
    }

    @Test
    func `a key of another length is rejected`() {
        for count in [0, 16, 31, 33] { #expect(SystemCipher.make([UInt8](repeating: 1, count: count)) == nil) }
    }

    private static func encrypt(_ item: Case, with cipher: any AuthenticatedCipher) -> [UInt8]? {
        let (text, nonce, associated) = (bytes(item.text), bytes(item.nonce), bytes(item.associated))
        var output = [UInt8](repeating: 0, count: text.count + 16)
        let isDone = output.withUnsafeMutableBytes { output in
            text.withUnsafeBytes { text in
                nonce.withUnsafeBytes { nonce in
                    associated.withUnsafeBytes { associated in
                        guard let start = output.baseAddress, let nonce = nonce.baseAddress else { return false }
                        return cipher.encrypt(text, nonce: nonce, with: associated, into: start)
                    }
                }
            }
        }
        return isDone ? output : nil
    }

    private static func decrypt(_ bytes: [UInt8], _ item: Case, with cipher: any AuthenticatedCipher) -> [UInt8]? {
        let (nonce, associated) = (Self.bytes(item.nonce), Self.bytes(item.associated))
        var output = [UInt8](repeating: 0, count: bytes.count + 1)
        let isDone = output.withUnsafeMutableBytes { output in
            bytes.withUnsafeBytes { bytes in
                nonce.withUnsafeBytes { nonce in
                    associated.withUnsafeBytes { associated in
                        guard let start = output.baseAddress, let nonce = nonce.baseAddress else { return false }
                        return cipher.decrypt(bytes, nonce: nonce, with: associated, into: start)
                    }
                }
            }
        }
        return isDone ? Array(output.prefix(bytes.count - 16)) : nil
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
        }
    }
}
