// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// Where a collector is and which key opens it.
struct CollectorAddress: Sendable, Hashable {
    /// The root of its paths, without a slash at the end.
    var root: String
    /// The key; nil when none was given.
    var key: String?

    /// The collector that a developer starts on their own machine.
    static let local = "http://127.0.0.1:8787"

    /// Reads an address. `host:port` alone means `http://host:port`.
    ///
    /// - Throws: ``CommandFailure`` `usage` when it is not an `http` or `https` address.
    init(_ text: String, key: String?) throws(CommandFailure) {
        let full = text.contains("://") ? text : "http://" + text
        guard let url = URL(string: full), let scheme = url.scheme, scheme == "http" || scheme == "https",
            let host = url.host, !host.isEmpty
        else {
            throw CommandFailure(
                .usage,
                "“\(text)” is not a collector's address",
                remedy: "write \(Self.local) or 127.0.0.1:8787, with --url or in TRACKWAY_URL"
            )
        }
        root = full
        while root.hasSuffix("/") { root.removeLast() }
        self.key = key
    }

    /// The address of a path with its query.
    ///
    /// - Parameters:
    ///   - path: The path, beginning with a slash.
    ///   - query: Names and values, which are escaped here.
    func url(_ path: String, query: [(name: String, value: String)] = []) throws(CommandFailure) -> URL {
        let fields = query.map { "\($0.name)=\(Self.escape($0.value))" }.joined(separator: "&")
        guard let url = URL(string: root + path + (fields.isEmpty ? "" : "?" + fields)) else {
            throw CommandFailure(.usage, "\(root + path) is not an address", remedy: "check --url")
        }
        return url
    }

    /// Text as a part of a path or query: everything but letters, digits and `-._~` becomes `%XX`.
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
