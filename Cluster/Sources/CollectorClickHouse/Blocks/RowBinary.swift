// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Writes rows in ClickHouse's format `RowBinary`: the values of a row in the order of the columns, one row after another.
package struct RowBinary: Sendable {
    /// What was written.
    package private(set) var bytes: [UInt8] = []

    /// No rows.
    package init() {}

    /// A value of type `Int64`.
    package mutating func integer(_ value: Int64) { fixed(UInt64(bitPattern: value)) }

    /// A value of type `UInt64`.
    package mutating func unsigned(_ value: UInt64) { fixed(value) }

    /// A value of type `UInt32`.
    package mutating func short(_ value: UInt32) { fixed(value) }

    /// A value of type `UInt8`.
    package mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// A value of type `FixedString(16)`, in the order in which ids are written: ClickHouse's own type for them sorts by the second
    /// half first.
    package mutating func id(_ id: some UniqueID) { halves(id.high, id.low) }

    /// The id of nobody: sixteen zeros.
    package mutating func noID() { halves(0, 0) }

    /// A value of type `FixedString(16)`.
    package mutating func halves(_ high: UInt64, _ low: UInt64) {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes.append(contentsOf: $0) }
    }

    /// A value of type `String`: its length, seven bits a byte and the lowest first, then its bytes.
    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string($0) }
    }

    /// A value of type `String`.
    package mutating func string(_ content: some Collection<UInt8>) {
        length(content.count)
        bytes.append(contentsOf: content)
    }

    /// A value of type `Array(String)`: how many there are, then each.
    package mutating func strings(_ texts: some Collection<[UInt8]>) {
        length(texts.count)
        for text in texts { string(text) }
    }

    /// A value of type `Array(String)` of so many texts, each as a closure gives it.
    package mutating func strings(_ count: Int, _ text: (Int) -> UnsafeRawBufferPointer) {
        length(count)
        for index in 0..<count { string(text(index)) }
    }

    private mutating func length(_ count: Int) {
        var count = count
        while count > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: count & 0x7f) | 0x80)
            count >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: count))
    }

    private mutating func fixed(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

extension RowBinary {
    /// Reads rows of one column of type `FixedString(16)`.
    ///
    /// - Returns: The halves of each; nil when the bytes are no whole number of them.
    package static func ids(_ bytes: [UInt8]) -> [(high: UInt64, low: UInt64)]? {
        guard bytes.count.isMultiple(of: 16) else { return nil }
        return stride(from: 0, to: bytes.count, by: 16).map { start in
            let high = bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let low = bytes[start + 8..<start + 16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return (high, low)
        }
    }
}
