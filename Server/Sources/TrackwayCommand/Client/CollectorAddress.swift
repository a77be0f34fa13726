// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// A collector's address and the key to use.
struct CollectorAddress: Sendable, Hashable {
    /// The base URL, without a trailing slash.
    var root: String
    /// The key, or nil for none.
    var key: String?

    /// The default address of a collector on the developer's machine.
    static let local = "http://127.0.0.1:8787"

    /// Parses an address.
    ///
    /// `host:port` means `http://host:port`.
    ///
    /// - Throws: ``CommandFailure`` `usage` if the text is not an `http` or `https` address.
    init(_ text: String, key: String?) throws(CommandFailure) {
        let full = text.contains("://") ? text : "http://" + text
        guard let url = URL(string: full), let scheme = url.scheme, scheme == "http" || scheme == "https",
            let host = url.host, !host.isEmpty
        else {
            throw CommandFailure(
                .usage,
                "“\(text)” is not a collector's address",
                remedy: "set --url or TRACKWAY_URL to an address such as \(Self.local) or 127.0.0.1:8787"
            )
        }
        root = full
        while root.hasSuffix("/") { root.removeLast() }
        self.key = key
    }

    /// Returns the URL of a path and query.
    ///
    /// - Parameters:
    ///   - path: The path, beginning with a slash.
    ///   - query: Names and values, without percent-encoding.
    func url(_ path: String, query: [(name: String, value: String)] = []) throws(CommandFailure) -> URL {
        let fields = query.map { "\($0.name)=\(Self.escape($0.value))" }.joined(separator: "&")
        guard let url = URL(string: root + path + (fields.isEmpty ? "" : "?" + fields)) else {
            throw CommandFailure(.usage, "\(root + path) is not a valid URL", remedy: "check --url")
        }
        return url
    }

    /// Percent-encodes a path or query component.
    ///
    /// Every UTF-8 byte except ASCII letters, digits, and `-._~` becomes `%XX`.
    static func escape(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }
}
