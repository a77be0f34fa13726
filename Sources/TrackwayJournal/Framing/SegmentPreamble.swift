// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The first 16 bytes of a segment: `TRACKWAY`, the format's version, and a checksum of both.
enum SegmentPreamble {
    static let size = 16
    static let version: UInt32 = 1
    private static let magic: UInt64 = 0x5941_574B_4341_5254  // "TRACKWAY", little-endian

    static func write(to start: UnsafeMutableRawPointer) {
        start.storeBytes(of: magic.littleEndian, as: UInt64.self)
        start.storeBytes(of: version.littleEndian, toByteOffset: 8, as: UInt32.self)
        let sum = Checksum.payload(UnsafeRawBufferPointer(start: start, count: 12))
        start.storeBytes(of: sum.littleEndian, toByteOffset: 12, as: UInt32.self)
    }

    /// The version the segment claims; nil when these bytes are damaged, which costs nothing but the claim.
    static func version(of bytes: UnsafeRawBufferPointer) -> UInt32? {
        guard bytes.count >= size, let start = bytes.baseAddress else { return nil }
        guard UInt64(littleEndian: start.loadUnaligned(as: UInt64.self)) == magic else { return nil }
        let sum = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        guard sum == Checksum.payload(UnsafeRawBufferPointer(start: start, count: 12)) else { return nil }
        return UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }
}
