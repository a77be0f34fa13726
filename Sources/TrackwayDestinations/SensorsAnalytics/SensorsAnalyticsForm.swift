// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The body of an upload: a form whose `data_list` is the base64 text of the gzipped events.
package enum SensorsAnalyticsForm {
    /// The media type of the body.
    package static let contentType = "application/x-www-form-urlencoded"

    /// The form of a text: checksum, the kind of packing, and the text escaped.
    ///
    /// The checksum is that of the text before escaping.
    package static func body(dataList: String) -> [UInt8] {
        let checksum = SensorsAnalyticsChecksum.of(dataList)
        return Array("crc=\(checksum)&gzip=1&data_list=\(escaped(dataList))".utf8)
    }

    /// Text with every byte escaped that a form gives a meaning to, or that is not plain ASCII. `/` and `?` stay.
    package static func escaped(_ text: String) -> String {
        text.percentEncoded(keeping: [UInt8(ascii: "/"), UInt8(ascii: "?")])
    }
}

/// The checksum of a Sensors Analytics form body: the 32-bit string hash `h = 31·h + unit` over the text's UTF-16 units,
/// wrapping, as a signed number.
package enum SensorsAnalyticsChecksum {
    /// The checksum of a text.
    ///
    /// - Complexity: O(length).
    package static func of(_ text: String) -> Int32 {
        text.utf16.reduce(0) { hash, unit in 31 &* hash &+ Int32(unit) }
    }
}
