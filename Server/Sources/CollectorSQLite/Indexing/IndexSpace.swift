// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayJournal

/// Computes an index's disk space requirements, and its limits when space is low.
///
/// A value type.
struct IndexSpace: Sendable {
    /// The minimum number of free bytes; with fewer, the index waits.
    ///
    /// The reserve is for other programs that write to the same disk.
    static let minimumFreeBytes = 16 << 20
    /// The number of free bytes below which the index saves space.
    ///
    /// To save space, the index takes smaller steps and copies its write-ahead log more often.
    static let ampleFreeBytes = 1 << 30
    /// The maximum space, in bytes, reserved for records that are not indexed yet.
    ///
    /// An index that is rebuilt from a long log may need more space than the disk has; events are accepted anyway.
    static let maximumReserve = 1 << 30
    /// The minimum size of a step, in inflated bytes.
    private static let minimumStepBytes = 1 << 20
    /// The number of index bytes per body byte.
    private static let bytesPerBodyByte = 1.5
    private static let pageBytes = 4_096

    /// The number of body bytes per log byte: the highest recent ratio, which decays slowly.
    private var bodyBytesPerLogByte = 4.0

    /// Reports that a range of the log was indexed.
    ///
    /// - Parameters:
    ///   - logBytes: The range's length in the log.
    ///   - bodyBytes: The inflated length of the range's bodies.
    mutating func recordIndexed(logBytes: Int, bodyBytes: Int) {
        guard logBytes > 0 else { return }
        let ratio = Double(bodyBytes) / Double(logBytes)
        bodyBytesPerLogByte = max(1, ratio, bodyBytesPerLogByte * 0.9)
    }

    /// Returns the bytes that the index still needs for the given bytes of the log.
    func bytesNeeded(forLogBytes logBytes: Int) -> Int {
        let bytes = Double(max(0, logBytes)) * bodyBytesPerLogByte * Self.bytesPerBodyByte
        return bytes < Double(Self.maximumReserve) ? Int(bytes) : Self.maximumReserve
    }

    /// Returns the maximum size of one transaction.
    ///
    /// A transaction's changes are written to the write-ahead log before they are copied into the file.
    ///
    /// - Parameters:
    ///   - events: The maximum number of events if there is enough space.
    ///   - isFarBehind: Whether larger steps are worthwhile.
    ///   - free: The free bytes on the disk; nil if unknown.
    static func step(events: Int, times: Int, isFarBehind: Bool, free: Int?) -> LogChunk.Size {
        let size = LogChunk.Size(events: events)
        guard let free, free < ampleFreeBytes else { return isFarBehind ? size.times(times) : size }
        let bytes = max(minimumStepBytes, min(size.bytes, free / 16))
        return LogChunk.Size(events: max(1, min(events, events / (size.bytes / bytes))), bytes: bytes)
    }

    /// Returns the log length in pages at which the next transaction waits for a copy.
    ///
    /// Nil means that the schedule's own limit applies.
    static func logPages(free: Int?) -> Int? {
        guard let free, free < ampleFreeBytes else { return nil }
        return max(1_000, free / 4 / pageBytes)
    }

    /// Returns the distance in bytes between two positions in a log.
    static func distance(from start: LogPosition, to end: LogPosition, segmentBytes: Int) -> Int {
        guard start < end else { return 0 }
        return (Int(end.segment) - Int(start.segment)) * segmentBytes + Int(end.offset) - Int(start.offset)
    }
}
