// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Writes rows in ClickHouse's `RowBinary` format.
///
/// A row consists of its values in column order, and rows follow one another directly.
package struct RowBinary: Sendable {
    /// The rows written so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates a writer without rows.
    package init() {}

    /// Appends a value of type `Int64`.
    package mutating func integer(_ value: Int64) { appendFixed(UInt64(bitPattern: value)) }

    /// Appends a value of type `UInt64`.
    package mutating func unsigned(_ value: UInt64) { appendFixed(value) }

    /// Appends a value of type `UInt32`.
    package mutating func short(_ value: UInt32) { appendFixed(value) }

    /// Appends a value of type `UInt8`.
    package mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// Appends an id as a value of type `FixedString(16)`.
    ///
    /// The bytes are in the order in which ids are written as text. ClickHouse's own type for ids is not used because
    /// it sorts by the second half first.
    package mutating func id(_ id: some UniqueID) { idHalves(id.high, id.low) }

    /// Appends sixteen zeros in place of a missing id.
    package mutating func missingID() { idHalves(0, 0) }

    /// Appends a value of type `FixedString(16)`.
    package mutating func idHalves(_ high: UInt64, _ low: UInt64) {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes.append(contentsOf: $0) }
    }

    /// Appends a value of type `String`.
    ///
    /// The length comes first, seven bits per byte with the lowest bits first, followed by the string's bytes.
    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string($0) }
    }

    /// Appends a value of type `String`.
    package mutating func string(_ content: some Collection<UInt8>) {
        appendLength(content.count)
        bytes.append(contentsOf: content)
    }

    /// Appends a value of type `Array(String)`.
    ///
    /// The number of strings comes first, then each string.
    package mutating func strings(_ texts: some Collection<[UInt8]>) {
        appendLength(texts.count)
        for text in texts { string(text) }
    }

    /// Appends a value of type `Array(String)` with `count` strings from a closure.
    package mutating func strings(_ count: Int, _ text: (Int) -> UnsafeRawBufferPointer) {
        appendLength(count)
        for index in 0..<count { string(text(index)) }
    }

    private mutating func appendLength(_ count: Int) {
        var count = count
        while count > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: count & 0x7f) | 0x80)
            count >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: count))
    }

    private mutating func appendFixed(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

extension RowBinary {
    /// Decodes rows with one column of type `FixedString(16)`.
    ///
    /// - Returns: The halves of each id; nil if the number of bytes is not a multiple of 16.
    package static func ids(_ bytes: [UInt8]) -> [(high: UInt64, low: UInt64)]? {
        guard bytes.count.isMultiple(of: 16) else { return nil }
        return stride(from: 0, to: bytes.count, by: 16).map { start in
            let high = bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let low = bytes[start + 8..<start + 16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return (high, low)
        }
    }
}
