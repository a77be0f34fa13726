// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A string compared and ordered by its bytes, as in stores.
///
/// Two encodings of one character are different strings.
public struct ByteText: Sendable, Hashable, Comparable {
    /// The string.
    public let text: String

    /// Creates a byte text.
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
