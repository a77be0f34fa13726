// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Follows people through the steps of a funnel: told their events in any order, it gives the answer.
public struct FunnelTally: Sendable {
    /// What is kept of an event.
    private struct Entry {
        var person: Int64
        var time: Int64
        var position: Int64
        /// Bit `i` for step `i`.
        var steps: UInt16
        /// The group of the first step's event; -1 for events that are no first step.
        var group: Int32

        func precedes(_ other: Entry) -> Bool {
            (person, time, position) < (other.person, other.time, other.position)
        }
    }

    /// What one group's people did.
    private struct Sum {
        /// How many got to each step.
        var people: [Int64]
        /// The times from the step before, and from the first, of those who got to each step.
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

    private let question: FunnelQuestion
    private let budget: QuestionBudget
    private var entries: [Entry] = []
    private var groups: QuestionGroups

    /// A tally of nothing yet.
    public init(_ question: FunnelQuestion, budget: QuestionBudget) {
        self.question = question
        self.budget = budget
        groups = QuestionGroups(question.grouping)
    }

    /// Counts an event that belongs to a step. One that belongs to several is counted for each.
    ///
    /// - Parameters:
    ///   - step: the step, from 0.
    ///   - value: the event's value of the field that groups are made of; only the first step's counts.
    /// - Throws: ``StoreError`` when the budget is used up.
    public mutating func count(
        step: Int,
        person: Int64,
        at time: Timestamp,
        position: Int64,
        value: QuestionValue?
    ) throws(StoreError) {
        guard entries.count < budget.kept else {
            throw .overBudget("from", "its steps are more than \(budget.kept) events: choose a shorter time")
        }
        let group = step == 0 ? try self.group(of: value) : -1
        entries.append(
            Entry(person: person, time: time.milliseconds, position: position, steps: 1 << UInt16(step), group: group)
        )
    }

    private mutating func group(of value: QuestionValue?) throws(StoreError) -> Int32 {
        let number = groups.number(of: value)
        guard groups.bytes <= budget.groupBytes, groups.values.count <= budget.sums / question.steps.count else {
            throw .overBudget("by", "it has too many groups, or too long ones: group by another attribute")
        }
        return Int32(number)
    }

    // MARK: The answer

    /// The series, and who got to the step asked for and no further, with the time of it: the latest first, and of one millisecond
    /// the one whose event arrived last.
    ///
    /// - Complexity: O(events kept × log).
    public mutating func answer() -> (series: [Funnel.Series], people: [(person: Int64, at: Int64)]) {
        entries.sort { $0.precedes($1) }
        var sums = Array(repeating: Sum(steps: question.steps.count), count: groups.values.count)
        var listed: [(person: Int64, at: Int64, position: Int64)] = []
        var start = 0
        var walk = FunnelWalk(steps: question.steps.count, window: question.window)
        while start < entries.count {
            let person = entries[start].person
            walk.begin()
            while start < entries.count, entries[start].person == person {
                // An event that belongs to several steps was counted for each.
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
            guard let furthest = walk.furthest else { continue }
            let group = Int(walk.group)
            for step in 0...furthest {
                sums[group].people[step] += 1
                guard step > 0 else { continue }
                sums[group].sinceStep[step].append(walk.times[step] - walk.times[step - 1])
                sums[group].sinceFirst[step].append(walk.times[step] - walk.times[0])
            }
            if question.lastStep == furthest + 1 { listed.append((person, walk.times[furthest], walk.position)) }
        }
        listed.sort { ($1.at, $1.position) < ($0.at, $0.position) }
        let people = listed.prefix(FunnelQuestion.listedPeople).map { (person: $0.person, at: $0.at) }
        return (series(&sums), people)
    }

    private func series(_ sums: inout [Sum]) -> [Funnel.Series] {
        guard let grouping = question.grouping else {
            return [Self.series(.all, sums.first ?? Sum(steps: question.steps.count))]
        }
        let values = groups.values
        let ranked = values.indices.filter { sums[$0].people[0] > 0 }.sorted { left, right in
            let (more, less) = (sums[left].people[0], sums[right].people[0])
            return more == less ? QuestionValue.precedes(values[left], values[right]) : more > less
        }
        var answer = ranked.prefix(grouping.top).map { Self.series(.value(values[$0]), sums[$0]) }
        let others = ranked.dropFirst(grouping.top)
        guard !others.isEmpty else { return answer }
        var rest = Sum(steps: question.steps.count)
        for group in others { rest.add(sums[group]) }
        answer.append(Self.series(.other(others.count), rest))
        return answer
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

    /// The nearest rank: the least time that half of them do not exceed.
    private static func median(_ times: [Int64]) -> Int64? {
        times.isEmpty ? nil : times.sorted()[(times.count + 1) / 2 - 1]
    }
}

/// One person's way through the steps.
///
/// For each step the latest first step is kept from which it was reached in time: from it, the next step may be reached
/// whenever it may be from any earlier one. The first time a person gets furthest is what counts.
struct FunnelWalk {
    private struct Attempt {
        var group: Int32
        /// The times of the steps so far.
        var times: [Int64]
    }

    private let window: Int64
    private var attempts: [Attempt?]
    /// The furthest step, from 0; nil before the first.
    private(set) var furthest: Int?
    /// The times of the steps up to ``furthest``.
    private(set) var times: [Int64] = []
    /// The group of the first of them.
    private(set) var group: Int32 = 0
    /// The place of the event that took ``furthest``.
    private(set) var position: Int64 = 0

    /// A walk through so many steps.
    ///
    /// - Parameter window: how long after the first step the last one may come, in milliseconds.
    init(steps: Int, window: Int64) {
        self.window = window
        attempts = Array(repeating: nil, count: steps)
    }

    /// Another person begins.
    mutating func begin() {
        for step in attempts.indices { attempts[step] = nil }
        furthest = nil
    }

    /// Takes the person's next event.
    ///
    /// - Parameters:
    ///   - steps: bit `i` for step `i`. An event takes one step of an attempt only.
    ///   - time: when, in milliseconds; never earlier than the event before.
    ///   - position: its place.
    ///   - group: the group, if it is a first step.
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
