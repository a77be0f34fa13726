// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One request to a proxy, parsed from the bytes of its connection.
///
/// Parsing is strict: a byte outside of a request is an error.
package struct RecordedRequest: Sendable, Hashable {
    /// The absolute address in a request line.
    package struct Target: Sendable, Hashable {
        /// The host, without a port.
        package let host: String
        /// The path, with percent-encoding.
        package let path: String
        /// The query's items in order, with percent-encoding; empty without a query.
        package let query: [String]

        /// Parses an `http` address.
        package init?(_ text: String) {
            guard text.hasPrefix("http://") else { return nil }
            let rest = text.dropFirst("http://".count)
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            host = String(authority.prefix { $0 != ":" })
            let parts = rest.dropFirst(authority.count).split(
                separator: "?",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            path = parts.first.map(String.init) ?? ""
            query =
                parts.count > 1 ? parts[1].split(separator: "&", omittingEmptySubsequences: false).map(String.init) : []
        }

        /// The path and the query as in a request to the host itself.
        package var pathAndQuery: String {
            (path.isEmpty ? "/" : path) + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        }
    }

    /// A header field, with a lowercase name.
    package struct Header: Sendable, Hashable {
        /// The name.
        package let name: String
        /// The value.
        package let value: String
    }

    /// The method, such as `POST`.
    package let method: String
    /// The address.
    package let target: Target
    /// The header fields in order.
    package let headers: [Header]
    /// The body as sent.
    package let body: [UInt8]

    /// Parses all bytes of a connection.
    ///
    /// - Throws: `TestSupportError` if a byte is left over or does not belong to a request.
    package static func parse(_ bytes: [UInt8]) throws -> [RecordedRequest] {
        var rest = bytes[...]
        var requests: [RecordedRequest] = []
        while !rest.isEmpty { requests.append(try RecordedRequest(taking: &rest)) }
        return requests
    }

    private init(taking rest: inout ArraySlice<UInt8>) throws {
        let line = try Self.takeLine(&rest).split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard line.count == 3, line[2] == "HTTP/1.1", let target = Target(line[1]) else {
            throw TestSupportError("not a request line: \(line.joined(separator: " ").prefix(200))")
        }
        method = line[0]
        self.target = target
        var headers: [Header] = []
        while true {
            let line = try Self.takeLine(&rest)
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
                throw TestSupportError("not a header field: \(line.prefix(200))")
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers.append(Header(name: line[..<colon].lowercased(), value: String(value)))
        }
        self.headers = headers
        guard !headers.contains(where: { $0.name == "transfer-encoding" }) else {
            throw TestSupportError("the body has no length")
        }
        let length = headers.first { $0.name == "content-length" }.map { Int($0.value) ?? -1 } ?? 0
        guard (0...rest.count).contains(length) else {
            throw TestSupportError("the body has \(rest.count) of \(length) bytes")
        }
        body = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
    }

    private static func takeLine(_ rest: inout ArraySlice<UInt8>) throws -> String {
        guard let end = rest.firstRange(of: Array("\r\n".utf8)),
            let line = String(validating: rest[..<end.lowerBound], as: UTF8.self)
        else { throw TestSupportError("a line without an end: \(String(decoding: rest.prefix(200), as: UTF8.self))") }
        rest = rest[end.upperBound...]
        return line
    }
}
