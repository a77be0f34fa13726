// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The 24 bytes in front of every record, little-endian:
///
/// | at | bytes | what |
/// |--:|--:|---|
/// | 0 | 4 | length of header and payload; 0 where nothing was written yet |
/// | 4 | 4 | checksum of payload and the 16 bytes below, salted (``Checksum``) |
/// | 8 | 1 | kind (``FrameKind``) |
/// | 9 | 1 | flags |
/// | 10 | 2 | length of the route in front of an addressed event's JSON |
/// | 12 | 4 | generation of the context the event was recorded in |
/// | 16 | 8 | sequence number |
///
/// Frames start at multiples of eight; the gap behind a payload is zero. The length is written last, so a process
/// killed inside a write leaves a zero there and nothing that looks like a record.
struct FrameHeader: Sendable, Hashable {
    static let size = 24
    /// No segment is larger, so no record is; also what an address of 32 bits can count.
    static let maximumLength: UInt32 = 1 << 30
    /// An event whose payload starts with a route.
    static let addressed: UInt8 = 1

    var length: UInt32
    var checksum: UInt32
    var kind: FrameKind
    var flags: UInt8 = 0
    var routeLength: UInt16 = 0
    var context: UInt32 = 0
    var sequence: UInt64 = 0

    /// Bytes of the payload.
    var payloadLength: Int { Int(length) - Self.size }

    /// Bytes from this frame's start to the next one's.
    var stride: Int { Self.stride(payload: payloadLength) }

    static func stride(payload: Int) -> Int {
        (size + payload + 7) & ~7
    }

    /// The two words that the checksum covers beside the payload.
    var sealedWords: (UInt64, UInt64) {
        (
            UInt64(kind.rawValue) | UInt64(flags) << 8 | UInt64(routeLength) << 16 | UInt64(context) << 32,
            sequence
        )
    }

    /// Reads a header; nil when the bytes cannot be one. The payload may still be damaged.
    ///
    /// - Parameter available: bytes from `start` to the end of what can be read.
    init?(at start: UnsafeRawPointer, available: Int) {
        guard available >= Self.size else { return nil }
        length = UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
        guard (UInt32(Self.size)...Self.maximumLength).contains(length) else { return nil }
        checksum = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        let word = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        kind = FrameKind(rawValue: UInt8(truncatingIfNeeded: word))
        flags = UInt8(truncatingIfNeeded: word >> 8)
        routeLength = UInt16(truncatingIfNeeded: word >> 16)
        context = UInt32(truncatingIfNeeded: word >> 32)
        sequence = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        guard Int(routeLength) <= payloadLength else { return nil }
    }

    init(kind: FrameKind, payload: Int, checksum: UInt32 = 0, sequence: UInt64, context: UInt32 = 0) {
        length = UInt32(Self.size + payload)
        self.checksum = checksum
        self.kind = kind
        self.context = context
        self.sequence = sequence
    }
}
