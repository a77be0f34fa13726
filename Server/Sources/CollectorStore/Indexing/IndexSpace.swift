// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayJournal

/// Computes the disk space that an index needs, and how it works when space is short.
///
/// A value type.
struct IndexSpace: Sendable {
    /// The minimum free bytes; with less, the index waits.
    ///
    /// Other programs write to the same disk.
    static let floor = 16 << 20
    /// With fewer free bytes than this, the index saves space.
    ///
    /// It takes smaller steps and copies its write-ahead log more often.
    static let ample = 1 << 30
    /// The maximum space kept free for records that are not indexed yet.
    ///
    /// An index that is rebuilt from a long log may need more than the disk has; events are accepted anyway.
    static let maximumReserve = 1 << 30
    /// The minimum inflated bytes of a step.
    private static let leastStepBytes = 1 << 20
    /// Index bytes per body byte.
    private static let bytesPerBodyByte = 1.5
    private static let pageBytes = 4_096

    /// Body bytes per log byte: the highest recent ratio, which decays slowly.
    private var bodyBytesPerLogByte = 4.0

    /// Reports that a range of the log was indexed.
    ///
    /// - Parameters:
    ///   - logBytes: The range's length in the log.
    ///   - bodyBytes: The inflated length of the range's bodies.
    mutating func entered(logBytes: Int, bodyBytes: Int) {
        guard logBytes > 0 else { return }
        let ratio = Double(bodyBytes) / Double(logBytes)
        bodyBytesPerLogByte = max(1, ratio, bodyBytesPerLogByte * 0.9)
    }

    /// Returns the bytes that the index still needs for the given bytes of the log.
    func needed(forLogBytes logBytes: Int) -> Int {
        let bytes = Double(max(0, logBytes)) * bodyBytesPerLogByte * Self.bytesPerBodyByte
        return bytes < Double(Self.maximumReserve) ? Int(bytes) : Self.maximumReserve
    }

    /// Returns the maximum size of one transaction.
    ///
    /// A transaction's changes are in the write-ahead log before they are in the file.
    ///
    /// - Parameters:
    ///   - events: The maximum events if there is enough space.
    ///   - isFarBehind: Whether larger steps are worthwhile.
    ///   - free: The free bytes on the disk; nil if unknown.
    static func step(events: Int, times: Int, isFarBehind: Bool, free: Int?) -> LogChunk.Size {
        let size = LogChunk.Size(events: events)
        guard let free, free < ample else { return isFarBehind ? size.times(times) : size }
        let bytes = max(leastStepBytes, min(size.bytes, free / 16))
        return LogChunk.Size(events: max(1, min(events, events / (size.bytes / bytes))), bytes: bytes)
    }

    /// Returns the log length in pages at which the next transaction waits for a copy.
    ///
    /// Nil means the plan's own limit.
    static func logPages(free: Int?) -> Int? {
        guard let free, free < ample else { return nil }
        return max(1_000, free / 4 / pageBytes)
    }

    /// Returns the distance in bytes between two positions in a log.
    static func distance(from start: LogPosition, to end: LogPosition, segmentBytes: Int) -> Int {
        guard start < end else { return 0 }
        return (Int(end.segment) - Int(start.segment)) * segmentBytes + Int(end.offset) - Int(start.offset)
    }
}
