// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

/// The collector's use of its machine, as far as it is known.
public struct ResourceUse: Sendable, Hashable {
    /// Bytes that the collector may still write to its disk.
    public var diskFree: Int64?
    /// The size of that disk in bytes.
    public var diskSize: Int64?
    /// Bytes of the intake log.
    public var log: Int64?
    /// Bytes of the index, including its auxiliary files.
    public var index: Int64?
    /// The resident memory of the process in bytes.
    public var memory: Int64?
    /// The open file descriptors of the process.
    public var descriptors: Int64?

    /// Creates a value in which nothing is known.
    public init() {}
}

/// The history of an index's lag behind the log.
///
/// The lag is the time since the log's end was where the index is now. Only the ends of the log that were reported to
/// it are known, so its precision depends on how frequently it is called.
struct LagHistory {
    private struct Sample {
        var end: LogPosition
        var time: MonotonicTime
    }

    /// The maximum number of stored ends of the log.
    ///
    /// Enough for some hours if called every fifteen seconds.
    private static let most = 1_024
    private var samples: [Sample] = []

    /// Returns how long the index is behind.
    ///
    /// Zero if it has read everything.
    ///
    /// - Complexity: O(ends kept).
    mutating func lag(end: LogPosition, indexed: LogPosition, at now: MonotonicTime) -> Duration {
        guard indexed < end else {
            samples = [Sample(end: end, time: now)]
            return .zero
        }
        if samples.last?.end != end { samples.append(Sample(end: end, time: now)) }
        // The first end that the index has not reached; it has read up to the one before.
        if let first = samples.firstIndex(where: { indexed < $0.end }), first > 1 { samples.removeFirst(first - 1) }
        if samples.count > Self.most { samples.remove(at: samples.count / 2) }
        guard let unread = samples.first(where: { indexed < $0.end }) else { return .zero }
        return unread.time.duration(to: now)
    }
}

/// A histogram of response durations.
///
/// It has the number within each bound, the total number, and the sum.
struct DurationCounts: Sendable, Hashable {
    /// The bounds.
    static let bounds: [Duration] = [.milliseconds(10), .milliseconds(100), .seconds(1), .seconds(5), .seconds(10)]

    /// The number of durations within each bound and above the previous one.
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
