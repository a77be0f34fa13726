// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A request or an answer of HTTP/1.1.
package struct HTTPMessage: Sendable {
    /// The first line.
    package var startLine: String
    /// The headers, names in small letters.
    package var headers: [(name: String, value: String)]
    /// The body.
    package var body: [UInt8]

    /// A message.
    package init(startLine: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.startLine = startLine
        self.headers = headers
        self.body = body
    }

    /// The first header of this name.
    package subscript(header name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The status of an answer; 0 when this is none.
    package var status: Int {
        let words = startLine.split(separator: " ")
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The message as it goes over the wire. The length is told unless a header does.
    package var bytes: [UInt8] {
        var head = "\(startLine)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if self[header: "content-length"] == nil, self[header: "transfer-encoding"] == nil {
            head += "content-length: \(body.count)\r\n"
        }
        return Array("\(head)\r\n".utf8) + body
    }
}
