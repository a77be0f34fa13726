// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// Processes are killed while an app's uploader reads, uploads and removes pending events.
@Suite("Kills while a local destination is read")
struct SnapshotKillTests {
    @Test(
        "a local destination returns every recorded event, and removed events never reappear",
        .timeLimit(.minutes(60))
    )
    func readingBack() throws {
        let collector = try Collector()
        try StoryTally.trials("reading a local destination") { seed in
            var lives = try Lives(seed: seed, to: collector.url)
            let target = "target exports"
            for _ in 0..<4 {
                let orders = [
                    target, "record 30", "export exports", "record 10", "export exports", "flush 1", "record 5",
                    "export exports",
                ]
                let moments: [Lives.DualTimestamp] = [
                    .order(2, lives.moment(upTo: 30_000)), .order(4, lives.moment(upTo: 30_000)),
                    .order(7, lives.moment(upTo: 30_000)), .words("uploaded", 15, lives.moment(upTo: 2_000)),
                    .words("removing", 1, lives.moment(upTo: 3_000)), .words("removing", 2, lives.moment(upTo: 3_000)),
                    .words("removed", 2, lives.moment(upTo: 3_000)),
                ]
                let moment = moments.randomElement(using: &lives.chance) ?? .order(2, 0)
                try lives.live([], orders, killedAt: moment)
            }
            let (installation, ledgers) = try lives.end([], [target, "record 4", "export exports"])
            let story = lives.story
            let ledger = try #require(ledgers["exports"])
            #expect(ledger.isBalanced && ledger.pending == 0 && ledger.droppedTotal == 0, "seed \(seed): \(ledger)")
            let sides = try LedgerComparison(
                collector,
                installation: installation,
                ledger: try #require(ledgers["collector"])
            )
            sides.expectComplete()
            var tally = StoryTally.count(story, Arrivals(sides.rows), must: story.kept)

            var shown: Set<Story.Key> = []
            var removed: Set<Story.Key> = []
            for export in story.exports {
                #expect(Set(export.keys).count == export.keys.count, "seed \(seed): a snapshot contains an event twice")
                let back = removed.intersection(export.keys)
                #expect(back.isEmpty, "seed \(seed): removed events reappeared: \(back.prefix(5)); \(story.outline)")
                tally.forbidden += back.count
                shown.formUnion(export.keys)
                if export.removed != nil { removed.formUnion(export.keys) }
            }
            let lost = story.kept.filter { !shown.contains($0.key) }
            #expect(lost.isEmpty, "seed \(seed): never returned: \(lost.prefix(5)); \(story.outline)")
            tally.lost += lost.count
            tally.others = [
                "read back": story.exports.reduce(0) { $0 + $1.keys.count },
                "interrupted exports": story.exports.filter { $0.removed == nil }.count,
            ]
            return tally
        }
    }
}
