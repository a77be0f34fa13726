// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// How a time zone's clocks stand over a stretch of time: offsets from UTC, and when they change.
///
/// A value, so that intervals follow from it alone. Local times are milliseconds, counted as if the clock's reading were UTC.
public struct ZoneOffsets: Sendable, Hashable {
    /// One change of the clocks.
    public struct Change: Sendable, Hashable {
        /// The first moment with the new offset.
        public var at: Timestamp
        /// The new offset in seconds, positive in the east of Greenwich.
        public var seconds: Int

        /// A change.
        public init(at: Timestamp, seconds: Int) {
            self.at = at
            self.seconds = seconds
        }
    }

    /// A time with one offset, in milliseconds since 1970 and milliseconds.
    struct Stretch {
        var start: Int64
        var end: Int64
        var offset: Int64
    }

    /// The zone's IANA name, as it was asked for.
    public let name: String
    /// Earliest first; at the ends of time there is always one.
    let stretches: [Stretch]

    /// Coordinated universal time.
    public static let utc = ZoneOffsets(name: "UTC", first: 0, changes: [])

    /// A zone's offsets.
    ///
    /// - Parameters:
    ///   - name: its IANA name.
    ///   - first: the offset before the first change, in seconds.
    ///   - changes: earliest first.
    public init(name: String, first: Int, changes: [Change]) {
        self.name = name
        var stretches = [Stretch(start: .min, end: .max, offset: Int64(first) * 1_000)]
        for change in changes {
            stretches[stretches.count - 1].end = change.at.milliseconds
            stretches.append(
                Stretch(start: change.at.milliseconds, end: .max, offset: Int64(change.seconds) * 1_000)
            )
        }
        self.stretches = stretches
    }

    /// The offsets of a zone that is known as a function of the moment only. A zone that changes its offset and changes it
    /// back within a day, as none has, would be taken for one that did not.
    ///
    /// - Parameters:
    ///   - name: its IANA name.
    ///   - range: where the offsets are needed.
    ///   - offset: the offset at a moment, in seconds.
    /// - Complexity: O(days of the range) calls of `offset`.
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

    /// What the zone's clocks show at a moment.
    ///
    /// - Complexity: O(changes).
    public func local(_ moment: Timestamp) -> Int64 {
        let time = moment.milliseconds
        return time + (stretches.last { $0.start <= time }?.offset ?? 0)
    }

    /// The first moment from which on the clocks never again show less than `local`: the moment itself where the clocks
    /// show every time once, the end of the gap where they skip it, and the last of several where they show it again.
    ///
    /// - Complexity: O(changes).
    public func instant(local: Int64) -> Timestamp {
        for stretch in stretches.reversed() {
            let moment = local - stretch.offset
            if moment >= stretch.end { return Timestamp(milliseconds: stretch.end) }
            if moment > stretch.start { return Timestamp(milliseconds: moment) }
        }
        return Timestamp(milliseconds: local)
    }

    public static func == (left: ZoneOffsets, right: ZoneOffsets) -> Bool {
        left.name == right.name
            && left.stretches.elementsEqual(right.stretches) { $0.start == $1.start && $0.offset == $1.offset }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        for stretch in stretches {
            hasher.combine(stretch.start)
            hasher.combine(stretch.offset)
        }
    }
}

/// Knows time zones: a zone's offsets over a range; nil for a name that is no zone's.
public typealias ZoneDirectory = @Sendable (_ name: String, _ range: Range<Timestamp>) -> ZoneOffsets?

/// The largest multiple of `step` that is not above `value`, also below zero.
func floored(_ value: Int64, to step: Int64) -> Int64 {
    let rest = value % step
    return value - (rest < 0 ? rest + step : rest)
}
