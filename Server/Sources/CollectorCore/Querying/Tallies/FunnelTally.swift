// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Computes a funnel from people's events, in any order.
public struct FunnelTally: Sendable {
    /// The stored data of an event.
    private struct Entry {
        var person: Int64
        var time: Int64
        var position: Int64
        /// The steps that the event matches: bit `i` for step `i`.
        var steps: UInt16
        /// The group of a first step's event; -1 for other steps.
        var group: Int32

        func precedes(_ other: Entry) -> Bool {
            (person, time, position) < (other.person, other.time, other.position)
        }
    }

    /// The sums of one group.
    private struct Sum {
        /// The number of people who reached each step.
        var people: [Int64]
        /// The times to each step, from the previous and the first step.
        var sinceStep: [[Int64]]
        var sinceFirst: [[Int64]]

        init(steps: Int) {
            people = Array(repeating: 0, count: steps)
            sinceStep = Array(repeating: [], count: steps)
            sinceFirst = sinceStep
        }

        mutating func add(_ other: Sum) {
            for step in people.indices {
                people[step] += other.people[step]
                sinceStep[step] += other.sinceStep[step]
                sinceFirst[step] += other.sinceFirst[step]
            }
        }
    }

    private let query: FunnelQuery
    private let budget: QueryBudget
    private var entries: [Entry] = []
    private var groups: QueryGroups

    /// Creates an empty tally.
    public init(_ query: FunnelQuery, budget: QueryBudget) {
        self.query = query
        self.budget = budget
        groups = QueryGroups(query.grouping)
    }

    /// Counts an event of a step.
    ///
    /// An event that belongs to several steps is counted for each of them.
    ///
    /// - Parameters:
    ///   - step: the step, from 0.
    ///   - value: the event's value of the grouping field; used only for the first step.
    /// - Throws: ``StoreError`` when the budget is exhausted.
    public mutating func count(
        step: Int,
        person: Int64,
        at time: Timestamp,
        position: Int64,
        value: QueryValue?
    ) throws(StoreError) {
        guard entries.count < budget.kept else {
            throw .overBudget("from", "its steps match more than \(budget.kept) events: choose a shorter time range")
        }
        let group = step == 0 ? try self.group(of: value) : -1
        entries.append(
            Entry(person: person, time: time.milliseconds, position: position, steps: 1 << UInt16(step), group: group)
        )
    }

    private mutating func group(of value: QueryValue?) throws(StoreError) -> Int32 {
        let number = groups.number(of: value)
        guard groups.bytes <= budget.groupBytes, groups.values.count <= budget.sums / query.steps.count else {
            throw .overBudget("by", "it has too many groups, or their values are too long: group by another attribute")
        }
        return Int32(number)
    }

    // MARK: Result

    /// Returns the series, and the people who dropped off.
    ///
    /// The people are those who reached the requested step but no later one, each with the time of that step. The
    /// latest time comes first; within the same millisecond, the person whose event arrived last comes first.
    ///
    /// - Complexity: O(n log n) for n stored events.
    public mutating func result() -> (series: [Funnel.Series], people: [(person: Int64, at: Int64)]) {
        var sums = Array(repeating: Sum(steps: query.steps.count), count: groups.values.count)
        var listed: [(person: Int64, at: Int64, position: Int64)] = []
        entries.sort { $0.precedes($1) }
        forEachPerson { person, walk, furthest in
            let group = Int(walk.group)
            for step in 0...furthest {
                sums[group].people[step] += 1
                guard step > 0 else { continue }
                sums[group].sinceStep[step].append(walk.times[step] - walk.times[step - 1])
                sums[group].sinceFirst[step].append(walk.times[step] - walk.times[0])
            }
            if query.lastStep == furthest + 1 { listed.append((person, walk.times[furthest], walk.position)) }
        }
        listed.sort { ($1.at, $1.position) < ($0.at, $0.position) }
        let people = listed.prefix(FunnelQuery.listedPeople).map { (person: $0.person, at: $0.at) }
        return (series(&sums), people)
    }

    /// Returns the people who reached a step.
    ///
    /// Their events are the steps up to this one.
    ///
    /// - Throws: ``StoreError`` when there are too many.
    /// - Complexity: O(n log n) for n stored events.
    public mutating func people(at point: FunnelPoint) throws(StoreError) -> PeopleActivity {
        var first = Array(repeating: Int64(0), count: groups.values.count)
        var reached: [(person: Int64, group: Int, entry: PeopleActivity.Entry)] = []
        let step = point.step - 1
        entries.sort { $0.precedes($1) }
        forEachPerson { person, walk, furthest in
            first[Int(walk.group)] += 1
            guard point.isDropOff ? furthest == step : furthest >= step else { return }
            let entry = PeopleActivity.Entry(first: walk.times[0], last: walk.times[step], events: Int64(point.step))
            reached.append((person, Int(walk.group), entry))
        }
        let wanted = groups.numbers(of: point.group) { ranked(first).prefix(query.grouping?.top ?? 0) }
        var people = PeopleActivity(limit: budget.people)
        for one in reached where wanted?.contains(one.group) ?? true { try people.add(one.person, one.entry) }
        return people
    }

