// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The form in the body of an upload.
///
/// Its `data_list` contains the gzipped events in Base64.
package enum SensorsAnalyticsForm {
    /// The media type of the body.
    package static let contentType = "application/x-www-form-urlencoded"

    /// Returns the form: checksum, compression flag, and the escaped string.
    ///
    /// The checksum is computed before escaping.
    package static func body(dataList: String) -> [UInt8] {
        let checksum = SensorsAnalyticsChecksum.of(dataList)
        return Array("crc=\(checksum)&gzip=1&data_list=\(escaped(dataList))".utf8)
    }

    /// Returns a string escaped for a form.
    ///
    /// Every byte that is special in a form, or not ASCII, is escaped.
    ///
    /// `/` and `?` are not escaped.
    package static func escaped(_ text: String) -> String {
        text.percentEncoded(keeping: [UInt8(ascii: "/"), UInt8(ascii: "?")])
    }
}

/// The checksum of a Sensors Analytics form body.
///
/// It is the 32-bit string hash `h = 31·h + unit` over the string's UTF-16 units, with overflow, as a signed number.
package enum SensorsAnalyticsChecksum {
    /// Returns the checksum of a string.
    ///
    /// - Complexity: O(length).
    package static func of(_ text: String) -> Int32 {
        text.utf16.reduce(0) { hash, unit in 31 &* hash &+ Int32(unit) }
    }
}
