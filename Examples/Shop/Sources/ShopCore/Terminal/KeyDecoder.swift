// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decodes the bytes from a terminal into keys.
package struct KeyDecoder: Sendable {
    private var pending: [UInt8] = []

    /// Creates a decoder.
    package init() {}

    /// Adds the next byte.
    ///
    /// - Returns: The key that the byte completes, if any.
    package mutating func decode(_ byte: UInt8) -> Key? {
        pending.append(byte)
        if pending[0] == 0x1b { return escapeSequence() }
        if pending[0] >= 0x80 { return text() }
        pending = []
        return Self.plain(byte)
    }

    /// Reports a pause in the input: a single pending escape character is the escape key.
    package mutating func finish() -> Key? {
        defer { pending = [] }
        return pending == [0x1b] ? .escape : nil
    }

    private static func plain(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x0a, 0x0d: .enter
        case 0x08, 0x7f: .backspace
        case 0x20...0x7e: .character(Character(Unicode.Scalar(byte)))
        default: nil
        }
    }

    private mutating func escapeSequence() -> Key? {
        guard pending.count > 1 else { return nil }
        guard pending[1] == UInt8(ascii: "[") || pending[1] == UInt8(ascii: "O") else {
            // For Alt plus a key, only the key counts.
            let byte = pending[1]
            pending = []
            return Self.plain(byte)
        }
        guard pending.count > 2, let last = pending.last else { return nil }
        // Parameters are digits and punctuation; the first letter (or "~") ends the sequence.
        guard (0x40...0x7e).contains(last) || pending.count > 16 else { return nil }
        defer { pending = [] }
        return switch last {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        default: nil
        }
    }

    private mutating func text() -> Key? {
        let length =
            switch pending[0] {
            case 0xc2...0xdf: 2
            case 0xe0...0xef: 3
            case 0xf0...0xf4: 4
            default: 1
            }
        guard pending.count >= length else { return nil }
        defer { pending = [] }
        let text = String(decoding: pending, as: UTF8.self)
        // Decoding replaces invalid UTF-8, which changes the bytes; such input is not a key.
        guard let character = text.first, text.utf8.elementsEqual(pending) else { return nil }
        return .character(character)
    }
}
