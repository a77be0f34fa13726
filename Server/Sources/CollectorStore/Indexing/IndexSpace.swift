// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayJournal

/// How much of the disk an index needs, and how it goes on where there is little. A value.
struct IndexSpace: Sendable {
    /// With less free than this the index waits: others write to the same disk.
    static let floor = 16 << 20
    /// With less free than this the index writes in smaller steps, and copies its write-ahead log more often.
    static let ample = 1 << 30
    /// The most that is kept free for records that are not indexed: an index that is made anew from a long log may need more than there
    /// is, and events are accepted all the same.
    static let maximumReserve = 1 << 30
    /// A step is at least so many inflated bytes.
    private static let leastStepBytes = 1 << 20
    /// Bytes of an index for each byte of a body.
    private static let bytesPerBodyByte = 1.5
    private static let pageBytes = 4_096

    /// Bytes of bodies for each byte of the log, as far as was seen; the largest of late.
    private var bodyBytesPerLogByte = 4.0

    /// A stretch of the log was entered.
    ///
    /// - Parameters:
    ///   - logBytes: Its length in the log.
    ///   - bodyBytes: The length of its bodies, inflated.
    mutating func entered(logBytes: Int, bodyBytes: Int) {
        guard logBytes > 0 else { return }
        let ratio = Double(bodyBytes) / Double(logBytes)
        bodyBytesPerLogByte = max(1, ratio, bodyBytesPerLogByte * 0.9)
    }

    /// How many bytes the index still needs for so many bytes of the log.
    func needed(forLogBytes logBytes: Int) -> Int {
        let bytes = Double(max(0, logBytes)) * bodyBytesPerLogByte * Self.bytesPerBodyByte
        return bytes < Double(Self.maximumReserve) ? Int(bytes) : Self.maximumReserve
    }

    /// How much one transaction may hold: what it changes stands in the write-ahead log before it stands in the file.
    ///
    /// - Parameters:
    ///   - events: The most events where there is space.
    ///   - isFarBehind: Whether larger steps are worth while.
    ///   - free: Bytes that are free on the disk; nil for unknown.
    static func step(events: Int, times: Int, isFarBehind: Bool, free: Int?) -> LogChunk.Size {
        let size = LogChunk.Size(events: events)
        guard let free, free < ample else { return isFarBehind ? size.times(times) : size }
        let bytes = max(leastStepBytes, min(size.bytes, free / 16))
        return LogChunk.Size(events: max(1, min(events, events / (size.bytes / bytes))), bytes: bytes)
    }

    /// With so many pages in the write-ahead log it is copied before the next transaction; nil for what the plan says.
    static func logPages(free: Int?) -> Int? {
        guard let free, free < ample else { return nil }
        return max(1_000, free / 4 / pageBytes)
    }

    /// How far two places of a log are apart.
    static func distance(from start: LogPosition, to end: LogPosition, segmentBytes: Int) -> Int {
        guard start < end else { return 0 }
        return (Int(end.segment) - Int(start.segment)) * segmentBytes + Int(end.offset) - Int(start.offset)
    }
}
