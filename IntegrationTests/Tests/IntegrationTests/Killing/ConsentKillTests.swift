// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// Processes are killed while users decide about consent.
@Suite("Kills during consent changes")
struct ConsentKillTests {
    @Test(
        "across kills, denied events never arrive and granted events arrive once",
        .timeLimit(.minutes(60))
    )
    func deciding() throws {
        let collector = try Collector()
        try StoryTally.trials("inside consent changes") { seed in
            var lives = try Lives(seed: seed, to: collector.url, ["--consent", "pending"])
            for _ in 0..<5 {
                var orders = ["record 9"]
                for _ in 0..<4 {
                    let word = ["granted", "pending", "denied"].randomElement(using: &lives.chance) ?? "denied"
                    orders += ["consent \(word)", "record \(Int.random(in: 1...9, using: &lives.chance))"]
                    // Returns after the decision has been applied.
                    if Bool.random(using: &lives.chance) { orders.append("flush 1") }
                }
                let place =
                    orders.indices.filter { orders[$0].hasPrefix("consent") }.randomElement(using: &lives.chance) ?? 1
                try lives.live([], orders, killedAt: .order(place, lives.moment(upTo: 30_000)))
            }
            let (installation, ledgers) = try lives.end([], ["consent granted", "record 3"])
            let story = lives.story
            let ledger = try #require(ledgers["collector"])
            let sides = try LedgerComparison(collector, installation: installation, ledger: ledger)
            sides.expectComplete(withdrawn: ledger.dropped["consent_denied"] ?? 0)
            let reasons = Set(ledger.dropped.keys).subtracting(["damaged", "unaccounted"])
            #expect(reasons.isSubset(of: ["consent_denied"]), "seed \(seed): \(ledger)")

            let decisions = Decisions(story)
            let must = story.kept.filter { decisions.isNeverDenied(after: $0.span.lowerBound) }
            let mustNot = story.kept.filter { decisions.isDeniedUnsent($0.span) }
            // An event recorded against a known decision is not recorded at all.
            let wrong = story.events.filter { event in
                guard let word = decisions.standing(over: event.span) else { return false }
                return (word == "denied") != (event.refusal == "consent_denied")
            }
            #expect(wrong.isEmpty, "seed \(seed): recorded or refused against the decision: \(wrong.prefix(5))")
            return .count(
                story,
                Arrivals(sides.rows),
                must: must,
                mustNot: mustNot,
                others: ["denied before they could be sent": mustNot.count]
            )
        }
    }

    /// The consent decisions, and when each is known to have been in effect.
    private struct Decisions {
        /// The decision in effect from each moment on; nil if unknown.
        private var changes: [(at: Int, word: String?)]

        init(_ story: Story) {
            changes = story.consents.map { ($0.at, $0.word) }
            for order in story.orders where order.words.first == "consent" && order.words.count > 1 {
                changes.append((order.began, nil))
                if order.isDone, let ended = order.ended { changes.append((ended, order.words[1])) }
            }
            changes.sort { $0.at < $1.at }
            denials = story.orders.filter { $0.words == ["consent", "denied"] }
            grants = story.orders.filter { $0.words == ["consent", "granted"] }
            flushes = story.orders.filter { $0.words.first == "flush" }
        }

        private let denials: [Story.Order]
        private let grants: [Story.Order]
        private let flushes: [Story.Order]

        /// Returns the decision that was in effect during an entire span; nil if unknown.
        func standing(over span: ClosedRange<Int>) -> String? {
            guard !changes.contains(where: { $0.at > span.lowerBound && $0.at <= span.upperBound }) else { return nil }
            return changes.last { $0.at <= span.lowerBound }?.word
        }

        /// Whether no event recorded from this moment on was denied.
        func isNeverDenied(after moment: Int) -> Bool { denials.allSatisfy { $0.isOver(by: moment) } }

        /// Whether an event was recorded while consent was pending, and a denial was applied before consent was
        /// granted.
        func isDeniedUnsent(_ span: ClosedRange<Int>) -> Bool {
            guard standing(over: span) == "pending" else { return false }
            let carriedOut = flushes.first { flush in
                flush.isDone && flush.began > span.upperBound && standing(over: flush.began...flush.began) == "denied"
            }
            guard let carriedOut, let ended = carriedOut.ended else { return false }
            return grants.allSatisfy { $0.began > ended || $0.isOver(by: span.lowerBound) }
        }
    }
}
