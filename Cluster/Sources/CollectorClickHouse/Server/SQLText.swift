// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Writes values into SQL.
///
/// Old versions of ClickHouse have no bound parameters, so user input enters SQL only through this type.
package enum SQLText {
    /// Returns arbitrary bytes as a literal of type `String`.
    ///
    /// Only letters, digits, and a few other characters are written literally. Everything else is written as a number,
    /// so that no byte, in any encoding, can end the literal.
    package static func literal(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = [UInt8(ascii: "'")]
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: " "),
                UInt8(ascii: "-"), UInt8(ascii: ":"):
                text.append(byte)
            default:
                text += [UInt8(ascii: "\\"), UInt8(ascii: "x"), digit(byte >> 4), digit(byte & 0xf)]
            }
        }
        text.append(UInt8(ascii: "'"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns a string as a literal of type `String`.
    package static func literal(_ text: String) -> String { literal(text.utf8) }

    /// Returns an id as a literal of type `FixedString(16)`.
    package static func literal(_ id: some UniqueID) -> String {
        var row = RowBinary()
        row.id(id)
        return "toFixedString(\(literal(row.bytes)), 16)"
    }

    /// The missing id, as a literal of type `FixedString(16)`.
    package static let missingID = "toFixedString('', 16)"

    private static func digit(_ half: UInt8) -> UInt8 {
        half < 10 ? UInt8(ascii: "0") + half : UInt8(ascii: "a") + half - 10
    }
}
