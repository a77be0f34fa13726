// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopCore
internal import Testing

@Suite("KeyDecoder")
struct KeyDecoderTests {
    @Test(
        arguments: [
            ("a", [.character("a")]), ("\r", [.enter]), ("\n", [.enter]), ("\u{7f}", [.backspace]),
            ("\u{1b}[A\u{1b}[B\u{1b}[C\u{1b}[D", [.up, .down, .right, .left]), ("\u{1b}OA", [.up]),
            ("\u{1b}[1;5Bx", [.down, .character("x")]), ("\u{1b}[3~x", [.character("x")]),
            ("ü€🙂", [.character("ü"), .character("€"), .character("🙂")]),
            ("\u{1b}q", [.character("q")]), ("\u{01}\u{00}x", [.character("x")]),
        ] as [(String, [Key])]
    )
    func `decodes all encodings that terminals use`(_ text: String, _ expected: [Key]) {
        var decoder = KeyDecoder()
        #expect(text.utf8.compactMap { decoder.decode($0) } == expected)
        #expect(decoder.finish() == nil)
    }

    @Test
    func `a single escape character followed by a pause is the escape key`() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(0x1b) == nil)
        #expect(decoder.finish() == .escape)
        #expect(decoder.decode(UInt8(ascii: "x")) == .character("x"))
    }

    @Test(arguments: 0..<50)
    func `after random bytes, the next plain key is decoded`(_ seed: UInt64) {
        var decoder = KeyDecoder()
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            _ = decoder.decode(UInt8.random(in: 0...255, using: &random))
        }
        _ = decoder.finish()
        #expect(decoder.decode(UInt8(ascii: "x")) == .character("x"))
    }
}
