// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A place in a log: a segment's number and a byte offset in it.
public struct LogPosition: Sendable, Hashable, Comparable, CustomStringConvertible, LosslessStringConvertible {
    /// The segment's number; the first is 1.
    public var segment: UInt32
    /// Bytes from the segment's start.
    public var offset: UInt32

    /// Makes a position.
    public init(segment: UInt32, offset: UInt32) {
        self.segment = segment
        self.offset = offset
    }

    /// Before everything any log holds.
    public static let start = LogPosition(segment: 0, offset: 0)

    /// Reads the text form `"3.88213"`.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let segment = UInt32(parts[0]), let offset = UInt32(parts[1]),
            offset <= FrameHeader.maximumLength
        else { return nil }
        self.init(segment: segment, offset: offset)
    }

    /// The text form, segment first: `"3.88213"`.
    public var description: String { "\(segment).\(offset)" }

    /// Earlier places come first.
    public static func < (left: LogPosition, right: LogPosition) -> Bool {
        (left.segment, left.offset) < (right.segment, right.offset)
    }
}
