// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// Processes are killed within milliseconds of their start, one after another in the same folder.
@Suite("Kills during startup")
struct StartKillTests {
    @Test("after repeated kills, the next start works and no printed event is lost", .timeLimit(.minutes(60)))
    func starting() throws {
        let collector = try Collector()
        try StoryTally.trials("inside start") { seed in
            var lives = try Lives(seed: seed, to: collector.url)
            let youth = try lives.youth()
            for _ in 0..<14 {
                // Uniformly distributed: most are killed before they are ready, some during their first deliveries.
                let moment = Int.random(in: 0...(youth + youth / 2), using: &lives.chance)
                try lives.live(["--threads", "1", "--alongside"], killedAt: .young(moment))
            }
            let (installation, ledgers) = try lives.end()
            let sides = try LedgerComparison(
                collector,
                installation: installation,
                ledger: try #require(ledgers["collector"])
            )
            sides.expectComplete()
            // One folder stays one installation, no matter how early its processes were killed.
            #expect(lives.story.installations.count == 1)
            return .count(lives.story, Arrivals(sides.rows), must: lives.story.kept)
        }
    }

    @Test(
        "compacting the counts of many small writers survives kills without losing a count",
        .timeLimit(.minutes(60))
    )
    func folding() throws {
        let collector = try Collector()
        try StoryTally.trials("inside folding") { seed in
            var lives = try Lives(seed: seed, to: collector.url)
            // The port refuses connections, so the events stay pending, in one folder per process.
            for _ in 0..<6 {
                let count = Int.random(in: 1...4, using: &lives.chance)
                try lives.live(
                    to: "http://127.0.0.1:9",
                    [],
                    ["record \(count)"],
                    killedAt: .words("kept", Int.random(in: 1...count, using: &lives.chance), 0)
                )
            }
            // Another process of the installation observes the count, which must never shrink.
            let witness = try lives.companion()
            _ = try witness.installation()
            var seen: UInt64 = 0
            for _ in 0..<4 {
                let moment = lives.moment(upTo: 400_000)
                try lives.live(["--count", "3", "--threads", "1"], killedAt: .words("ledger", 1, moment))
                for line in try witness.answers(to: "ledger 20", beginning: "ledger") {
                    let ledger = try #require(try RecorderLedger.all(line)["collector"])
                    if !ledger.isBalanced || ledger.total < seen {
                        Issue.record("seed \(seed): the witness saw \(ledger) after \(seen)")
                    }
                    seen = ledger.total
                }
            }
            try witness.exit()
            let (installation, ledgers) = try lives.end()
            let sides = try LedgerComparison(
                collector,
                installation: installation,
                ledger: try #require(ledgers["collector"])
            )
            sides.expectComplete()
            return .count(lives.story, Arrivals(sides.rows), must: lives.story.kept)
        }
    }
}
