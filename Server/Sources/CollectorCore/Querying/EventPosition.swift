// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayJournal

/// An event's position in the collector's intake log.
///
/// A position consists of the event's frame and the event's index in the frame's batch.
///
/// Positions increase in order of arrival, never change, and can be recomputed from the log alone, so an index can use
/// them as row numbers and be rebuilt at any time. A position fits into one `Int64` (``rawValue``).
public struct EventPosition: Sendable, Hashable, Comparable {
    /// The largest ordinal that a position can hold: 1,023.
    ///
    /// A batch holds at most 1,000 events.
    public static let maximumOrdinal = (1 << 10) - 1
    /// The largest offset that a position can hold.
    ///
    /// A segment of the intake log is at most 128 MiB.
    public static let maximumOffset = (1 << 27) - 1
    /// The position before every event.
    public static let start = EventPosition(rawValue: 0)

    /// The position as a nonnegative number.
    ///
    /// The bits, from most to least significant, are segment (26 bits), offset (27 bits) and ordinal (10 bits).
    public let rawValue: Int64

    /// Creates a position from a number stored by an index.
    public init(rawValue: Int64) {
        self.rawValue = max(0, rawValue)
    }

    /// Creates the position of an event within a frame.
    ///
    /// Out-of-range values are clamped.
    ///
    /// - Parameters:
    ///   - segment: the segment of the intake log.
    ///   - offset: the offset of the frame's first byte.
    ///   - ordinal: the event's index in the batch.
    public init(segment: UInt32, offset: UInt32, ordinal: Int = 0) {
        let segment = Int64(min(segment, (1 << 26) - 1))
        let offset = Int64(min(offset, UInt32(Self.maximumOffset)))
        let ordinal = Int64(min(max(ordinal, 0), Self.maximumOrdinal))
        rawValue = segment << 37 | offset << 10 | ordinal
    }

    /// The segment of the intake log.
    public var segment: UInt32 { UInt32(rawValue >> 37) }
    /// The offset of the frame's first byte in its segment.
    public var offset: UInt32 { UInt32((rawValue >> 10) & Int64(Self.maximumOffset)) }
    /// The event's index among the lines of its batch, including rejected lines.
    public var ordinal: Int { Int(rawValue & Int64(Self.maximumOrdinal)) }

    public static func < (left: EventPosition, right: EventPosition) -> Bool { left.rawValue < right.rawValue }
}

extension EventPosition: LosslessStringConvertible {
    /// Parses `segment.offset` or `segment.offset.ordinal`, with decimal numbers.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3,
            let segment = UInt32(parts[0]), segment < 1 << 26,
            let offset = UInt32(parts[1]), offset <= UInt32(Self.maximumOffset)
        else { return nil }
        guard parts.count == 3 else {
            self.init(segment: segment, offset: offset)
            return
        }
        guard let ordinal = Int(parts[2]), (0...Self.maximumOrdinal).contains(ordinal) else { return nil }
        self.init(segment: segment, offset: offset, ordinal: ordinal)
    }

    public var description: String { "\(segment).\(offset).\(ordinal)" }
}

/// A page cursor: a session's or person's position in time order.
public struct TimeCursor: Sendable, Hashable, LosslessStringConvertible {
    /// When the session began or the person was last seen.
    public var time: Timestamp
    /// The tiebreaker for equal times.
    ///
    /// A session or a person has the same number in every store.
    public var number: Int64

    /// Creates a cursor.
    public init(time: Timestamp, number: Int64) {
        self.time = time
        self.number = number
    }

    /// Parses a cursor such as `1718000000000.17`.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let number = Int64(parts[1]) else { return nil }
        self.init(time: Timestamp(milliseconds: time), number: number)
    }

    public var description: String { "\(time.milliseconds).\(number)" }
}

extension TimeCursor {
    /// Returns the number of a session.
    ///
    /// The number is the same in every store and differs between sessions.
    public static func number(ofSession id: String, of installation: InstallationID?) -> Int64 {
        number(bytes(installation) + id.utf8)
    }

    /// Returns the number of a person.
    ///
    /// The number is the same in every store and differs between people.
    public static func number(of person: PersonKey) -> Int64 {
        switch person {
        case .user(let id): number([UInt8(ascii: "u")] + id.utf8)
        case .visitor(let id): number([UInt8(ascii: "v")] + bytes(id))
        }
    }

    /// Returns the first 63 bits of a SHA-256 hash.
    ///
    /// The result is nonnegative.
    ///
    /// Clients cannot choose ids that share a number.
    private static func number(_ key: [UInt8]) -> Int64 {
        Int64(SHA256.hash(key).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1)
    }

    private static func bytes(_ id: InstallationID?) -> [UInt8] {
        [id?.high ?? 0, id?.low ?? 0].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) }
        }
    }
}
