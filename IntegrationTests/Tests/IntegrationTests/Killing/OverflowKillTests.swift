// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// Processes are killed while the journal overflows because nobody takes what it holds.
@Suite("Killed while overflowing")
struct OverflowKillTests {
    @Test(
        "at full speed the oldest go and the newest stay, and every count survives the kills",
        .timeLimit(.minutes(60))
    )
    func overflowing() throws {
        let collector = try Collector()
        try StoryTally.trials("inside trimming") { seed in
            let server = try FlakyServer(before: collector.port) { _ in
                FlakyServer.collectorError(503, code: "overloaded")
            }
            var lives = try Lives(seed: seed, to: server.url, ["--journal-bytes", "3000000"])
            for _ in 0..<4 {
                let count = 500 + lives.moment(upTo: 6_000)
                try lives.live(
                    ["--threads", "2", "--alongside", "--bytes", "200", "3000", "--seed", "\(seed % 1_000_000)"],
                    killedAt: .words("kept", count, lives.moment(upTo: 30_000))
                )
            }
            server.change { _ in .forward }
            let (installation, ledgers) = try lives.end()
            let story = lives.story
            let ledger = try #require(ledgers["collector"])
            let sides = try BothSides(collector, installation: installation, ledger: ledger)
            sides.expectComplete()
            let arrivals = Arrivals(sides.rows)

            let gone = arrivals.missing(of: story.kept)
            let full = Int(ledger.dropped["journal_full"] ?? 0)
            // Nothing is gone that was not counted; what is counted may never have been printed.
            #expect(gone.count <= full, "seed \(seed): \(gone.count) gone, \(ledger)")
            #expect(sides.dropped["journal_full", default: 0] == ledger.dropped["journal_full", default: 0])
            #expect(ledger.droppedTotal - UInt64(full) <= UInt64(story.lives), "seed \(seed): \(ledger)")
            // `record` never turns away what is new to keep what is old.
            let turnedAway = story.events.filter { $0.refusal != nil }
            #expect(turnedAway.isEmpty, "seed \(seed): \(turnedAway.count) new events turned away")
            for (life, events) in Dictionary(grouping: story.kept, by: \.life) {
                let stayed = Self.stayedBeforeYounger(events, arrivals)
                #expect(stayed <= 750, "seed \(seed), life \(life): \(stayed) stayed though younger ones are gone")
            }
            let newest = story.kept.filter { $0.life == story.lives - 1 }.sorted { $0.sequence < $1.sequence }.suffix(
                200
            )
            #expect(arrivals.missing(of: Array(newest)).isEmpty, "seed \(seed): the newest are gone")
            return .count(
                story,
                arrivals,
                must: [],
                others: ["overflowed": full, "turned away": turnedAway.count]
            )
        }
    }

    /// How many events stayed though a younger one of the same process is gone. What is on its way when the space runs out
    /// is never given up, and with it stays the segment it lies in: a megabyte, some 600 of these events.
    private static func stayedBeforeYounger(_ events: [Story.Event], _ arrivals: Arrivals) -> Int {
        let events = events.sorted { $0.sequence < $1.sequence }
        guard let last = events.lastIndex(where: { arrivals.counts[$0.key] == nil }) else { return 0 }
        return events[..<last].count { arrivals.counts[$0.key] != nil }
    }
}
