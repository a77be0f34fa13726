// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// Processes are killed within milliseconds of their start, one after another in the same folder.
@Suite("Kills during startup")
struct StartKillTests {
    @Test(.timeLimit(.minutes(60)))
    func `after repeated kills, the next start works and no printed event is lost`() throws {
        let collector = try Collector()
        try KillResult.trials("inside start") { seed in
            var scenario = try KillScenario(seed: seed, to: collector.url)
            let startup = try scenario.measureStartup()
            for _ in 0..<14 {
                // Uniformly distributed: most are killed before they are ready, some during their first deliveries.
                let delay = Int.random(in: 0...(startup + startup / 2), using: &scenario.random)
                try scenario.runAndKill(["--threads", "1", "--alongside"], killedAt: .afterStart(delay))
            }
            let (installation, ledgers) = try scenario.finish()
            let comparison = try LedgerComparison(
                collector,
                installation: installation,
                ledger: try #require(ledgers["collector"])
            )
            comparison.expectComplete()
            // One folder stays one installation, no matter how early its processes were killed.
            #expect(scenario.timeline.installations.count == 1)
            return .count(scenario.timeline, Arrivals(comparison.rows), expected: scenario.timeline.survivingEvents)
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `compacting the counts of many small writers survives kills without losing a count`() throws {
        let collector = try Collector()
        try KillResult.trials("inside folding") { seed in
            var scenario = try KillScenario(seed: seed, to: collector.url)
            // The port refuses connections, so the events stay pending, in one folder per process.
            for _ in 0..<6 {
                let count = Int.random(in: 1...4, using: &scenario.random)
                try scenario.runAndKill(
                    to: "http://127.0.0.1:9",
                    [],
                    ["record \(count)"],
                    killedAt: .afterLines("kept", Int.random(in: 1...count, using: &scenario.random), 0)
                )
            }
            // Another process of the installation observes the count, which must never shrink.
            let observer = try scenario.startCompanion()
            _ = try observer.installation()
            var highestTotal: UInt64 = 0
            for _ in 0..<4 {
                let delay = scenario.randomDelay(upTo: 400_000)
                try scenario.runAndKill(["--count", "3", "--threads", "1"], killedAt: .afterLines("ledger", 1, delay))
                for line in try observer.responses(to: "ledger 20", startingWith: "ledger") {
                    let ledger = try #require(try RecorderLedger.all(line)["collector"])
                    if !ledger.isBalanced || ledger.total < highestTotal {
                        Issue.record("seed \(seed): the observer saw \(ledger) after \(highestTotal)")
                    }
                    highestTotal = ledger.total
                }
            }
            try observer.exit()
            let (installation, ledgers) = try scenario.finish()
            let comparison = try LedgerComparison(
                collector,
                installation: installation,
                ledger: try #require(ledgers["collector"])
            )
            comparison.expectComplete()
            return .count(scenario.timeline, Arrivals(comparison.rows), expected: scenario.timeline.survivingEvents)
        }
    }
}
