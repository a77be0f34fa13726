// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

/// What the collector uses of its machine, as far as that can be told.
public struct ResourceUse: Sendable, Hashable {
    /// Bytes that the collector may still write to the disk below its folder.
    public var diskFree: Int64?
    /// Bytes of that disk.
    public var diskSize: Int64?
    /// Bytes of the intake log.
    public var log: Int64?
    /// Bytes of the index with the files beside it.
    public var index: Int64?
    /// Bytes of memory that the process holds.
    public var memory: Int64?
    /// Descriptors that the process has open.
    public var descriptors: Int64?

    /// Use of which nothing is known.
    public init() {}
}

/// How far an index is behind the log, in time: how long ago the log's end was where the index is now.
///
/// It knows the ends of the log that were reported to it, so it is as exact as it is called often.
struct LagHistory {
    private struct Sample {
        var end: LogPosition
        var time: MonotonicTime
    }

    /// The most ends that are kept: some hours, asked every fifteen seconds.
    private static let most = 1_024
    private var samples: [Sample] = []

    /// How long the index is behind; zero when it has read all.
    ///
    /// - Complexity: O(ends kept).
    mutating func lag(end: LogPosition, indexed: LogPosition, at now: MonotonicTime) -> Duration {
        guard indexed < end else {
            samples = [Sample(end: end, time: now)]
            return .zero
        }
        if samples.last?.end != end { samples.append(Sample(end: end, time: now)) }
        // The first end that the index has not reached: it was read up to the one before.
        if let first = samples.firstIndex(where: { indexed < $0.end }), first > 1 { samples.removeFirst(first - 1) }
        if samples.count > Self.most { samples.remove(at: samples.count / 2) }
        guard let unread = samples.first(where: { indexed < $0.end }) else { return .zero }
        return unread.time.duration(to: now)
    }
}

/// How long answers took: how many within each bound, all of them, and the time altogether.
struct DurationCounts: Sendable, Hashable {
    /// The bounds.
    static let bounds: [Duration] = [.milliseconds(10), .milliseconds(100), .seconds(1), .seconds(5), .seconds(10)]

    /// How many were within each bound and above the one before.
    private(set) var counts = Array(repeating: UInt64(0), count: Self.bounds.count)
    /// How many there were.
    private(set) var count: UInt64 = 0
    /// How long they took together.
    private(set) var sum = Duration.zero

    /// Counts one.
    mutating func add(_ duration: Duration) {
        count += 1
        sum += duration
        if let place = Self.bounds.firstIndex(where: { duration <= $0 }) { counts[place] += 1 }
    }
}
