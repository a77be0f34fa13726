// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A position in a log.
///
/// A position consists of a segment's number and a byte offset in the segment.
public struct LogPosition: Sendable, Hashable, Comparable, CustomStringConvertible, LosslessStringConvertible {
    /// The segment's number, starting at 1.
    public var segment: UInt32
    /// The offset from the segment's start, in bytes.
    public var offset: UInt32

    /// Creates a position.
    public init(segment: UInt32, offset: UInt32) {
        self.segment = segment
        self.offset = offset
    }

    /// The position before all records of any log.
    public static let start = LogPosition(segment: 0, offset: 0)

    /// Parses the text form, such as `"3.88213"`.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let segment = UInt32(parts[0]), let offset = UInt32(parts[1]),
            offset <= FrameHeader.maximumLength
        else { return nil }
        self.init(segment: segment, offset: offset)
    }

    /// The text form, such as `"3.88213"`: segment, period, and offset.
    public var description: String { "\(segment).\(offset)" }

    /// Returns whether the left position is before the right position.
    public static func < (left: LogPosition, right: LogPosition) -> Bool {
        (left.segment, left.offset) < (right.segment, right.offset)
    }
}

/// The file names of a log's segments: eight digits and `.segment`.
enum SegmentName {
    static let suffix = ".segment"
    /// The name of the next segment while it is prepared but not yet part of the log.
    static let spare = "spare"

    static func path(_ folder: String, _ number: UInt32) -> String {
        let digits = String(number)
        return folder + "/" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits + suffix
    }

    static func number(_ name: String) -> UInt32? {
        guard name.hasSuffix(suffix) else { return nil }
        return UInt32(name.dropLast(suffix.count))
    }

    /// Returns the numbers of the segments in a folder, ascending.
    static func all(in folder: String, _ storage: any JournalStorage) throws(StorageError) -> [UInt32] {
        try storage.names(in: folder).compactMap(number).ordered()
    }
}