    /// Calls `body` with each person's walk, and the furthest step, from 0.
    ///
    /// The events must be sorted.
    private func forEachPerson(_ body: (_ person: Int64, _ walk: FunnelWalk, _ furthest: Int) -> Void) {
        var start = 0
        var walk = FunnelWalk(steps: query.steps.count, window: query.window)
        while start < entries.count {
            let person = entries[start].person
            walk.begin()
            while start < entries.count, entries[start].person == person {
                // An event that belongs to several steps has one entry per step; combine these entries.
                var event = entries[start]
                start += 1
                while start < entries.count, entries[start].person == person,
                    entries[start].position == event.position
                {
                    event.steps |= entries[start].steps
                    event.group = max(event.group, entries[start].group)
                    start += 1
                }
                walk.take(event.steps, at: event.time, position: event.position, group: event.group)
            }
            if let furthest = walk.furthest { body(person, walk, furthest) }
        }
    }

    /// The groups with people, most people first.
    ///
    /// - Parameter first: the number of people at the first step, by group.
    private func ranked(_ first: [Int64]) -> [Int] {
        let values = groups.values
        return values.indices.filter { first[$0] > 0 }.sorted { left, right in
            let (more, less) = (first[left], first[right])
            return more == less ? QueryValue.precedes(values[left], values[right]) : more > less
        }
    }

    private func series(_ sums: inout [Sum]) -> [Funnel.Series] {
        guard let grouping = query.grouping else {
            return [Self.series(.all, sums.first ?? Sum(steps: query.steps.count))]
        }
        let values = groups.values
        let ranked = ranked(sums.map { $0.people[0] })
        var result = ranked.prefix(grouping.top).map { Self.series(.value(values[$0]), sums[$0]) }
        let others = ranked.dropFirst(grouping.top)
        guard !others.isEmpty else { return result }
        var rest = Sum(steps: query.steps.count)
        for group in others { rest.add(sums[group]) }
        result.append(Self.series(.other(others.count), rest))
        return result
    }

    private static func series(_ group: Trend.Group, _ sum: Sum) -> Funnel.Series {
        Funnel.Series(
            group: group,
            steps: sum.people.indices.map { step in
                Funnel.Step(
                    people: sum.people[step],
                    median: median(sum.sinceStep[step]),
                    medianTotal: median(sum.sinceFirst[step])
                )
            }
        )
    }

    /// Returns the median (nearest rank).
    ///
    /// This is the smallest time that at least half of the times do not exceed.
    private static func median(_ times: [Int64]) -> Int64? {
        times.isEmpty ? nil : times.sorted()[(times.count + 1) / 2 - 1]
    }
}

/// One person's progress through the steps.
///
/// For each step, only one attempt is kept: of the attempts that reached the step in time, the one with the latest
/// first step. That attempt can reach the next step whenever an attempt with an earlier first step can. The result is
/// the attempt that is the first to reach the furthest step.
struct FunnelWalk {
    private struct Attempt {
        var group: Int32
        /// The times of the steps so far.
        var times: [Int64]
    }

    private let window: Int64
    private var attempts: [Attempt?]
    /// The furthest step reached, from 0; nil before the first step.
    private(set) var furthest: Int?
    /// The times of the steps up to ``furthest``.
    private(set) var times: [Int64] = []
    /// The group of the first step's event.
    private(set) var group: Int32 = 0
    /// The position of the event that reached ``furthest``.
    private(set) var position: Int64 = 0

    /// Creates a walk through a number of steps.
    ///
    /// - Parameter window: the maximum time from the first step to the last, in milliseconds.
    init(steps: Int, window: Int64) {
        self.window = window
        attempts = Array(repeating: nil, count: steps)
    }

    /// Resets the walk for another person.
    mutating func begin() {
        for step in attempts.indices { attempts[step] = nil }
        furthest = nil
    }

    /// Processes the person's next event.
    ///
    /// - Parameters:
    ///   - steps: the event's steps, bit `i` for step `i`. An event counts as only one step of an attempt.
    ///   - time: the time in milliseconds; never earlier than that of the previous event.
    ///   - position: the event's position.
    ///   - group: the group, for an event of the first step.
    /// - Complexity: O(steps²).
    mutating func take(_ steps: UInt16, at time: Int64, position: Int64, group: Int32) {
        for step in attempts.indices.reversed() where steps & 1 << UInt16(step) != 0 {
            var attempt: Attempt
            if step == 0 {
                attempt = Attempt(group: group, times: [time])
            } else {
                guard let before = attempts[step - 1], time - before.times[0] <= window else { continue }
                attempt = before
                attempt.times.append(time)
            }
            attempts[step] = attempt
            guard step > furthest ?? -1 else { continue }
            furthest = step
            times = attempt.times
            self.group = attempt.group
            self.position = position
        }
    }
}
