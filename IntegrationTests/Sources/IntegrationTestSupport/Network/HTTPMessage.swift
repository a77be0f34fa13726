// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An HTTP/1.1 request or response.
package struct HTTPMessage: Sendable {
    /// The request line or status line.
    package var startLine: String
    /// The headers, with lowercase names.
    package var headers: [(name: String, value: String)]
    /// The body.
    package var body: [UInt8]

    /// Creates a message.
    package init(startLine: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.startLine = startLine
        self.headers = headers
        self.body = body
    }

    /// Returns the value of the first header with this name.
    package subscript(header name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The status of a response; 0 for a request.
    package var status: Int {
        let words = startLine.split(separator: " ")
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The message in wire format.
    ///
    /// A `content-length` header is added unless a header already states the length.
    package var bytes: [UInt8] {
        var head = "\(startLine)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if self[header: "content-length"] == nil, self[header: "transfer-encoding"] == nil {
            head += "content-length: \(body.count)\r\n"
        }
        return Array("\(head)\r\n".utf8) + body
    }
}
