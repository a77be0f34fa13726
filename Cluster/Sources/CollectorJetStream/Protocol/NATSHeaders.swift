// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Message headers: `NATS/1.0`, an optional status, then fields as in HTTP.
package struct NATSHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// A header field.
    package struct Field: Sendable, Hashable {
        /// The name as received. Names are case-sensitive.
        package var name: String
        /// The value, without surrounding whitespace.
        package var value: String

        /// Creates a field.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The HTTP-like status code of a message without a body.
    ///
    /// Nil in most messages.
    package var status: Int?
    /// The server's text for the status; empty for none.
    package var reason = ""
    /// The fields, in order.
    package var fields: [Field]

    /// Creates headers with the given fields.
    package init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Creates headers with the given fields, in order.
    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0, value: $1) }
    }

    /// The value of the first field with the given name.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    private static let version = Array("NATS/1.0".utf8)

    /// The encoded headers: version, fields, and the final empty line.
    ///
    /// Line endings in names and values become spaces.
    var bytes: [UInt8] {
        var bytes = Self.version
        if let status { bytes += Array(" \(status)".utf8) }
        if status != nil, !reason.isEmpty { bytes += Self.line(" " + reason) }
        bytes += [0x0d, 0x0a]
        for field in fields { bytes += Self.line("\(field.name): \(field.value)") + [0x0d, 0x0a] }
        return bytes + [0x0d, 0x0a]
    }

    private static func line(_ text: String) -> [UInt8] {
        text.utf8.map { $0 == 0x0d || $0 == 0x0a ? 0x20 : $0 }
    }

    /// Decodes headers, including the empty line at their end.
    ///
    /// - Throws: ``NATSProtocolError`` `malformedHeaders`.
    package init(_ bytes: some RandomAccessCollection<UInt8>) throws(NATSProtocolError) {
        fields = []
        guard bytes.starts(with: Self.version), bytes.suffix(4).elementsEqual([0x0d, 0x0a, 0x0d, 0x0a]) else {
            throw NATSProtocolError(.malformedHeaders, bytes)
        }
        var isFirst = true
        for line in bytes.dropLast(4).split(separator: 0x0a, omittingEmptySubsequences: false) {
            let line = line.last == 0x0d ? line.dropLast() : line
            defer { isFirst = false }
            if isFirst {
                try readStatus(line.dropFirst(Self.version.count), of: bytes)
                continue
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
                throw NATSProtocolError(.malformedHeaders, line)
            }
            fields.append(
                Field(
                    name: String(decoding: line[..<colon], as: UTF8.self),
                    value: Self.trimmed(line[line.index(after: colon)...])
                )
            )
        }
    }

    private mutating func readStatus(
        _ rest: some RandomAccessCollection<UInt8>,
        of bytes: some RandomAccessCollection<UInt8>
    ) throws(NATSProtocolError) {
        let text = Self.trimmed(rest)
        guard !text.isEmpty else { return }
        guard rest.first == 0x20, let status = Int(text.prefix(3)), (100...999).contains(status) else {
            throw NATSProtocolError(.malformedHeaders, bytes)
        }
        self.status = status
        reason = Self.trimmed(text.utf8.dropFirst(3))
    }

    private static func trimmed(_ bytes: some Sequence<UInt8>) -> String {
        let text = Array(bytes.drop { $0 == 0x20 || $0 == 0x09 })
        let end = text.lastIndex { $0 != 0x20 && $0 != 0x09 && $0 != 0x0d } ?? -1
        return String(decoding: text[...end], as: UTF8.self)
    }
}
