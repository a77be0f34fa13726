// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore

/// Takes rows of `RowBinary` apart as their bytes come in, and keeps no more of them than one row and one piece.
struct RowReader {
    /// A row of more bytes is none that was asked for.
    static let longestRow = 512 << 20

    private var bytes: [UInt8] = []
    /// With fewer bytes the next row is not looked at again: long rows would be begun for every piece.
    private var wanted = 0

    /// Nothing yet.
    init() {}

    /// The next bytes.
    ///
    /// - Parameters:
    ///   - decode: Reads one row; asked again for the same row when more of it is there.
    ///   - take: Called with each row.
    /// - Throws: ``RowFault`` for what are no rows; what `take` throws.
    mutating func append<Row>(
        _ piece: ByteBuffer,
        _ decode: (inout RowCursor) throws(RowFault) -> Row,
        _ take: (Row) throws -> Void
    ) throws {
        bytes += piece.readableBytesView
        guard bytes.count >= wanted else { return }
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
        wanted = 2 * bytes.count
        guard bytes.count <= Self.longestRow else { throw RowFault.malformed }
    }

    /// There are no more bytes.
    ///
    /// - Throws: ``RowFault`` when they end within a row.
    mutating func finish<Row>(
        _ decode: (inout RowCursor) throws(RowFault) -> Row,
        _ take: (Row) throws -> Void
    ) throws {
        wanted = 0
        try append(ByteBuffer(), decode, take)
        guard bytes.isEmpty else { throw RowFault.malformed }
    }
}

/// Why a row cannot be read.
enum RowFault: Error {
    /// Its end is not there yet.
    case incomplete
    /// It is none.
    case malformed
}

/// Reads the values of rows, one after another. Valid only while the bytes stay where they are.
struct RowCursor {
    private let bytes: UnsafeRawBufferPointer
    /// Where the next value begins.
    private(set) var offset = 0

    /// The values in these bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// A value of type `Int64`.
    mutating func int64() throws(RowFault) -> Int64 { Int64(littleEndian: try fixed(Int64.self)) }

    /// A value of type `UInt64`.
    mutating func uint64() throws(RowFault) -> UInt64 { UInt64(littleEndian: try fixed(UInt64.self)) }

    /// A value of type `Int32`.
    mutating func int32() throws(RowFault) -> Int32 { Int32(littleEndian: try fixed(Int32.self)) }

    /// A value of type `UInt16`.
    mutating func uint16() throws(RowFault) -> UInt16 { UInt16(littleEndian: try fixed(UInt16.self)) }

    /// A value of type `UInt8`.
    mutating func uint8() throws(RowFault) -> UInt8 { try fixed(UInt8.self) }

    /// A value of type `FixedString(16)`, as the halves of an id.
    mutating func halves() throws(RowFault) -> (high: UInt64, low: UInt64) {
        (UInt64(bigEndian: try fixed(UInt64.self)), UInt64(bigEndian: try fixed(UInt64.self)))
    }

    /// A value of type `String`.
    mutating func string() throws(RowFault) -> [UInt8] {
        let length = try length()
        guard bytes.count - offset >= length else { throw .incomplete }
        defer { offset += length }
        return Array(bytes[offset..<offset + length])
    }

    /// A value of an array's type.
    mutating func array<Element>(
        _ element: (inout RowCursor) throws(RowFault) -> Element
    ) throws(RowFault) -> [Element] {
        let count = try length()
        var elements: [Element] = []
        // An element has a byte at least.
        guard bytes.count - offset >= count else { throw .incomplete }
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try element(&self)) }
        return elements
    }

    /// Reads the rows of an answer that is there as a whole.
    ///
    /// - Throws: ``RowFault`` for what are no rows.
    static func forEachRow(
        of bytes: [UInt8],
        _ body: (inout RowCursor) throws(RowFault) -> Void
    ) throws(RowFault) {
        // The type of what is thrown would be lost in the closure.
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
        guard length <= RowReader.longestRow else { throw .malformed }
        return length
    }

    private mutating func fixed<Value: FixedWidthInteger>(_: Value.Type) throws(RowFault) -> Value {
        guard bytes.count - offset >= MemoryLayout<Value>.size else { throw .incomplete }
        defer { offset += MemoryLayout<Value>.size }
        return bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
    }
}
