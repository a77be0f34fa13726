// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Makes the ids of sessions: `dc7a7a18-20230905-131926703`, the end of the user's unique id and the start in UTC.
package enum SessionID {
    /// How many characters of the unique id are in it.
    static let prefixLength = 8

    /// The id of a session of this user that begins at this time.
    ///
    /// - Parameter uniqueID: Its last eight characters are used; fewer are filled up with `_` in front.
    package static func make(uniqueID: String, start: Timestamp) -> String {
        let suffix = uniqueID.suffix(prefixLength)
        let filling = String(repeating: "_", count: prefixLength - suffix.count)
        // 2023-09-05T13:19:26.703Z: the digits, parted where the date ends.
        let digits = start.iso8601.utf8.filter { $0 &- UInt8(ascii: "0") < 10 }
        let date = String(decoding: digits.prefix(8), as: UTF8.self)
        let time = String(decoding: digits.dropFirst(8), as: UTF8.self)
        return "\(filling)\(suffix)-\(date)-\(time)"
    }
}
