// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The UTC offsets of a time zone over a range of time.
///
/// The offsets are a plain value, so computing intervals needs no other time zone data. Local times are in
/// milliseconds, counted as if the local clock showed UTC.
public struct ZoneOffsets: Sendable, Hashable {
    /// One change of the offset.
    public struct Change: Sendable, Hashable {
        /// The first time with the new offset.
        public var at: Timestamp
        /// The new offset in seconds, positive east of Greenwich.
        public var seconds: Int

        /// Creates a change.
        public init(at: Timestamp, seconds: Int) {
            self.at = at
            self.seconds = seconds
        }
    }

    /// A period with one offset.
    ///
    /// The bounds are in milliseconds since 1970, and the offset is in milliseconds.
    struct Segment {
        var start: Int64
        var end: Int64
        var offset: Int64
    }

    /// The zone's IANA name, as requested.
    public let name: String
    /// The day on which the calendar's weeks begin.
    public var weekStart = WeekStart.monday
    /// The segments, earliest first; the first and last are unbounded.
    let segments: [Segment]

    /// Coordinated Universal Time.
    public static let utc = ZoneOffsets(name: "UTC", first: 0, changes: [])

    /// Creates a zone's offsets.
    ///
    /// - Parameters:
    ///   - name: the zone's IANA name.
    ///   - first: the offset before the first change, in seconds.
    ///   - changes: the changes, earliest first.
    public init(name: String, first: Int, changes: [Change]) {
        self.name = name
        var segments = [Segment(start: .min, end: .max, offset: Int64(first) * 1_000)]
        for change in changes {
            segments[segments.count - 1].end = change.at.milliseconds
            segments.append(
                Segment(start: change.at.milliseconds, end: .max, offset: Int64(change.seconds) * 1_000)
            )
        }
        self.segments = segments
    }

    /// Creates a zone's offsets from a function of time.
    ///
    /// The function is sampled once a day, so a change that is reverted within a day would be missed; no zone has such
    /// a change.
    ///
    /// - Parameters:
    ///   - name: the zone's IANA name.
    ///   - range: the time range in which the offsets are needed.
    ///   - offset: a function that returns the offset at a time, in seconds.
    /// - Complexity: O(days in the range) calls to `offset`.
    public init(name: String, covering range: Range<Timestamp>, offset: (Timestamp) -> Int) {
        let (day, second): (Int64, Int64) = (86_400_000, 1_000)
        var changes: [Change] = []
        // Clocks change at whole seconds.
        var at = floored(range.lowerBound.milliseconds, to: second)
        let first = offset(Timestamp(milliseconds: at))
        var known = first
        while at < range.upperBound.milliseconds {
            let next = at + day
            let found = offset(Timestamp(milliseconds: next))
            if found != known {
                var (before, after) = (at, next)
                while after - before > second {
                    let middle = floored(before + (after - before) / 2, to: second)
                    if offset(Timestamp(milliseconds: middle)) == known { before = middle } else { after = middle }
                }
                changes.append(Change(at: Timestamp(milliseconds: after), seconds: found))
                known = found
            }
            at = next
        }
        self.init(name: name, first: first, changes: changes)
    }

    /// Returns the local time for an instant.
    ///
    /// - Complexity: O(changes).
    public func local(_ moment: Timestamp) -> Int64 {
        let time = moment.milliseconds
        return time + (segments.last { $0.start <= time }?.offset ?? 0)
    }

    /// Returns the instant of a local time.
    ///
    /// This is the first instant from which the clocks never again show a time earlier than `local`: the instant itself
    /// if the clocks show the time once, the end of the gap if they skip it, and the last occurrence if they repeat it.
    ///
    /// - Complexity: O(changes).
    public func instant(local: Int64) -> Timestamp {
        for segment in segments.reversed() {
            let moment = local - segment.offset
            if moment >= segment.end { return Timestamp(milliseconds: segment.end) }
            if moment > segment.start { return Timestamp(milliseconds: moment) }
        }
        return Timestamp(milliseconds: local)
    }

    public static func == (left: ZoneOffsets, right: ZoneOffsets) -> Bool {
        left.name == right.name && left.weekStart == right.weekStart
            && left.segments.elementsEqual(right.segments) { $0.start == $1.start && $0.offset == $1.offset }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(weekStart)
        for segment in segments {
            hasher.combine(segment.start)
            hasher.combine(segment.offset)
        }
    }
}

/// A function that returns a zone's offsets over a range.
///
/// The function returns nil for an unknown zone.
public typealias ZoneDirectory = @Sendable (_ name: String, _ range: Range<Timestamp>) -> ZoneOffsets?

/// Returns the largest multiple of `step` that does not exceed `value`.
///
/// This also holds for negative values.
func floored(_ value: Int64, to step: Int64) -> Int64 {
    let rest = value % step
    return value - (rest < 0 ? rest + step : rest)
}
