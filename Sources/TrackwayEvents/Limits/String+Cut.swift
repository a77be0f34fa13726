// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension String {
    /// The longest beginning that has at most `limit` UTF-8 bytes and ends between characters as Unicode numbers them.
    ///
    /// - Complexity: O(`limit`).
    public func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        guard limit > 0 else { return "" }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        // Bytes of the form 10xxxxxx continue a character.
        while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
