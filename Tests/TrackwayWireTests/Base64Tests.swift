// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting
internal import TrackwayWire

@Suite("Bytes as text of 64 letters")
struct Base64Tests {
    @Test(
        "the texts are those of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(_ plain: String, _ text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == Array(text.utf8))
        #expect(Base64.decode(Array(text.utf8)) == Array(plain.utf8))
    }

    @Test("any bytes come back", arguments: 0..<40)
    func roundTrip(_ length: Int) {
        var random = SeededGenerator(seed: UInt64(length))
        let bytes = (0..<length).map { _ in UInt8(random.next(below: 256)) }
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }

    @Test(
        "what is no such text is nothing",
        arguments: ["Z", "Zg=", "Zg", "====", "Z===", "Zg==Zg==", "Zm9\n", "Zm9ü"]
    )
    func strange(_ text: String) {
        #expect(Base64.decode(Array(text.utf8)) == nil)
    }
}
