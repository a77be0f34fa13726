// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Finding a short text in bytes, to skip work that most events do not need.
enum ByteSearch {
    /// Whether `text` occurs in `bytes`.
    /// - Complexity: O(bytes), by the first byte.
    static func contains(_ text: StaticString, in bytes: UnsafeRawBufferPointer) -> Bool {
        let length = text.utf8CodeUnitCount
        guard bytes.count >= length, length > 0 else { return false }
        let first = text.utf8Start[0]
        var index = 0
        let last = bytes.count - length
        while index <= last {
            guard let found = bytes[index...last].firstIndex(of: first) else { return false }
            var matched = 1
            while matched < length, bytes[found + matched] == text.utf8Start[matched] { matched += 1 }
            if matched == length { return true }
            index = found + 1
        }
        return false
    }
}
