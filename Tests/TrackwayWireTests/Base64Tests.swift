// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting
internal import TrackwayWire

@Suite("Base64")
struct Base64Tests {
    @Test(
        "encoding and decoding match the test vectors of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(_ plain: String, _ text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == Array(text.utf8))
        #expect(Base64.decode(Array(text.utf8)) == Array(plain.utf8))
    }

    @Test("any bytes are decoded unchanged", arguments: 0..<40)
    func roundTrip(_ length: Int) {
        var random = SeededGenerator(seed: UInt64(length))
        let bytes = (0..<length).map { _ in UInt8(random.next(below: 256)) }
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }

    @Test(
        "invalid Base64 decodes to nil",
        arguments: ["Z", "Zg=", "Zg", "====", "Z===", "Zg==Zg==", "Zm9\n", "Zm9ü"]
    )
    func strange(_ text: String) {
        #expect(Base64.decode(Array(text.utf8)) == nil)
    }
}
