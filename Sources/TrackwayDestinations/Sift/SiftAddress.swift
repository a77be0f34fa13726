// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayWire

/// Where an account's events go: the format with the account's id in it.
struct SiftAddress: Sendable, Hashable {
    /// The whole address.
    let url: String

    /// Fills a format; nil when it has no place for the account, or does not become an http or https address.
    init?(format: String, accountID: String) {
        let parts = format.split(separator: "%@", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return nil }
        let url = parts.joined(separator: accountID.percentEncoded)
        guard HTTPAddress(url) != nil else { return nil }
        self.url = url
    }
}

extension String {
    /// The text as one part of a path: every byte but letters, digits and `-._~` as `%` and two hexadecimal digits, so that
    /// no id can become another path.
    fileprivate var percentEncoded: String {
        // A path's `.` and `..` are directions, not names.
        let isDirection = self == "." || self == ".."
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = utf8.flatMap { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                return [byte]
            case UInt8(ascii: ".") where !isDirection:
                return [byte]
            default:
                return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
