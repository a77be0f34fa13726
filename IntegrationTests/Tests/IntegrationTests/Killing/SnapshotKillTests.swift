// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// Processes are killed while an app's uploader reads, uploads and removes pending events.
@Suite("Kills while a local destination is read")
struct SnapshotKillTests {
    @Test(.timeLimit(.minutes(60)))
    func `a local destination returns every recorded event, and removed events never reappear`() throws {
        let collector = try Collector()
        try KillResult.trials("reading a local destination") { seed in
            var scenario = try KillScenario(seed: seed, to: collector.url)
            let target = "target exports"
            for _ in 0..<4 {
                let commands = [
                    target, "record 30", "export exports", "record 10", "export exports", "flush 1", "record 5",
                    "export exports",
                ]
                let killPoints: [KillScenario.KillPoint] = [
                    .afterCommand(2, scenario.randomDelay(upTo: 30_000)),
                    .afterCommand(4, scenario.randomDelay(upTo: 30_000)),
                    .afterCommand(7, scenario.randomDelay(upTo: 30_000)),
                    .afterLines("uploaded", 15, scenario.randomDelay(upTo: 2_000)),
                    .afterLines("removing", 1, scenario.randomDelay(upTo: 3_000)),
                    .afterLines("removing", 2, scenario.randomDelay(upTo: 3_000)),
                    .afterLines("removed", 2, scenario.randomDelay(upTo: 3_000)),
                ]
                let killPoint = killPoints.randomElement(using: &scenario.random) ?? .afterCommand(2, 0)
                try scenario.runAndKill([], commands, killedAt: killPoint)
            }
            let (installation, ledgers) = try scenario.finish([], [target, "record 4", "export exports"])
            let timeline = scenario.timeline
            let ledger = try #require(ledgers["exports"])
            #expect(ledger.isBalanced && ledger.pending == 0 && ledger.droppedTotal == 0, "seed \(seed): \(ledger)")
            let comparison = try LedgerComparison(
                collector,
                installation: installation,
                ledger: try #require(ledgers["collector"])
            )
            comparison.expectComplete()
            var tally = KillResult.count(timeline, Arrivals(comparison.rows), expected: timeline.survivingEvents)

            var shownKeys: Set<ProcessTimeline.Key> = []
            var removed: Set<ProcessTimeline.Key> = []
            for export in timeline.exports {
                #expect(Set(export.keys).count == export.keys.count, "seed \(seed): a snapshot contains an event twice")
                let back = removed.intersection(export.keys)
                #expect(back.isEmpty, "seed \(seed): removed events reappeared: \(back.prefix(5)); \(timeline.summary)")
                tally.forbidden += back.count
                shownKeys.formUnion(export.keys)
                if export.removed != nil { removed.formUnion(export.keys) }
            }
            let lost = timeline.survivingEvents.filter { !shownKeys.contains($0.key) }
            #expect(lost.isEmpty, "seed \(seed): never returned: \(lost.prefix(5)); \(timeline.summary)")
            tally.lost += lost.count
            tally.others = [
                "read back": timeline.exports.reduce(0) { $0 + $1.keys.count },
                "interrupted exports": timeline.exports.filter { $0.removed == nil }.count,
            ]
            return tally
        }
    }
}
