// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopFloor
internal import Testing

@Suite("KeyDecoder")
struct KeyDecoderTests {
    @Test(
        "decodes all encodings that terminals use",
        arguments: [
            ("a", [.character("a")]), ("\r", [.enter]), ("\n", [.enter]), ("\u{7f}", [.backspace]),
            ("\u{1b}[A\u{1b}[B\u{1b}[C\u{1b}[D", [.up, .down, .right, .left]), ("\u{1b}OA", [.up]),
            ("\u{1b}[1;5Bx", [.down, .character("x")]), ("\u{1b}[3~x", [.character("x")]),
            ("ü€🙂", [.character("ü"), .character("€"), .character("🙂")]),
            ("\u{1b}q", [.character("q")]), ("\u{01}\u{00}x", [.character("x")]),
        ] as [(String, [Key])]
    )
    func keys(_ text: String, _ expected: [Key]) {
        var decoder = KeyDecoder()
        #expect(text.utf8.compactMap { decoder.received($0) } == expected)
        #expect(decoder.paused() == nil)
    }

    @Test("a single escape character followed by a pause is the escape key")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.received(0x1b) == nil)
        #expect(decoder.paused() == .escape)
        #expect(decoder.received(UInt8(ascii: "x")) == .character("x"))
    }

    @Test("after random bytes, the next plain key is decoded", arguments: 0..<50)
    func noise(_ seed: UInt64) {
        var decoder = KeyDecoder()
        var dice = Dice(seed: seed)
        for _ in 0..<300 {
            _ = decoder.received(UInt8.random(in: 0...255, using: &dice))
        }
        _ = decoder.paused()
        #expect(decoder.received(UInt8(ascii: "x")) == .character("x"))
    }
}
