// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A parsed response.
public struct TestHTTPResponse: Sendable {
    public var status: Int
    public var headers: [String: String]
    public var body: String

    /// The code in an error's body.
    public var errorCode: String? { text("code") }

    /// Returns a string member of a flat body.
    ///
    /// The body is not parsed.
    public func text(_ member: String) -> String? {
        guard let start = body.range(of: "\"\(member)\":\"") else { return nil }
        return String(body[start.upperBound...].prefix { $0 != "\"" })
    }

    /// Returns the first response in a string, and its length in bytes.
    ///
    /// Nil if it is incomplete.
    static func parse(_ text: String) -> (answer: TestHTTPResponse, length: Int)? {
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].drop { $0 == " " }.description : ""
        }
        let status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        if headers["transfer-encoding"] == "chunked" {
            guard let (body, length) = chunks(text[end.upperBound...].utf8) else { return nil }
            let answer = TestHTTPResponse(status: status, headers: headers, body: body)
            return (answer, text[..<end.upperBound].utf8.count + length)
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        let body = text[end.upperBound...].utf8
        guard body.count >= length else { return nil }
        let answer = TestHTTPResponse(
            status: status,
            headers: headers,
            body: String(decoding: body.prefix(length), as: UTF8.self)
        )
        return (answer, text[..<end.upperBound].utf8.count + length)
    }
}

extension TestHTTPResponse {
    /// Returns the content of a chunked body, and its length in bytes.
    ///
    /// Nil if it is incomplete.
    private static func chunks(_ bytes: Substring.UTF8View) -> (body: String, length: Int)? {
        let bytes = Array(bytes)
        var (body, place): ([UInt8], Int) = ([], 0)
        while let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) {
            let size = String(decoding: bytes[place..<end], as: UTF8.self).prefix { $0.isHexDigit }
            guard let length = Int(size, radix: 16), bytes.count >= end + 1 + length + 2 else { return nil }
            body += bytes[end + 1..<end + 1 + length]
            place = end + 1 + length + 2
            if length == 0 { return (String(decoding: body, as: UTF8.self), place) }
        }
        return nil
    }
}

extension String {
    /// Returns the range of the first occurrence of a string.
    fileprivate func range(of part: String) -> Range<Index>? {
        firstRange(of: part)
    }
}
