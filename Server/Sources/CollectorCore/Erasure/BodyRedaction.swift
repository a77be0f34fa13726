// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Parts of a body and the texts that replace them.
struct BodyRedaction {
    private var parts: [Int: (end: Int, text: String)] = [:]

    /// Whether nothing is replaced.
    var isEmpty: Bool { parts.isEmpty }

    /// Replaces a part; parts must not overlap.
    mutating func replace(_ range: Range<Int>, with text: String) {
        parts[range.lowerBound] = (range.upperBound, text)
    }

    /// Returns the body with all replacements.
    ///
    /// - Complexity: O(bytes).
    func apply(to body: UnsafeRawBufferPointer) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(body.count)
        var place = 0
        for (start, part) in parts.sorted(by: { $0.key < $1.key }) {
            result += body[place..<start]
            result += part.text.utf8
            place = part.end
        }
        result += body[place...]
        return result
    }
}
