// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Counts the people of each interval, and of a period as a whole.
///
/// Activity must be reported in order of time.
///
/// That order makes it unnecessary to store people per interval: the interval in which each person was last seen is
/// enough. If the order is not known, or people are also counted by groups, ``TrendTally`` counts instead.
struct PeopleTally {
    private let time: QueryTimeRange
    /// By person, one more than the slot in which the person was last seen.
    ///
    /// 0 for people not seen yet.
    private var met: [Int32]
    /// By slot, numbered as in ``QueryTimeRange/slot(of:)``.
    ///
    /// The slots of the period come first, then those of the previous period.
    private var people: [Int64]
    private var totals: (now: Int64, before: Int64) = (0, 0)
    /// The last time that was looked up, and its slot: quarters of many people are consecutive.
    private var latest: (time: Timestamp, slot: Int)?

    /// Creates an empty tally.
    ///
    /// - Parameter highest: The highest number of a person.
    init(_ time: QueryTimeRange, highest: Int) {
        self.time = time
        met = Array(repeating: 0, count: highest + 1)
        people = Array(repeating: 0, count: time.edgesBefore.isEmpty ? time.count : 2 * time.count)
    }

    /// Counts a person as active at a time.
    ///
    /// Within a period, intervals must not go backwards between calls.
    ///
    /// - Complexity: O(1) for the time of the last call, else O(log intervals).
    mutating func count(_ person: Int64, at moment: Timestamp) {
        let slot: Int
        if let latest, latest.time == moment {
            slot = latest.slot
        } else {
            slot = time.slot(of: moment)
            latest = (moment, slot)
        }
        // No person has a number above the highest.
        guard let person = Int(exactly: person), met.indices.contains(person) else { return }
        let last = Int(met[person]) - 1
        guard last != slot else { return }
        met[person] = Int32(slot + 1)
        people[slot] += 1
        let isNow = slot < time.count
        guard last < 0 || (last < time.count) != isNow else { return }
        if isNow { totals.now += 1 } else { totals.before += 1 }
    }

    /// Returns the only series.
    func series() -> Trend.Series {
        func numbers(_ slots: Range<Int>, total: Int64) -> Trend.Numbers {
            Trend.Numbers(values: slots.map { .integer(people[$0]) }, total: .integer(total))
        }
        let now = numbers(0..<time.count, total: totals.now)
        guard !time.edgesBefore.isEmpty else { return Trend.Series(group: .all, now: now) }
        return Trend.Series(group: .all, now: now, before: numbers(time.count..<2 * time.count, total: totals.before))
    }
}
