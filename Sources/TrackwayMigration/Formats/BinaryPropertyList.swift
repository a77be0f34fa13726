// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Parses binary property lists.
///
/// The parser is hand-written because the system's parser returns an archive's references as objects of a private
/// class. For bytes that are not a binary property list, and for lists that contain themselves, it throws an error; no
/// value is ever guessed.
package struct BinaryPropertyList {
    /// The reason why the bytes cannot be parsed.
    package enum Fault: Error, Hashable {
        /// The bytes lack the header of a binary property list.
        case notBinary
        /// The data at this offset is malformed.
        ///
        /// For example, the data points out of bounds or to a missing object.
        case damaged(at: Int)
        /// The list exceeds `maximumDepth` or `maximumValues`.
        ///
        /// Nothing that the SDK imports is that large.
        case tooLarge
    }

    /// The maximum nesting depth.
    package static let maximumDepth = 64
    /// The maximum number of values, each counted once per reference.
    package static let maximumValues = 1_000_000

    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceBytes: Int
    private var remainingValues = Self.maximumValues

    /// Parses the bytes and returns the top-level value.
    package static func value(of bytes: [UInt8]) throws(Fault) -> PropertyValue {
        guard bytes.starts(with: Array("bplist0".utf8)), bytes.count >= 40 else { throw .notBinary }
        let trailer = bytes.count - 32
        let (offsetBytes, referenceBytes) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        let count = number(in: bytes, at: trailer + 8, bytes: 8)
        let top = number(in: bytes, at: trailer + 16, bytes: 8)
        let table = number(in: bytes, at: trailer + 24, bytes: 8)
        guard (1...8).contains(offsetBytes), (1...8).contains(referenceBytes), let count, let top, let table,
            count > 0, top < count, table >= 8, table <= trailer, count <= (trailer - table) / offsetBytes
        else { throw .damaged(at: trailer) }
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for index in 0..<count {
            guard let offset = number(in: bytes, at: table + index * offsetBytes, bytes: offsetBytes), offset >= 8,
                offset < table
            else { throw .damaged(at: table + index * offsetBytes) }
            offsets.append(offset)
        }
        var list = BinaryPropertyList(bytes: bytes, offsets: offsets, referenceBytes: referenceBytes)
        return try list.value(top, depth: 0)
    }

    private init(bytes: [UInt8], offsets: [Int], referenceBytes: Int) {
        self.bytes = bytes
        self.offsets = offsets
        self.referenceBytes = referenceBytes
    }

    private mutating func value(_ index: Int, depth: Int) throws(Fault) -> PropertyValue {
        remainingValues -= 1
        guard depth < Self.maximumDepth, remainingValues > 0 else { throw .tooLarge }
        let start = offsets[index]
        let (kind, low) = (bytes[start] >> 4, Int(bytes[start] & 0x0F))
        switch kind {
        case 0x0:
            guard low == 8 || low == 9 else { throw .damaged(at: start) }
            return .boolean(low == 9)
        case 0x1:
            return .integer(try integer(at: start + 1, bytes: 1 << low))
        case 0x2:
            return .double(try real(at: start + 1, bytes: 1 << low))
        case 0x3:
            let seconds = try real(at: start + 1, bytes: 8)
            guard let time = Timestamp(secondsSince2001: seconds) else { throw .damaged(at: start) }
            return .date(time)
        case 0x4:
            return .data(Array(bytes[try content(at: start, unit: 1)]))
        case 0x5, 0x7:
            // Older writers also store non-ASCII strings here; their bytes are read as UTF-8.
            return .string(String(decoding: bytes[try content(at: start, unit: 1)], as: UTF8.self))
        case 0x6:
            let range = try content(at: start, unit: 2)
            let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map { offset in
                UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
            }
            return .string(String(decoding: units, as: UTF16.self))
        case 0x8:
            guard let number = Self.number(in: bytes, at: start + 1, bytes: low + 1) else { throw .damaged(at: start) }
            return .reference(number)
        case 0xA, 0xB, 0xC:
            var values: [PropertyValue] = []
            for reference in try references(in: try content(at: start, unit: referenceBytes)) {
                values.append(try value(reference, depth: depth + 1))
            }
            return .array(values)
        case 0xD:
            let all = try references(in: try content(at: start, unit: 2 * referenceBytes))
            var members: [String: PropertyValue] = [:]
            for (key, member) in zip(all.prefix(all.count / 2), all.dropFirst(all.count / 2)) {
                guard case .string(let name) = try value(key, depth: depth + 1) else { throw .damaged(at: start) }
                members[name] = try value(member, depth: depth + 1)
            }
            return .dictionary(members)
        default:
            throw .damaged(at: start)
        }
    }

    /// Returns the byte range of an object's content.
    ///
    /// The count is in the marker byte, or in an integer after that byte.
    private func content(at start: Int, unit: Int) throws(Fault) -> Range<Int> {
        var (offset, count) = (start + 1, Int(bytes[start] & 0x0F))
        if count == 0x0F {
            guard offset < bytes.count, bytes[offset] >> 4 == 0x1 else { throw .damaged(at: start) }
            let width = 1 << Int(bytes[offset] & 0x0F)
            guard let long = Self.number(in: bytes, at: offset + 1, bytes: width) else { throw .damaged(at: start) }
            (offset, count) = (offset + 1 + width, long)
        }
        guard offset <= bytes.count, count <= (bytes.count - offset) / unit else { throw .damaged(at: start) }
        return offset..<(offset + count * unit)
    }

    private func references(in range: Range<Int>) throws(Fault) -> [Int] {
        var all: [Int] = []
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: referenceBytes) {
            guard let index = Self.number(in: bytes, at: offset, bytes: referenceBytes), index < offsets.count else {
                throw .damaged(at: offset)
            }
            all.append(index)
        }
        return all
    }

    private func integer(at offset: Int, bytes width: Int) throws(Fault) -> Int64 {
        guard width <= 16, offset + width <= bytes.count else { throw .damaged(at: offset) }
        // A 16-byte integer holds a value that does not fit in a signed 64-bit one. Its first eight bytes are then
        // zero.
        let high = bytes[offset..<(offset + max(0, width - 8))]
        let low = bytes[(offset + max(0, width - 8))..<(offset + width)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard high.isEmpty else {
            guard high.allSatisfy({ $0 == 0 }), low <= UInt64(Int64.max) else { throw .damaged(at: offset) }
            return Int64(low)
        }
        return Int64(bitPattern: low)
    }

    private func real(at offset: Int, bytes width: Int) throws(Fault) -> Double {
        guard width == 4 || width == 8, offset + width <= bytes.count else { throw .damaged(at: offset) }
        let bits = bytes[offset..<(offset + width)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return width == 4 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits)
    }

    /// Reads a big-endian unsigned integer of 1 to 8 bytes.
    ///
    /// Returns nil if the integer is out of bounds or larger than `Int.max`.
    private static func number(in bytes: [UInt8], at offset: Int, bytes width: Int) -> Int? {
        guard width >= 1, width <= 8, offset >= 0, width <= bytes.count - offset else { return nil }
        let value = bytes[offset..<(offset + width)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: value)
    }
}

extension Timestamp {
    /// Creates a time from seconds since Apple's reference date.
    ///
    /// The reference date is the start of 2001. Nil if the time is out of range.
    init?(secondsSince2001 seconds: Double) {
        guard let milliseconds = Int64(exactly: ((seconds + 978_307_200) * 1_000).rounded()) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
