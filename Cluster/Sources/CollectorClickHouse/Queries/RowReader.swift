// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore

/// Parses rows of `RowBinary` as their bytes arrive.
///
/// Holds at most one row and one piece in memory.
struct RowReader {
    /// The maximum size of a row in bytes; no expected row is larger.
    static let maxRowBytes = 512 << 20

    private var bytes: [UInt8] = []
    /// The minimum number of bytes to collect before parsing the next row again.
    ///
    /// Without it, a long row would be parsed from its beginning for every piece.
    private var minimumBytes = 0

    /// Creates a reader without bytes.
    init() {}

    /// Appends the next bytes.
    ///
    /// - Parameters:
    ///   - decode: Reads one row; called again for the same row once more of it is available.
    ///   - take: Called with each row.
    /// - Throws: ``RowFault`` for malformed rows, and the errors of `take`.
    mutating func append<Row>(
        _ piece: ByteBuffer,
        _ decode: (inout RowCursor) throws(RowFault) -> Row,
        _ take: (Row) throws -> Void
    ) throws {
        bytes += piece.readableBytesView
        guard bytes.count >= minimumBytes else { return }
        var end = 0
        try bytes.withUnsafeBytes { buffer in
            var cursor = RowCursor(buffer)
            while end < buffer.count {
                let row: Row
                do throws(RowFault) {
                    row = try decode(&cursor)
                } catch {
                    if error == .malformed { throw error }
                    break
                }
                end = cursor.offset
                try take(row)
            }
        }
        bytes.removeFirst(end)
        minimumBytes = 2 * bytes.count
        guard bytes.count <= Self.maxRowBytes else { throw RowFault.malformed }
    }

    /// Finishes after the last bytes.
    ///
    /// - Throws: ``RowFault`` if the bytes end within a row.
    mutating func finish<Row>(
        _ decode: (inout RowCursor) throws(RowFault) -> Row,
        _ take: (Row) throws -> Void
    ) throws {
        minimumBytes = 0
        try append(ByteBuffer(), decode, take)
        guard bytes.isEmpty else { throw RowFault.malformed }
    }
}

/// Why a row cannot be read.
enum RowFault: Error {
    /// The end of the row has not arrived yet.
    case incomplete
    /// The row is invalid.
    case malformed
}

/// Reads the values of rows, one after another.
///
/// Valid only while the bytes stay at their address.
struct RowCursor {
    private let bytes: UnsafeRawBufferPointer
    /// The offset where the next value begins.
    private(set) var offset = 0

    /// Creates a cursor over the given bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Reads a value of type `Int64`.
    mutating func int64() throws(RowFault) -> Int64 { Int64(littleEndian: try fixed(Int64.self)) }

    /// Reads a value of type `UInt64`.
    mutating func uint64() throws(RowFault) -> UInt64 { UInt64(littleEndian: try fixed(UInt64.self)) }

    /// Reads a value of type `Int32`.
    mutating func int32() throws(RowFault) -> Int32 { Int32(littleEndian: try fixed(Int32.self)) }

    /// Reads a value of type `UInt16`.
    mutating func uint16() throws(RowFault) -> UInt16 { UInt16(littleEndian: try fixed(UInt16.self)) }

    /// Reads a value of type `UInt8`.
    mutating func uint8() throws(RowFault) -> UInt8 { try fixed(UInt8.self) }

    /// Reads a value of type `FixedString(16)` as the halves of an id.
    mutating func idHalves() throws(RowFault) -> (high: UInt64, low: UInt64) {
        (UInt64(bigEndian: try fixed(UInt64.self)), UInt64(bigEndian: try fixed(UInt64.self)))
    }

    /// Reads a value of type `String`.
    mutating func string() throws(RowFault) -> [UInt8] {
        let length = try length()
        guard bytes.count - offset >= length else { throw .incomplete }
        defer { offset += length }
        return Array(bytes[offset..<offset + length])
    }

    /// Reads a value of an array type.
    mutating func array<Element>(
        _ element: (inout RowCursor) throws(RowFault) -> Element
    ) throws(RowFault) -> [Element] {
        let count = try length()
        var elements: [Element] = []
        // An element has at least one byte.
        guard bytes.count - offset >= count else { throw .incomplete }
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try element(&self)) }
        return elements
    }

    /// Reads the rows of a complete response.
    ///
    /// - Throws: ``RowFault`` for malformed rows.
    static func forEachRow(
        of bytes: [UInt8],
        _ body: (inout RowCursor) throws(RowFault) -> Void
    ) throws(RowFault) {
        // The closure returns a result, because an error that it throws would lose its type.
        let result: Result<Void, RowFault> = bytes.withUnsafeBytes { buffer in
            var cursor = RowCursor(buffer)
            do throws(RowFault) {
                while cursor.offset < buffer.count { try body(&cursor) }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private mutating func length() throws(RowFault) -> Int {
        var (length, shift) = (0, 0)
        while true {
            let byte = try uint8()
            length |= Int(byte & 0x7f) << shift
            if byte < 0x80 { break }
            shift += 7
            guard shift < 35 else { throw .malformed }
        }
        guard length <= RowReader.maxRowBytes else { throw .malformed }
        return length
    }

    private mutating func fixed<Value: FixedWidthInteger>(_: Value.Type) throws(RowFault) -> Value {
        guard bytes.count - offset >= MemoryLayout<Value>.size else { throw .incomplete }
        defer { offset += MemoryLayout<Value>.size }
        return bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
    }
}
