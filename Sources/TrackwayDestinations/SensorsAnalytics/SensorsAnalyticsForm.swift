// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The body of an upload: a form whose `data_list` is the base64 text of the gzipped events.
package enum SensorsAnalyticsForm {
    /// The media type of the body.
    package static let contentType = "application/x-www-form-urlencoded"

    /// The form of a text: checksum, the kind of packing, and the text escaped.
    ///
    /// The checksum is that of the text before escaping.
    package static func body(dataList: String) -> [UInt8] {
        var body = Array("crc=\(SensorsAnalyticsChecksum.of(dataList))&gzip=1&data_list=".utf8)
        escape(dataList.utf8, into: &body)
        return body
    }

    /// Text with every byte escaped that a form gives a meaning to, or that is not plain ASCII. `/` and `?` stay.
    package static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        escape(text.utf8, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func escape(_ text: some Sequence<UInt8>, into body: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text {
            if isPlain(byte) {
                body.append(byte)
            } else {
                body.append(UInt8(ascii: "%"))
                body.append(digits[Int(byte >> 4)])
                body.append(digits[Int(byte & 15)])
            }
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        case UInt8(ascii: "/"), UInt8(ascii: "?"): true
        default: false
        }
    }
}
