// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A small file of `key value` lines with a checksum line.
///
/// The file is human-readable, and the checksum detects damage.
package struct ChecksummedKeyValueFile: Sendable {
    private(set) var lines: [(key: String, value: String)] = []

    package init() {}

    package mutating func add(_ key: String, _ value: some CustomStringConvertible) {
        lines.append((key, value.description))
    }

    /// Returns the first value of a key.
    package subscript(_ key: String) -> String? {
        lines.first { $0.key == key }?.value
    }

    /// Returns all values of a key, in order.
    func all(_ key: String) -> [String] {
        lines.filter { $0.key == key }.map(\.value)
    }

    /// Returns a key's value as a number.
    package func number(_ key: String) -> UInt64? {
        self[key].flatMap { UInt64($0) }
    }

    package var bytes: [UInt8] {
        var text = ""
        for line in lines { text += line.key + " " + line.value + "\n" }
        let sum = text.withUTF8 { Checksum.payload(UnsafeRawBufferPointer($0)) }
        return Array((text + Self.lastLine(sum)).utf8)
    }

    /// Parses the file; nil when it is damaged.
    package init?(_ bytes: [UInt8]) {
        // The checksum is on the last line, so it is enough to find the start of that line.
        guard bytes.last == Self.newline else { return nil }
        let start = bytes.dropLast().lastIndex(of: Self.newline).map { $0 + 1 } ?? 0
        let sum = bytes[..<start].withUnsafeBytes { Checksum.payload($0) }
        guard bytes[start...].elementsEqual(Self.lastLine(sum).utf8) else { return nil }
        for line in bytes[..<start].split(separator: Self.newline) {
            guard let space = line.firstIndex(of: UInt8(ascii: " ")), let key = Self.text(line[..<space]),
                let value = Self.text(line[(space + 1)...])
            else { return nil }
            lines.append((key, value))
        }
    }

    private static let newline = UInt8(ascii: "\n")

    private static func lastLine(_ checksum: UInt32) -> String {
        "checksum " + String(checksum, radix: 16) + "\n"
    }

    /// Returns bytes as text; nil when they are not UTF-8.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        // Decoding replaces invalid UTF-8, which makes the bytes differ.
        return text.utf8.elementsEqual(bytes) ? text : nil
    }
}
