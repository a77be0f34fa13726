// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal

/// The collector's resource usage, with nil for unknown values.
public struct ResourceUse: Sendable, Hashable {
    /// The number of bytes that the collector may still write.
    public var diskFree: Int64?
    /// The size of the collector's disk in bytes.
    public var diskSize: Int64?
    /// The size of the intake log in bytes.
    public var log: Int64?
    /// The size of the index in bytes, including its auxiliary files.
    public var index: Int64?
    /// The size of the index's write-ahead log in bytes, which is part of ``index``.
    public var writeAheadLog: Int64?
    /// The resident memory of the process in bytes.
    public var memory: Int64?
    /// The number of the process's open file descriptors.
    public var descriptors: Int64?

    /// Creates a value in which all properties are unknown.
    public init() {}
}

/// The amount by which an index is behind the log.
struct IndexDelay: Sendable, Hashable {
    /// The time since the log ended at the index's current position.
    var time: Duration
    /// The number of records that the index has not read, of those received since the collector started.
    var records: UInt64
}

/// The history of an index's lag behind the log.
///
/// Only the ends of the log that were passed to ``delay(end:indexed:records:at:)`` are known, so the precision depends
/// on how frequently the method is called.
struct LagHistory {
    private struct Sample {
        var end: LogPosition
        var time: MonotonicTime
        var records: UInt64
    }

    /// The maximum number of stored ends of the log.
    ///
    /// This covers several hours if the lag is computed every fifteen seconds.
    private static let maximumSamples = 1_024
    private var samples: [Sample] = []

    /// Returns how far the index is behind.
    ///
    /// Zero if the index has read everything.
    ///
    /// - Parameter records: The number of records that the log has received since the collector started.
    /// - Complexity: O(stored ends).
    mutating func delay(
        end: LogPosition,
        indexed: LogPosition,
        records: UInt64,
        at now: MonotonicTime
    ) -> IndexDelay {
        guard indexed < end else {
            samples = [Sample(end: end, time: now, records: records)]
            return IndexDelay(time: .zero, records: 0)
        }
        if samples.last?.end != end { samples.append(Sample(end: end, time: now, records: records)) }
        // Keep the first end that the index has not reached, and the one before it.
        if let first = samples.firstIndex(where: { indexed < $0.end }), first > 1 { samples.removeFirst(first - 1) }
        if samples.count > Self.maximumSamples { samples.remove(at: samples.count / 2) }
        let read = samples.last { $0.end <= indexed }?.records ?? 0
        guard let unread = samples.first(where: { indexed < $0.end }) else {
            return IndexDelay(time: .zero, records: 0)
        }
        return IndexDelay(time: unread.time.duration(to: now), records: records - min(read, records))
    }
}

/// A histogram of response durations.
///
/// The histogram contains the number of durations within each bound, the total number, and the sum.
struct DurationCounts: Sendable, Hashable {
    /// The upper bounds of the histogram's buckets.
    static let bounds: [Duration] = [
        .milliseconds(1), .milliseconds(5), .milliseconds(10), .milliseconds(50), .milliseconds(100),
        .milliseconds(500), .seconds(1), .seconds(5), .seconds(10),
    ]

    /// The number of durations within each bound that exceed the previous bound.
    private(set) var counts = Array(repeating: UInt64(0), count: Self.bounds.count)
    /// The total number of durations.
    private(set) var count: UInt64 = 0
    /// The sum of all durations.
    private(set) var sum = Duration.zero

    /// Counts one duration.
    mutating func add(_ duration: Duration) {
        count += 1
        sum += duration
        if let place = Self.bounds.firstIndex(where: { duration <= $0 }) { counts[place] += 1 }
    }
}
