// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// Processes are killed while the journal overflows because the server rejects all requests.
@Suite("Kills during journal overflow")
struct OverflowKillTests {
    @Test(.timeLimit(.minutes(60)))
    func `a full journal drops the oldest events and keeps the newest, and all counts survive kills`() throws {
        let collector = try Collector()
        try KillResult.trials("inside trimming") { seed in
            let server = try FlakyServer(before: collector.port) { _ in
                FlakyServer.collectorError(503, code: "overloaded")
            }
            var scenario = try KillScenario(seed: seed, to: server.url, ["--journal-bytes", "3000000"])
            for _ in 0..<4 {
                let count = 500 + scenario.randomDelay(upTo: 6_000)
                try scenario.runAndKill(
                    ["--threads", "2", "--alongside", "--bytes", "200", "3000", "--seed", "\(seed % 1_000_000)"],
                    killedAt: .afterLines("kept", count, scenario.randomDelay(upTo: 30_000))
                )
            }
            server.setReply { _ in .forward }
            let (installation, ledgers) = try scenario.finish()
            let timeline = scenario.timeline
            let ledger = try #require(ledgers["collector"])
            let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
            comparison.expectComplete()
            let arrivals = Arrivals(comparison.rows)

            let missing = arrivals.missing(of: timeline.survivingEvents)
            let full = Int(ledger.dropped["journal_full"] ?? 0)
            // Every lost event was counted; some counted events may never have been printed.
            #expect(missing.count <= full, "seed \(seed): \(missing.count) lost, \(ledger)")
            #expect(comparison.dropped["journal_full", default: 0] == ledger.dropped["journal_full", default: 0])
            #expect(ledger.droppedTotal - UInt64(full) <= UInt64(timeline.processCount), "seed \(seed): \(ledger)")
            // `record` never rejects new events to keep old ones.
            let rejected = timeline.events.filter { $0.dropReason != nil }
            #expect(rejected.isEmpty, "seed \(seed): \(rejected.count) new events rejected")
            for (process, events) in Dictionary(grouping: timeline.survivingEvents, by: \.process) {
                let keptCount = Self.keptBeforeNewerDropped(events, arrivals)
                #expect(
                    keptCount <= 750,
                    "seed \(seed), process \(process): \(keptCount) kept although newer ones were dropped"
                )
            }
            let newest = timeline.survivingEvents.filter { $0.process == timeline.processCount - 1 }.sorted {
                $0.sequence < $1.sequence
            }.suffix(
                200
            )
            #expect(arrivals.missing(of: Array(newest)).isEmpty, "seed \(seed): the newest events are lost")
            return .count(
                timeline,
                arrivals,
                expected: [],
                others: ["overflowed": full, "rejected": rejected.count]
            )
        }
    }

    /// Returns the number of events that were kept although a newer one of the same process was dropped.
    ///
    /// An event that is being sent when the space runs out is never dropped, and neither is its segment: one megabyte,
    /// about 600 of these events.
    private static func keptBeforeNewerDropped(_ events: [ProcessTimeline.Event], _ arrivals: Arrivals) -> Int {
        let events = events.sorted { $0.sequence < $1.sequence }
        guard let last = events.lastIndex(where: { arrivals.counts[$0.key] == nil }) else { return 0 }
        return events[..<last].count { arrivals.counts[$0.key] != nil }
    }
}
