// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A string to search for.
///
/// ASCII case is ignored.
public struct SearchWord: Sendable {
    private let bytes: [UInt8]

    /// Creates a word.
    public init(_ word: String) {
        bytes = word.utf8.map(Self.folded)
    }

    /// Whether the word occurs in text.
    ///
    /// - Complexity: O(length of the text × length of the word).
    public func occurs(in text: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.first else { return true }
        guard text.count >= bytes.count else { return false }
        for start in 0...text.count - bytes.count where Self.folded(text[start]) == first {
            var length = 1
            while length < bytes.count, Self.folded(text[start + length]) == bytes[length] { length += 1 }
            if length == bytes.count { return true }
        }
        return false
    }

    /// Whether the word occurs in text.
    public func occurs(in text: String?) -> Bool {
        guard var text else { return false }
        return text.withUTF8 { occurs(in: UnsafeRawBufferPointer($0)) }
    }

    /// Whether a word, in UTF-8, occurs in text; creates no ``SearchWord``.
    ///
    /// - Complexity: O(length of the text × length of the word).
    static func occurs(_ word: [UInt8], in text: UnsafeRawBufferPointer) -> Bool {
        guard text.count >= word.count else { return false }
        return (0...text.count - word.count).contains { start in
            word.indices.allSatisfy { folded(text[start + $0]) == folded(word[$0]) }
        }
    }

    /// Maps A–Z to a–z, and leaves everything else unchanged.
    private static func folded(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
