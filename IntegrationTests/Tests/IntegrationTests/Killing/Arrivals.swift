// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// The number of times each recorded event arrived at a collector.
struct Arrivals {
    let counts: [ProcessTimeline.Key: Int]

    init(_ rows: [CollectedRow]) {
        counts = rows.compactMap { ProcessTimeline.Key($0) }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Events that arrived more than once.
    var duplicates: [ProcessTimeline.Key] { counts.filter { $0.value > 1 }.map(\.key) }

    /// Returns the events that did not arrive.
    func missing(of events: [ProcessTimeline.Event]) -> [ProcessTimeline.Event] {
        events.filter { counts[$0.key] == nil }
    }

    /// Returns the events that arrived.
    func present(of events: [ProcessTimeline.Event]) -> [ProcessTimeline.Event] {
        events.filter { counts[$0.key] != nil }
    }
}

/// The counts of a kill test.
struct KillResult: CustomStringConvertible {
    var trials = 0
    var kills = 0
    var survivingCount = 0
    var rows = 0
    /// Events that must arrive and did not.
    var lost = 0
    var duplicated = 0
    /// Events that must not arrive and did.
    var forbidden = 0
    /// Further counts of the mode, by name.
    var others: [String: Int] = [:]

    mutating func add(_ other: KillResult) {
        trials += other.trials
        kills += other.kills
        survivingCount += other.survivingCount
        rows += other.rows
        lost += other.lost
        duplicated += other.duplicated
        forbidden += other.forbidden
        others.merge(other.others, uniquingKeysWith: +)
    }

    /// Counts one trial and records issues for wrong results.
    static func count(
        _ timeline: ProcessTimeline,
        _ arrivals: Arrivals,
        expected: [ProcessTimeline.Event],
        unexpected: [ProcessTimeline.Event] = [],
        others: [String: Int] = [:]
    ) -> KillResult {
        let (lost, forbidden) = (arrivals.missing(of: expected), arrivals.present(of: unexpected))
        if !lost.isEmpty { Issue.record("lost \(lost.count): \(lost.prefix(5))") }
        if !arrivals.duplicates.isEmpty {
            Issue.record("duplicated \(arrivals.duplicates.count): \(arrivals.duplicates.prefix(5))")
        }
        if !forbidden.isEmpty { Issue.record("forbidden \(forbidden.count): \(forbidden.prefix(5))") }
        if !lost.isEmpty || !forbidden.isEmpty { Issue.record("timeline: \(timeline.summary)") }
        for fault in timeline.faults.prefix(5) { Issue.record("\(fault)") }
        return KillResult(
            trials: 1,
            kills: timeline.processCount - 1,
            survivingCount: timeline.survivingEvents.count,
            rows: arrivals.counts.count,
            lost: lost.count,
            duplicated: arrivals.duplicates.count,
            forbidden: forbidden.count,
            others: others
        )
    }

    var description: String {
        let rest = others.sorted { $0.key < $1.key }.map { ", \($0.value) \($0.key)" }.joined()
        return
            "\(trials) trials, \(kills) kills, \(survivingCount) kept, \(rows) rows, \(lost) lost, \(duplicated) duplicated, "
            + "\(forbidden) forbidden\(rest)"
    }

    /// Runs the trials and reports the seed of each failure.
    static func trials(_ mode: String, _ trial: (UInt64) throws -> KillResult) throws {
        var total = KillResult()
        var trialCount = 0
        for seed in TrialBudget(trials: Settings.scenarioTrials) {
            trialCount += 1
            do {
                total.add(try trial(seed))
            } catch {
                Issue.record("\(mode), seed \(seed): \(error)")
            }
        }
        print("kill test, \(mode), seeds from \(Settings.seed): \(total)")
        #expect(total.trials == trialCount)
        #expect(total.lost + total.duplicated + total.forbidden == 0)
    }
}
