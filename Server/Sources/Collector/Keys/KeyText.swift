// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Making the text of a new key.
enum KeyText {
    // No 0, 1, l, o: a key may be read aloud.
    private static let alphabet = Array("23456789abcdefghijkmnpqrstuvwxyz".utf8)

    /// A key such as `tw_w_…` with 260 random bits; the letters behind `tw_` say what it allows.
    static func make(scopes: Set<KeyScope>, using generator: inout some RandomNumberGenerator) -> String {
        var text: [UInt8] = []
        while text.count < 52 {
            // Five bits a letter; 12 letters from one number.
            var bits: UInt64 = generator.next()
            for _ in 0..<min(12, 52 - text.count) {
                text.append(alphabet[Int(bits & 31)])
                bits >>= 5
            }
        }
        let letters = KeyScope.allCases.filter(scopes.contains).map { String($0.rawValue.prefix(1)) }.joined()
        return "tw_\(letters)_" + String(decoding: text, as: UTF8.self)
    }
}
