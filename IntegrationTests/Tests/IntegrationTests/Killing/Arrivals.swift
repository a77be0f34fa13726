// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// The number of times each recorded event arrived at a collector.
struct Arrivals {
    let counts: [Story.Key: Int]

    init(_ rows: [CollectedRow]) {
        counts = rows.compactMap { Story.Key($0) }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Events that arrived more than once.
    var twice: [Story.Key] { counts.filter { $0.value > 1 }.map(\.key) }

    /// Returns the events that did not arrive.
    func missing(of events: [Story.Event]) -> [Story.Event] { events.filter { counts[$0.key] == nil } }

    /// Returns the events that arrived.
    func present(of events: [Story.Event]) -> [Story.Event] { events.filter { counts[$0.key] != nil } }
}

/// The counts of a kill test.
struct StoryTally: CustomStringConvertible {
    var trials = 0
    var kills = 0
    var kept = 0
    var rows = 0
    /// Events that must arrive and did not.
    var lost = 0
    var twice = 0
    /// Events that must not arrive and did.
    var forbidden = 0
    /// Further counts of the mode, by name.
    var others: [String: Int] = [:]

    mutating func add(_ other: StoryTally) {
        trials += other.trials
        kills += other.kills
        kept += other.kept
        rows += other.rows
        lost += other.lost
        twice += other.twice
        forbidden += other.forbidden
        others.merge(other.others, uniquingKeysWith: +)
    }

    /// Counts one trial and records issues for wrong results.
    static func count(
        _ story: Story,
        _ arrivals: Arrivals,
        must: [Story.Event],
        mustNot: [Story.Event] = [],
        others: [String: Int] = [:]
    ) -> StoryTally {
        let (lost, forbidden) = (arrivals.missing(of: must), arrivals.present(of: mustNot))
        if !lost.isEmpty { Issue.record("lost \(lost.count): \(lost.prefix(5))") }
        if !arrivals.twice.isEmpty { Issue.record("duplicated \(arrivals.twice.count): \(arrivals.twice.prefix(5))") }
        if !forbidden.isEmpty { Issue.record("forbidden \(forbidden.count): \(forbidden.prefix(5))") }
        if !lost.isEmpty || !forbidden.isEmpty { Issue.record("outline: \(story.outline)") }
        for fault in story.faults.prefix(5) { Issue.record("\(fault)") }
        return StoryTally(
            trials: 1,
            kills: story.lives - 1,
            kept: story.kept.count,
            rows: arrivals.counts.count,
            lost: lost.count,
            twice: arrivals.twice.count,
            forbidden: forbidden.count,
            others: others
        )
    }

    var description: String {
        let rest = others.sorted { $0.key < $1.key }.map { ", \($0.value) \($0.key)" }.joined()
        return "\(trials) trials, \(kills) kills, \(kept) kept, \(rows) rows, \(lost) lost, \(twice) duplicated, "
            + "\(forbidden) forbidden\(rest)"
    }

    /// Runs the trials and reports the seed of each failure.
    static func trials(_ mode: String, _ trial: (UInt64) throws -> StoryTally) throws {
        var total = StoryTally()
        var begun = 0
        for seed in TrialBudget(trials: Settings.storyTrials) {
            begun += 1
            do {
                total.add(try trial(seed))
            } catch {
                Issue.record("\(mode), seed \(seed): \(error)")
            }
        }
        print("kill test, \(mode), seeds from \(Settings.seed): \(total)")
        #expect(total.trials == begun)
        #expect(total.lost + total.twice + total.forbidden == 0)
    }
}
