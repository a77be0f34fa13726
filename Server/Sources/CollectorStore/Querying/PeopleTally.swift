// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Counts the people of each interval, and of a period as a whole, told of them in the order of time.
///
/// In that order nobody need be kept for each interval: it suffices to know in which one each person was met last. Where the order is
/// not known, or people are told apart by groups as well, ``TrendTally`` counts.
struct PeopleTally {
    private let time: QuestionTime
    /// By person the place behind the slot in which they were met last; 0 for nobody met yet.
    private var met: [Int32]
    /// By slot, as ``QuestionTime/slot(of:)`` counts them: those of the time itself, then those of the period before.
    private var people: [Int64]
    private var totals: (now: Int64, before: Int64) = (0, 0)
    /// The moment asked for last, and its slot: quarters of many people lie together.
    private var latest: (time: Timestamp, slot: Int)?

    /// A tally of nobody.
    ///
    /// - Parameter highest: the highest number a person has.
    init(_ time: QuestionTime, highest: Int) {
        self.time = time
        met = Array(repeating: 0, count: highest + 1)
        people = Array(repeating: 0, count: time.edgesBefore.isEmpty ? time.count : 2 * time.count)
    }

    /// A person was active at a moment: one of an interval that is not before the last call's, within a period.
    ///
    /// - Complexity: O(1) for the moment of the last call, else O(log intervals).
    mutating func count(_ person: Int64, at moment: Timestamp) {
        let slot: Int
        if let latest, latest.time == moment {
            slot = latest.slot
        } else {
            slot = time.slot(of: moment)
            latest = (moment, slot)
        }
        // Nobody has a number beyond the highest.
        guard let person = Int(exactly: person), met.indices.contains(person) else { return }
        let last = Int(met[person]) - 1
        guard last != slot else { return }
        met[person] = Int32(slot + 1)
        people[slot] += 1
        let isNow = slot < time.count
        guard last < 0 || (last < time.count) != isNow else { return }
        if isNow { totals.now += 1 } else { totals.before += 1 }
    }

    /// The one series there is.
    func series() -> Trend.Series {
        func numbers(_ slots: Range<Int>, total: Int64) -> Trend.Numbers {
            Trend.Numbers(values: slots.map { .integer(people[$0]) }, total: .integer(total))
        }
        let now = numbers(0..<time.count, total: totals.now)
        guard !time.edgesBefore.isEmpty else { return Trend.Series(group: .all, now: now) }
        return Trend.Series(group: .all, now: now, before: numbers(time.count..<2 * time.count, total: totals.before))
    }
}
