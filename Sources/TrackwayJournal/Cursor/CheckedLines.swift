// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A small file of `key value` lines with a checksum in its last line. People can read it, and damage shows.
package struct CheckedLines: Sendable {
    private(set) var lines: [(key: String, value: String)] = []

    package init() {}

    package mutating func add(_ key: String, _ value: some CustomStringConvertible) {
        lines.append((key, value.description))
    }

    /// The first value of a key.
    package subscript(_ key: String) -> String? {
        lines.first { $0.key == key }?.value
    }

    /// All values of a key, in order.
    func all(_ key: String) -> [String] {
        lines.filter { $0.key == key }.map(\.value)
    }

    /// A key's value as a number.
    package func number(_ key: String) -> UInt64? {
        self[key].flatMap { UInt64($0) }
    }

    package var bytes: [UInt8] {
        var text = ""
        for line in lines { text += line.key + " " + line.value + "\n" }
        return Array((text + "checksum " + Self.checksum(text) + "\n").utf8)
    }

    /// Reads the file; nil when it is damaged.
    package init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        // Decoding mends what is no UTF-8; then the bytes differ.
        guard text.utf8.elementsEqual(bytes) else { return nil }
        guard let mark = text.range(ofLast: "checksum ") else { return nil }
        let body = String(text[..<mark.lowerBound])
        guard text[mark.upperBound...] == Self.checksum(body) + "\n" else { return nil }
        for line in body.split(separator: "\n") {
            guard let space = line.firstIndex(of: " ") else { return nil }
            lines.append((String(line[..<space]), String(line[line.index(after: space)...])))
        }
    }

    private static func checksum(_ text: String) -> String {
        var text = text
        let sum = text.withUTF8 { Checksum.payload(UnsafeRawBufferPointer($0)) }
        return String(sum, radix: 16)
    }
}

extension String {
    /// Where a line starting with `key` begins last, and where its value does.
    fileprivate func range(ofLast key: String) -> Range<String.Index>? {
        // The checksum is the last line, so only its start is looked at.
        guard hasSuffix("\n") else { return nil }
        let body = dropLast()
        let start = body.lastIndex(of: "\n").map { body.index(after: $0) } ?? body.startIndex
        guard body[start...].hasPrefix(key) else { return nil }
        return start..<body.index(start, offsetBy: key.count)
    }
}
