// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// Processes are killed while the journal overflows because the server rejects all requests.
@Suite("Kills during journal overflow")
struct OverflowKillTests {
    @Test(
        "a full journal drops the oldest events and keeps the newest, and all counts survive kills",
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
            let sides = try LedgerComparison(collector, installation: installation, ledger: ledger)
            sides.expectComplete()
            let arrivals = Arrivals(sides.rows)

            let gone = arrivals.missing(of: story.kept)
            let full = Int(ledger.dropped["journal_full"] ?? 0)
            // Every lost event was counted; counted ones may never have been printed.
            #expect(gone.count <= full, "seed \(seed): \(gone.count) lost, \(ledger)")
            #expect(sides.dropped["journal_full", default: 0] == ledger.dropped["journal_full", default: 0])
            #expect(ledger.droppedTotal - UInt64(full) <= UInt64(story.lives), "seed \(seed): \(ledger)")
            // `record` never rejects new events to keep old ones.
            let turnedAway = story.events.filter { $0.refusal != nil }
            #expect(turnedAway.isEmpty, "seed \(seed): \(turnedAway.count) new events rejected")
            for (life, events) in Dictionary(grouping: story.kept, by: \.life) {
                let stayed = Self.stayedBeforeYounger(events, arrivals)
                #expect(stayed <= 750, "seed \(seed), life \(life): \(stayed) kept although newer ones were dropped")
            }
            let newest = story.kept.filter { $0.life == story.lives - 1 }.sorted { $0.sequence < $1.sequence }.suffix(
                200
            )
            #expect(arrivals.missing(of: Array(newest)).isEmpty, "seed \(seed): the newest events are lost")
            return .count(
                story,
                arrivals,
                must: [],
                others: ["overflowed": full, "turned away": turnedAway.count]
            )
        }
    }

    /// Returns the number of events that were kept although a newer one of the same process was dropped.
    ///
    /// An event that is being sent when the space runs out is never dropped, and neither is its segment: one megabyte,
    /// about 600 of these events.
    private static func stayedBeforeYounger(_ events: [Story.Event], _ arrivals: Arrivals) -> Int {
        let events = events.sorted { $0.sequence < $1.sequence }
        guard let last = events.lastIndex(where: { arrivals.counts[$0.key] == nil }) else { return 0 }
        return events[..<last].count { arrivals.counts[$0.key] != nil }
    }
}
