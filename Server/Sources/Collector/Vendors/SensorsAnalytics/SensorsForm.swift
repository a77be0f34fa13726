// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A body of the Sensors Analytics format: a form with one text of packed events in it.
struct SensorsForm: Sendable, Hashable {
    /// The packed events: `data_list`, or `data` for a single one.
    var data: [UInt8]?
    /// What `gzip` says: 0 plain, 1 compressed, 9 and 13 encrypted; nil when it is not said.
    var packing: Int?
    /// The checksum of the packed text, if there is one.
    var checksum: Int32?
    /// Whether there is a checksum that is no number.
    var hasBadChecksum = false

    /// Reads a form; fields it does not know are passed over, and of one that stands twice the last counts.
    ///
    /// - Complexity: O(bytes).
    init(_ body: [UInt8]) {
        var single: [UInt8]?
        for field in body.split(separator: UInt8(ascii: "&")) {
            let equals = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            let value = field[min(equals + 1, field.endIndex)...]
            switch String(decoding: field[..<equals], as: UTF8.self) {
            case "data_list": data = Self.unescaped(value)
            case "data": single = Self.unescaped(value)
            case "gzip": packing = Int(String(decoding: Self.unescaped(value), as: UTF8.self))
            case "crc":
                let text = String(decoding: Self.unescaped(value), as: UTF8.self)
                // Signed as documented; some clients print the same 32 bits without a sign.
                checksum = Int32(text) ?? UInt32(text).map { Int32(bitPattern: $0) }
                hasBadChecksum = checksum == nil
            default: break
            }
        }
        data = data ?? single
    }

    /// Text with its escapes resolved. A percent sign without two digits stands for itself.
    static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return Array(text) }
        return PercentText.decode(text, plusIsSpace: true)
    }

    /// The format's checksum of a text: `h = 31·h + unit` over its UTF-16 units, wrapping.
    static func checksum(of text: [UInt8]) -> Int32 {
        String(decoding: text, as: UTF8.self).utf16.reduce(0) { 31 &* $0 &+ Int32($1) }
    }
}
