// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// Processes are killed while destinations are added and removed.
@Suite("Kills during destination changes")
struct DestinationKillTests {
    @Test(
        .timeLimit(.minutes(60)),
        arguments: ["", " 7"]
    )
    func `a destination gets exactly the events recorded while it was added`(_ rule: String) throws {
        let (collector, second) = (try Collector(), try Collector())
        let mode = rule.isEmpty ? "adding and removing destinations" : "adding and removing queues"
        try KillResult.trials("inside \(mode)") { seed in
            var scenario = try KillScenario(seed: seed, to: collector.url)
            let add = "add audit \(second.url)\(rule)"
            for _ in 0..<4 {
                let commands = [
                    "record 7", add, "record 15", "remove audit", "record 5", add, "record 9", "upload force",
                    "remove audit", "record 3",
                ]
                let index = [1, 3, 5, 7, 8].randomElement(using: &scenario.random) ?? 1
                try scenario.runAndKill(
                    [],
                    commands,
                    killedAt: .afterCommand(index, scenario.randomDelay(upTo: 30_000))
                )
            }
            let (installation, ledgers) = try scenario.finish([], [add, "record 4"])
            let timeline = scenario.timeline
            let comparison = try LedgerComparison(
                collector,
                installation: installation,
                ledger: try #require(ledgers["collector"])
            )
            comparison.expectComplete()
            var tally = KillResult.count(timeline, Arrivals(comparison.rows), expected: timeline.survivingEvents)

            let ledger = try #require(ledgers["audit"])
            let audit = try LedgerComparison(second, installation: installation, ledger: ledger)
            #expect(ledger.isBalanced && ledger.pending == 0, "seed \(seed): \(ledger)")
            #expect(audit.received == ledger.delivered, "seed \(seed): \(audit.accounts) \(ledger)")
            // Events recorded while the destination was removed are not addressed to it and not missing there.
            #expect(audit.missing == 0, "seed \(seed): \(audit.accounts) \(ledger)")
            #expect(UInt64(audit.rows.count) == audit.received)
            let presence = Presence(of: "audit", in: timeline)
            let presentEvents = timeline.survivingEvents.filter { presence.isKnown(true, during: $0.span) }
            let absent = timeline.survivingEvents.filter { presence.isKnown(false, during: $0.span) }
            tally.add(.count(timeline, Arrivals(audit.rows), expected: presentEvents, unexpected: absent))
            tally.trials = 1
            tally.kills = timeline.processCount - 1
            tally.others = ["for the second destination": presentEvents.count, "not for it": absent.count]
            return tally
        }
    }

    /// When a destination was present, as far as the output shows.
    private struct Presence {
        /// Whether it was present from each moment on; nil if unknown.
        private var changes: [(at: Int, isPresent: Bool?)] = [(0, false)]

        init(of id: String, in timeline: ProcessTimeline) {
            for command in timeline.commands where command.words.count > 1 && command.words[1] == id {
                guard command.words[0] == "add" || command.words[0] == "remove" else { continue }
                changes.append((command.started, nil))
                if command.isCompleted, let ended = command.ended { changes.append((ended, command.words[0] == "add")) }
            }
        }

        /// Whether this is known to hold during an entire span.
        func isKnown(_ isPresent: Bool, during span: ClosedRange<Int>) -> Bool {
            let before = changes.last { $0.at <= span.lowerBound }
            let within = changes.filter { $0.at > span.lowerBound && $0.at <= span.upperBound }
            return before?.isPresent == isPresent && within.isEmpty
        }
    }
}
