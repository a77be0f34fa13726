// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A parsed answer.
package struct HTTPAnswer: Sendable {
    package var status: Int
    package var headers: [String: String]
    package var body: String

    /// The code of an error's body.
    package var errorCode: String? { text("code") }

    /// A text member of a flat body, without parsing it.
    package func text(_ member: String) -> String? {
        guard let start = body.range(of: "\"\(member)\":\"") else { return nil }
        return String(body[start.upperBound...].prefix { $0 != "\"" })
    }

    /// The first answer in a text, and its length in bytes; nil when it is not whole yet.
    static func parse(_ text: String) -> (answer: HTTPAnswer, length: Int)? {
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].drop { $0 == " " }.description : ""
        }
        let status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        let body = text[end.upperBound...].utf8
        guard body.count >= length else { return nil }
        let answer = HTTPAnswer(
            status: status,
            headers: headers,
            body: String(decoding: body.prefix(length), as: UTF8.self)
        )
        return (answer, text[..<end.upperBound].utf8.count + length)
    }
}

extension String {
    /// Where a text first occurs.
    fileprivate func range(of part: String) -> Range<Index>? {
        firstRange(of: part)
    }
}
