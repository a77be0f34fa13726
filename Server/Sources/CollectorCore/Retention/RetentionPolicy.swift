// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The limits on what a collector stores.
public struct RetentionPolicy: Sendable, Hashable {
    /// The shortest age limit: a day.
    public static let minimumAge = Duration.seconds(86_400)
    /// The smallest size limit: 256 MiB, or sixteen segments.
    public static let minimumBytes = 256 << 20
    /// The maximum age of the current segment's first record when there is an age limit.
    ///
    /// The segment is then completed, so that records expire at most this much later than the limit.
    public static let maximumSegmentAge = Duration.seconds(86_400)

    /// The time after its arrival for which a record is kept; nil for no limit.
    public var age: Duration?
    /// The maximum number of bytes of log and index together; nil for no limit.
    public var bytes: Int?

    /// Creates a policy.
    public init(age: Duration? = nil, bytes: Int? = nil) {
        self.age = age
        self.bytes = bytes
    }

    /// Whether what stays in index and retained state needs more than half of the limit on bytes.
    ///
    /// - Parameter lastingBytes: The bytes of the retained state.
    public func isTooSmall(lastingBytes: Int) -> Bool {
        guard let bytes else { return false }
        return lastingBytes > bytes / 4
    }

    /// Whether everything is kept.
    public var keepsEverything: Bool { age == nil && bytes == nil }
}

/// Decides which segments of a log are removed.
///
/// A pure function of the segments, the policy and the time. Segments are removed in the order of the log.
public enum RetentionPlanner {
    /// A completed segment of the log.
    public struct Segment: Sendable, Hashable {
        /// The segment's number.
        public var number: UInt32
        /// The size of its file in bytes.
        public var bytes: Int
        /// The latest arrival in the segment that is not in the future; nil if there is none.
        public var latestArrival: Timestamp?

        /// Creates a segment.
        public init(number: UInt32, bytes: Int, latestArrival: Timestamp?) {
            self.number = number
            self.bytes = bytes
            self.latestArrival = latestArrival
        }
    }

    /// Returns the number of the last segment to be removed; nil if every segment stays.
    ///
    /// A record arrived after the records before it, so a segment counts as at least as new as the segments before it.
    /// Records that arrived while the clock was set back are therefore kept as long as their neighbors. A segment
    /// without a credible arrival is removed with the next segment that has one.
    ///
    /// - Parameters:
    ///   - segments: The completed segments, in order.
    ///   - currentBytes: The bytes of the segment that is being written.
    ///   - indexBytes: The used bytes of the index.
    ///   - lastingBytes: The bytes of the retained state, which the index contains as well. Both stay when segments are
    ///     removed, so log and the rest of the index get what they leave, but at least half of the limit.
    ///   - now: The time to compare arrivals with; nil if the clock cannot be trusted, in which case nothing expires by
    ///     age.
    public static func lastExpired(
        of segments: [Segment],
        currentBytes: Int,
        indexBytes: Int,
        lastingBytes: Int = 0,
        policy: RetentionPolicy,
        now: Timestamp?
    ) -> UInt32? {
        var expired: UInt32?
        if let age = policy.age, let now {
            let (limit, isOver) = now.milliseconds.subtractingReportingOverflow(Int64(clamping: age.wholeMilliseconds))
            var latest: Timestamp?
            for segment in segments where !isOver {
                guard let arrival = segment.latestArrival else { continue }
                latest = max(latest ?? arrival, arrival)
                guard latest.map({ $0.milliseconds < limit }) == true else { break }
                expired = segment.number
            }
        }
        if let bytes = policy.bytes {
            let log = segments.reduce(currentBytes) { $0 + $1.bytes }
            // The index's rows of a segment are assumed to be in proportion to its bytes.
            let lasting = min(lastingBytes, indexBytes)
            let share = log > 0 ? Double(indexBytes - lasting) / Double(log) : 0
            var total = Double(log) + Double(indexBytes - lasting)
            let available = max(Double(bytes) - Double(lasting) - Double(lastingBytes), Double(bytes) / 2)
            for segment in segments where total > available {
                total -= Double(segment.bytes) * (1 + share)
                expired = max(expired ?? 0, segment.number)
            }
        }
        return expired
    }
}

/// Decides whether the wall clock may be used to expire records.
///
/// A clock that jumps forward would make everything look old. After a jump, nothing expires by age for an hour, in which
/// the clock can be corrected. A clock that is behind the log expires less, so it needs no rule.
public struct RetentionClock: Sendable {
    /// The largest difference between wall and monotonic time that is not a jump.
    private static let tolerance = Duration.seconds(3_600)
    /// The time without an arrival after which a start counts as a jump.
    private static let maximumGap = Duration.seconds(86_400)
    /// The time for which nothing expires after a jump.
    public static let hold = Duration.seconds(3_600)

    private var last: (wall: Timestamp, monotonic: MonotonicTime)?
    private var holdEnd: MonotonicTime?

    /// Creates the state of a collector that has just started.
    public init() {}

    /// Returns the time to compare arrivals with; nil while the clock is not trusted.
    ///
    /// - Parameter newest: The latest arrival in the log; nil for an empty log.
    public mutating func now(_ now: DualTimestamp, newest: Timestamp?) -> Timestamp? {
        let jump: Bool
        if let last {
            let wall = Duration.milliseconds(now.wall.milliseconds &- last.wall.milliseconds)
            jump = wall - last.monotonic.duration(to: now.monotonic) > Self.tolerance
        } else {
            jump = newest.map { now.wall.milliseconds &- $0.milliseconds > Self.maximumGap.wholeMilliseconds } ?? false
        }
        last = (now.wall, now.monotonic)
        if jump { holdEnd = now.monotonic.advanced(by: Self.hold) }
        guard let end = holdEnd else { return now.wall }
        guard now.monotonic >= end else { return nil }
        holdEnd = nil
        return now.wall
    }
}
