// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A text whose equality and order are those of its bytes, as stores tell texts apart: two spellings of one letter are two texts.
public struct ByteText: Sendable, Hashable, Comparable {
    /// The text.
    public let text: String

    /// A text.
    public init(_ text: String) { self.text = text }

    public static func == (left: ByteText, right: ByteText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    public static func < (left: ByteText, right: ByteText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
