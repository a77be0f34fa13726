// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension String {
    /// True when the text has more characters than that, as people count them: a Chinese character and an emoji made of
    /// several parts count one each.
    ///
    /// - Complexity: O(1) for texts of at most `limit` bytes, which no script can fill with more characters; else
    ///   O(`limit`) characters.
    func hasMoreCharacters(than limit: Int) -> Bool {
        guard utf8.count > limit else { return false }
        return index(startIndex, offsetBy: limit + 1, limitedBy: endIndex) != nil
    }

    /// True for a name of this dialect: letters, digits and underscores, and no digit first.
    var isClickstreamName: Bool {
        guard let first = utf8.first, !(0x30...0x39).contains(first) else { return false }
        return utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
