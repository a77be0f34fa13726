// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayTesting

@Suite("Base64")
struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `encoding and decoding match the test vectors of RFC 4648`(_ plain: String, _ text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == Array(text.utf8))
        #expect(Base64.decode(Array(text.utf8)) == Array(plain.utf8))
    }

    @Test(arguments: 0..<40)
    func `any bytes are decoded unchanged`(_ length: Int) {
        var random = SeededGenerator(seed: UInt64(length))
        let bytes = (0..<length).map { _ in UInt8(random.next(below: 256)) }
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }

    @Test(arguments: ["Z", "Zg=", "Zg", "====", "Z===", "Zg==Zg==", "Zm9\n", "Zm9ü"])
    func `invalid Base64 decodes to nil`(_ text: String) {
        #expect(Base64.decode(Array(text.utf8)) == nil)
    }
}
