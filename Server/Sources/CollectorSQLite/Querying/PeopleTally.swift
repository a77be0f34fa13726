// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Counts the people of each interval, and of a period as a whole.
///
/// Activity must be reported in order of time.
///
/// Because of that order, the tally does not store the people of each interval, only the interval in which each person
/// was last seen. If the order is unknown, or people are also counted by group, use ``TrendTally`` instead.
struct PeopleTally {
    private let time: QueryTimeRange
    /// The slot in which each person was last seen, plus one, by person.
    ///
    /// 0 for people not seen yet.
    private var latestSlots: [Int32]
    /// The number of people by slot; slots are numbered as in ``QueryTimeRange/slot(of:)``.
    ///
    /// The slots of the period come first, followed by those of the previous period.
    private var people: [Int64]
    private var totals: (now: Int64, before: Int64) = (0, 0)
    /// The last time looked up, and its slot.
    ///
    /// Consecutive calls often have the same time, because the activity of many people falls into the same quarter of
    /// an hour.
    private var latest: (time: Timestamp, slot: Int)?

    /// Creates an empty tally.
    ///
    /// - Parameter highest: The highest number of a person.
    init(_ time: QueryTimeRange, highest: Int) {
        self.time = time
        latestSlots = Array(repeating: 0, count: highest + 1)
        people = Array(repeating: 0, count: time.edgesBefore.isEmpty ? time.count : 2 * time.count)
    }

    /// Counts a person as active at a given time.
    ///
    /// Within a period, no call may have an earlier interval than the call before it.
    ///
    /// - Complexity: O(1) for the same time as in the last call, otherwise O(log intervals).
    mutating func count(_ person: Int64, at moment: Timestamp) {
        let slot: Int
        if let latest, latest.time == moment {
            slot = latest.slot
        } else {
            slot = time.slot(of: moment)
            latest = (moment, slot)
        }
        // A number above the highest person number belongs to no person.
        guard let person = Int(exactly: person), latestSlots.indices.contains(person) else { return }
        let last = Int(latestSlots[person]) - 1
        guard last != slot else { return }
        latestSlots[person] = Int32(slot + 1)
        people[slot] += 1
        let isNow = slot < time.count
        guard last < 0 || (last < time.count) != isNow else { return }
        if isNow { totals.now += 1 } else { totals.before += 1 }
    }

    /// Returns the counts as a single series.
    func series() -> Trend.Series {
        func numbers(_ slots: Range<Int>, total: Int64) -> Trend.Numbers {
            Trend.Numbers(values: slots.map { .integer(people[$0]) }, total: .integer(total))
        }
        let now = numbers(0..<time.count, total: totals.now)
        guard !time.edgesBefore.isEmpty else { return Trend.Series(group: .all, now: now) }
        return Trend.Series(group: .all, now: now, before: numbers(time.count..<2 * time.count, total: totals.before))
    }
}
