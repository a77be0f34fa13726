// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// Processes are killed while destinations are added and removed.
@Suite("Kills during destination changes")
struct DestinationKillTests {
    @Test(
        "a destination gets exactly the events recorded while it was added",
        .timeLimit(.minutes(60)),
        arguments: ["", " 7"]
    )
    func comingAndGoing(_ rule: String) throws {
        let (collector, second) = (try Collector(), try Collector())
        let mode = rule.isEmpty ? "adding and removing destinations" : "adding and removing queues"
        try StoryTally.trials("inside \(mode)") { seed in
            var lives = try Lives(seed: seed, to: collector.url)
            let add = "add audit \(second.url)\(rule)"
            for _ in 0..<4 {
                let orders = [
                    "record 7", add, "record 15", "remove audit", "record 5", add, "record 9", "upload force",
                    "remove audit", "record 3",
                ]
                let place = [1, 3, 5, 7, 8].randomElement(using: &lives.chance) ?? 1
                try lives.live([], orders, killedAt: .order(place, lives.moment(upTo: 30_000)))
            }
            let (installation, ledgers) = try lives.end([], [add, "record 4"])
            let story = lives.story
            let sides = try LedgerComparison(
                collector,
                installation: installation,
                ledger: try #require(ledgers["collector"])
            )
            sides.expectComplete()
            var tally = StoryTally.count(story, Arrivals(sides.rows), must: story.kept)

            let ledger = try #require(ledgers["audit"])
            let audit = try LedgerComparison(second, installation: installation, ledger: ledger)
            #expect(ledger.isBalanced && ledger.pending == 0, "seed \(seed): \(ledger)")
            #expect(audit.received == ledger.delivered, "seed \(seed): \(audit.accounts) \(ledger)")
            // Events recorded while the destination was removed are not addressed to it and not missing there.
            #expect(audit.missing == 0, "seed \(seed): \(audit.accounts) \(ledger)")
            #expect(UInt64(audit.rows.count) == audit.received)
            let presence = Presence(of: "audit", in: story)
            let there = story.kept.filter { presence.holds(true, over: $0.span) }
            let away = story.kept.filter { presence.holds(false, over: $0.span) }
            tally.add(.count(story, Arrivals(audit.rows), must: there, mustNot: away))
            tally.trials = 1
            tally.kills = story.lives - 1
            tally.others = ["for the second destination": there.count, "not for it": away.count]
            return tally
        }
    }

    /// When a destination was present, as far as the output shows.
    private struct Presence {
        /// Whether it was present from each moment on; nil if unknown.
        private var changes: [(at: Int, isThere: Bool?)] = [(0, false)]

        init(of id: String, in story: Story) {
            for order in story.orders where order.words.count > 1 && order.words[1] == id {
                guard order.words[0] == "add" || order.words[0] == "remove" else { continue }
                changes.append((order.began, nil))
                if order.isDone, let ended = order.ended { changes.append((ended, order.words[0] == "add")) }
            }
        }

        /// Whether this is known to hold during an entire span.
        func holds(_ isThere: Bool, over span: ClosedRange<Int>) -> Bool {
            let before = changes.last { $0.at <= span.lowerBound }
            let within = changes.filter { $0.at > span.lowerBound && $0.at <= span.upperBound }
            return before?.isThere == isThere && within.isEmpty
        }
    }
}
