// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Where the content of a JSON string lies, between its quotes. The scanner has checked it.
public struct JSONText: Sendable, Hashable {
    /// The content's place in the scanned bytes, without the quotes.
    public internal(set) var range: Range<Int>
    /// True when the content holds escapes, so that its bytes are not the text yet.
    public internal(set) var hasEscapes: Bool

    /// A string's place.
    init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }
}
