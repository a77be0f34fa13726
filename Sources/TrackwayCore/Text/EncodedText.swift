// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

private let lowercaseDigits = Array("0123456789abcdef".utf8)
private let uppercaseDigits = Array("0123456789ABCDEF".utf8)

extension Sequence<UInt8> {
    /// The bytes as lowercase hexadecimal digits, two for each byte.
    package var hexadecimal: String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            text.append(lowercaseDigits[Int(byte >> 4)])
            text.append(lowercaseDigits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension String {
    /// Returns the string percent-encoded for a URL or a form.
    ///
    /// Every byte except letters, digits and `-._~` (RFC 3986, section 2.3) becomes `%` and two uppercase hexadecimal
    /// digits.
    ///
    /// - Parameter further: Additional bytes that are not encoded.
    package func percentEncoded(keeping further: Set<UInt8> = []) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(utf8.count)
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.append(byte)
            case _ where further.contains(byte):
                text.append(byte)
            default:
                text.append(UInt8(ascii: "%"))
                text.append(uppercaseDigits[Int(byte >> 4)])
                text.append(uppercaseDigits[Int(byte & 15)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
