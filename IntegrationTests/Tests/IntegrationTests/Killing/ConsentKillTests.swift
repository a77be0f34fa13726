// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// Processes are killed while users decide about consent.
@Suite("Kills during consent changes")
struct ConsentKillTests {
    @Test(.timeLimit(.minutes(60)))
    func `across kills, denied events never arrive and granted events arrive once`() throws {
        let collector = try Collector()
        try KillResult.trials("inside consent changes") { seed in
            var scenario = try KillScenario(seed: seed, to: collector.url, ["--consent", "pending"])
            for _ in 0..<5 {
                var commands = ["record 9"]
                for _ in 0..<4 {
                    let word = ["granted", "pending", "denied"].randomElement(using: &scenario.random) ?? "denied"
                    commands += ["consent \(word)", "record \(Int.random(in: 1...9, using: &scenario.random))"]
                    // Returns after the decision has been applied.
                    if Bool.random(using: &scenario.random) { commands.append("flush 1") }
                }
                let index =
                    commands.indices.filter { commands[$0].hasPrefix("consent") }.randomElement(using: &scenario.random)
                    ?? 1
                try scenario.runAndKill(
                    [],
                    commands,
                    killedAt: .afterCommand(index, scenario.randomDelay(upTo: 30_000))
                )
            }
            let (installation, ledgers) = try scenario.finish([], ["consent granted", "record 3"])
            let timeline = scenario.timeline
            let ledger = try #require(ledgers["collector"])
            let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
            comparison.expectComplete(withdrawn: ledger.dropped["consent_denied"] ?? 0)
            let reasons = Set(ledger.dropped.keys).subtracting(["damaged", "unaccounted"])
            #expect(reasons.isSubset(of: ["consent_denied"]), "seed \(seed): \(ledger)")

            let decisions = Decisions(timeline)
            let expected = timeline.survivingEvents.filter { decisions.isNeverDenied(after: $0.span.lowerBound) }
            let unexpected = timeline.survivingEvents.filter { decisions.wasDeniedBeforeSending($0.span) }
            // Under a known decision, an event must be dropped if and only if consent was denied.
            let wrong = timeline.events.filter { event in
                guard let word = decisions.decision(during: event.span) else { return false }
                return (word == "denied") != (event.dropReason == "consent_denied")
            }
            #expect(wrong.isEmpty, "seed \(seed): recorded or refused contrary to the decision: \(wrong.prefix(5))")
            return .count(
                timeline,
                Arrivals(comparison.rows),
                expected: expected,
                unexpected: unexpected,
                others: ["denied before they could be sent": unexpected.count]
            )
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `a process killed during a last delivery applies the refusal at its next start`() throws {
        let collector = try Collector()
        try KillResult.trials("inside a last delivery") { seed in
            var scenario = try KillScenario(seed: seed, to: collector.url)
            for _ in 0..<5 {
                try scenario.runAndKill(
                    [],
                    ["consent granted", "record 30", "withdraw 5", "record 9", "consent granted", "record 3"],
                    killedAt: .afterCommand(
                        Bool.random(using: &scenario.random) ? 2 : 3,
                        scenario.randomDelay(upTo: 30_000)
                    )
                )
            }
            // The collector learns the last counts only with consent.
            let (installation, ledgers) = try scenario.finish([], ["consent granted", "record 3"])
            let timeline = scenario.timeline
            let ledger = try #require(ledgers["collector"])
            let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
            comparison.expectComplete(withdrawn: ledger.dropped["consent_denied"] ?? 0)

            var interrupted = 0
            var refusedAtStart = 0
            var forbidden: [ProcessTimeline.Event] = []
            let withdrawals = timeline.commands.enumerated().filter { $0.element.words.first == "withdraw" }
            for (index, withdrawal) in withdrawals {
                let later = timeline.commands[(index + 1)...].first { $0.words == ["consent", "granted"] }
                let end = later?.started ?? .max
                if !withdrawal.isCompleted { interrupted += 1 }
                // The first process that starts afterward, unless consent was granted before.
                let next = timeline.consents.first { $0.at > withdrawal.started }
                if let next, next.at < end {
                    if next.word == "denied" { refusedAtStart += 1 }
                    #expect(!withdrawal.isCompleted || next.word == "denied", "seed \(seed): \(timeline.summary)")
                }
                if withdrawal.isCompleted, let ended = withdrawal.ended {
                    forbidden += timeline.survivingEvents.filter {
                        $0.span.lowerBound >= ended && $0.span.upperBound < end
                    }
                }
            }
            #expect(forbidden.isEmpty, "seed \(seed): recorded after the refusal: \(forbidden.prefix(5))")
            // A refusal that arrived was stored before it was sent.
            let arrived = comparison.rows.count { $0.text("_consent_decision") == "denied" }
            #expect(arrived <= withdrawals.count)
            return .count(
                timeline,
                Arrivals(comparison.rows),
                expected: [],
                unexpected: forbidden,
                others: [
                    "interrupted withdrawals": interrupted, "starts after a refusal": refusedAtStart,
                    "refusals that arrived": arrived,
                ]
            )
        }
    }

    /// The consent decisions, and when each is known to have been in effect.
    private struct Decisions {
        /// The decision in effect from each moment on; nil if unknown.
        private var changes: [(at: Int, word: String?)]

        init(_ timeline: ProcessTimeline) {
            changes = timeline.consents.map { ($0.at, $0.word) }
            for command in timeline.commands where command.words.first == "consent" && command.words.count > 1 {
                changes.append((command.started, nil))
                if command.isCompleted, let ended = command.ended { changes.append((ended, command.words[1])) }
            }
            changes.sort { $0.at < $1.at }
            denials = timeline.commands.filter { $0.words == ["consent", "denied"] }
            grants = timeline.commands.filter { $0.words == ["consent", "granted"] }
            flushes = timeline.commands.filter { $0.words.first == "flush" }
        }

        private let denials: [ProcessTimeline.Command]
        private let grants: [ProcessTimeline.Command]
        private let flushes: [ProcessTimeline.Command]

        /// Returns the decision that was in effect during an entire span; nil if unknown.
        func decision(during span: ClosedRange<Int>) -> String? {
            guard !changes.contains(where: { $0.at > span.lowerBound && $0.at <= span.upperBound }) else { return nil }
            return changes.last { $0.at <= span.lowerBound }?.word
        }

        /// Whether no event recorded from this moment on was denied.
        func isNeverDenied(after moment: Int) -> Bool { denials.allSatisfy { $0.hasEnded(by: moment) } }

        /// Whether an event was recorded while consent was pending, and a denial was applied before consent was
        /// granted.
        func wasDeniedBeforeSending(_ span: ClosedRange<Int>) -> Bool {
            guard decision(during: span) == "pending" else { return false }
            let appliedDenial = flushes.first { flush in
                flush.isCompleted && flush.started > span.upperBound
                    && decision(during: flush.started...flush.started) == "denied"
            }
            guard let ended = appliedDenial?.ended else { return false }
            return grants.allSatisfy { $0.started > ended || $0.hasEnded(by: span.lowerBound) }
        }
    }
}
