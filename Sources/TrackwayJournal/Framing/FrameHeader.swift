// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The 24 bytes before every record, little-endian:
///
/// | offset | bytes | content |
/// |--:|--:|---|
/// | 0 | 4 | length of header and payload; 0 where nothing has been written yet |
/// | 4 | 4 | checksum of payload and the 16 bytes below, salted (``Checksum``) |
/// | 8 | 1 | kind (``FrameKind``) |
/// | 9 | 1 | flags |
/// | 10 | 2 | length of the route before an addressed event's JSON |
/// | 12 | 4 | generation of the context the event was recorded in |
/// | 16 | 8 | sequence number |
///
/// Frames start at multiples of eight; the padding after a payload is zero. The length is written last: if the
/// process is killed during a write, the length is zero, and the bytes do not look like a record.
struct FrameHeader: Sendable, Equatable {
    static let size = 24
    /// The maximum length of a frame, in bytes.
    ///
    /// No segment is larger than this value, which also fits in a 32-bit `Int`.
    static let maximumLength: UInt32 = 1 << 30
    /// The flag of an event whose payload starts with a route.
    static let addressed: UInt8 = 1
    /// The flag of an encrypted payload; see ``FrameEncryptor``.
    static let encrypted: UInt8 = 2

    var length: UInt32
    var checksum: UInt32
    var kind: FrameKind
    var flags: UInt8 = 0
    var routeLength: UInt16 = 0
    var context: UInt32 = 0
    var sequence: UInt64 = 0

    /// The length of the payload, in bytes.
    var payloadLength: Int { Int(length) - Self.size }

    /// The distance from this frame's start to the next frame's start, in bytes.
    var stride: Int { Self.stride(payload: payloadLength) }

    static func stride(payload: Int) -> Int {
        (size + payload + 7) & ~7
    }

    /// The two words that the checksum covers in addition to the payload.
    var sealedWords: (UInt64, UInt64) {
        (
            UInt64(kind.rawValue) | UInt64(flags) << 8 | UInt64(routeLength) << 16 | UInt64(context) << 32,
            sequence
        )
    }

    /// Parses a header; nil if the bytes are not a valid header.
    ///
    /// The payload may still be damaged.
    ///
    /// - Parameter available: the number of readable bytes from `start`.
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

/// The kind of a record in a log.
///
/// Readers skip unknown kinds, so that old versions can read newer logs.
public struct FrameKind: RawRepresentable, Sendable, Hashable {
    /// The byte that identifies the kind in a file.
    public let rawValue: UInt8

    /// Creates a kind from its byte.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// An event: canonical JSON, after its route if it is addressed.
    public static let event = FrameKind(rawValue: 1)
    /// The context of the events after it: a JSON object.
    public static let context = FrameKind(rawValue: 2)
    /// Sequence numbers of events that could not be stored.
    ///
    /// The payload has the form `first last reason`.
    public static let dropped = FrameKind(rawValue: 3)
    /// The segment's writer and start, as `key value` lines.
    ///
    /// This is the first record of every segment.
    public static let origin = FrameKind(rawValue: 4)
    /// The end of a complete segment; no records follow.
    public static let seal = FrameKind(rawValue: 5)
    /// An event rejected by a back end, kept for inspection.
    public static let deadLetter = FrameKind(rawValue: 6)
    /// A batch accepted by a collector.
    public static let intake = FrameKind(rawValue: 16)
    /// A batch, or part of one, rejected by a collector.
    ///
    /// The record includes the reason.
    public static let quarantine = FrameKind(rawValue: 17)
}

/// The route of an addressed event: comma-separated destinations before its JSON.
///
/// Valid only while the bytes it was created from are valid.
struct RouteNames {
    private let bytes: UnsafeRawBufferPointer

    /// - Parameter length: the number of bytes of the route; see ``LogEntry/routeLength``.
    init(_ payload: UnsafeRawBufferPointer, length: Int) {
        bytes = UnsafeRawBufferPointer(rebasing: payload.prefix(length))
    }

    /// The destinations' names.
    var names: [String] {
        bytes.split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }
    }

    func contains(_ destination: DestinationID) -> Bool {
        let name = destination.rawValue.utf8
        return bytes.split(separator: UInt8(ascii: ",")).contains { $0.elementsEqual(name) }
    }
}
