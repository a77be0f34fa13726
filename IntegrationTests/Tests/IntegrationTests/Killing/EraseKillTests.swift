// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

/// Processes are killed while they erase their installation.
@Suite("Kills during erasure")
struct EraseKillTests {
    @Test(.timeLimit(.minutes(60)))
    func `erased events never arrive after the tombstone, later events are kept, and no erasure is partial`() throws {
        let collector = try Collector()
        try KillResult.trials("inside erase") { seed in
            let server = try FlakyServer(before: collector.port) { _ in .forward }
            var scenario = try KillScenario(seed: seed, to: server.url)
            for _ in 0..<5 {
                // In some trials another thread records in parallel.
                let threads =
                    Bool.random(using: &scenario.random) ? ["--threads", "1", "--rate", "2000", "--alongside"] : []
                let delay = scenario.randomDelay(upTo: 100_000)
                try scenario.runAndKill(
                    threads,
                    ["record 20 100", "erase", "record 20 100", "erase", "record 5"],
                    killedAt: .afterCommand(Bool.random(using: &scenario.random) ? 1 : 3, delay)
                )
            }
            let (installation, ledgers) = try scenario.finish([], ["record 3"])
            let timeline = scenario.timeline
            let comparison = try LedgerComparison(
                collector,
                installation: installation,
                ledger: try #require(ledgers["collector"])
            )
            let tombstones = Traffic(server.received)
            comparison.expectComplete(tombstones: tombstones.tombstoneCount(from: installation))

            let erasures = timeline.commands.filter { $0.words == ["erase"] }
            let expected = timeline.survivingEvents.filter { event in
                erasures.allSatisfy { $0.hasEnded(by: event.span.lowerBound) }
            }
            // A completed `erase` guarantees that everything recorded before is erased.
            let erased = timeline.survivingEvents.filter { event in
                erasures.contains { $0.isCompleted && $0.started >= event.span.upperBound }
            }
            for erasedID in Set(timeline.installations.dropLast()) {
                #expect(tombstones.erased.contains(erasedID), "seed \(seed): no tombstone for \(erasedID)")
                let rows = try collector.rows(of: erasedID)
                #expect(rows.isEmpty, "seed \(seed): \(rows.count) rows of \(erasedID) remain")
            }
            if !tombstones.lateEvents.isEmpty {
                Issue.record(
                    "seed \(seed): \(tombstones.lateEvents.count) events arrived after the tombstone of their installation"
                )
            }
            var tally = KillResult.count(timeline, Arrivals(comparison.rows), expected: expected, unexpected: erased)
            tally.others = [
                "erased": erased.count, "completed erasures": timeline.erasures.count,
                "interrupted erasures": erasures.count { !$0.isCompleted },
            ]
            return tally
        }
    }

    /// The traffic to the collector, in its order.
    private struct Traffic {
        /// The installations named by a tombstone.
        private(set) var erased: Set<String> = []
        /// Events that arrived after their installation was erased.
        private(set) var lateEvents: [String] = []
        /// The tombstones by the sending installation; one may be sent several times.
        private var ids: [String: Set<String>] = [:]

        /// The number of tombstones from an installation.
        func tombstoneCount(from installation: String) -> Int { ids[installation]?.count ?? 0 }

        init(_ requests: [FlakyServer.Request]) {
            for request in requests {
                // Requests that are not batches contain no events.
                guard let body = try? Gzip.inflate(request.message.body) else { continue }
                var installation = ""
                for line in body.split(separator: UInt8(ascii: "\n")) {
                    guard let value = try? JSONValue.parse(Array(line)) else { continue }
                    if let batch = value["batch"] {
                        installation = batch["installation"]?.string ?? ""
                    } else if value["name"]?.string == "_installation_erased" {
                        if let erasedID = value["attributes"]?["installation"]?.string { erased.insert(erasedID) }
                        if let id = value["id"]?.string { ids[installation, default: []].insert(id) }
                    } else if value["name"] != nil, erased.contains(installation) {
                        lateEvents.append(installation)
                    }
                }
            }
        }
    }
}
