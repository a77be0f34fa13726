// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing
internal import TrackwayEvents
internal import TrackwayWire

/// Processes are killed while they erase their installation.
@Suite("Kills during erasure")
struct EraseKillTests {
    @Test(
        "erased events never arrive after the tombstone, later events are kept, and no erasure stays partial",
        .timeLimit(.minutes(60))
    )
    func erasing() throws {
        let collector = try Collector()
        try StoryTally.trials("inside erase") { seed in
            let server = try FlakyServer(before: collector.port) { _ in .forward }
            var lives = try Lives(seed: seed, to: server.url)
            for _ in 0..<5 {
                // In some trials another thread records in parallel.
                let threads =
                    Bool.random(using: &lives.chance) ? ["--threads", "1", "--rate", "2000", "--alongside"] : []
                let moment = lives.moment(upTo: 100_000)
                try lives.live(
                    threads,
                    ["record 20 100", "erase", "record 20 100", "erase", "record 5"],
                    killedAt: .order(Bool.random(using: &lives.chance) ? 1 : 3, moment)
                )
            }
            let (installation, ledgers) = try lives.end([], ["record 3"])
            let story = lives.story
            let sides = try LedgerComparison(
                collector,
                installation: installation,
                ledger: try #require(ledgers["collector"])
            )
            let tombstones = Traffic(server.received)
            sides.expectComplete(tombstones: tombstones.told(by: installation))

            let erasings = story.orders.filter { $0.words == ["erase"] }
            let must = story.kept.filter { event in erasings.allSatisfy { $0.isOver(by: event.span.lowerBound) } }
            // A completed `erase` guarantees that everything recorded before is erased.
            let erased = story.kept.filter { event in
                erasings.contains { $0.isDone && $0.began >= event.span.upperBound }
            }
            for former in Set(story.installations.dropLast()) {
                #expect(tombstones.erased.contains(former), "seed \(seed): no tombstone for \(former)")
                let rows = try collector.rows(of: former)
                #expect(rows.isEmpty, "seed \(seed): \(rows.count) rows of \(former) remain")
            }
            if !tombstones.late.isEmpty {
                Issue.record(
                    "seed \(seed): \(tombstones.late.count) events arrived after the tombstone of their installation"
                )
            }
            var tally = StoryTally.count(story, Arrivals(sides.rows), must: must, mustNot: erased)
            tally.others = [
                "erased": erased.count, "completed erasures": story.erasings.count,
                "interrupted erasures": erasings.count { !$0.isDone },
            ]
            return tally
        }
    }

    /// The traffic to the collector, in its order.
    private struct Traffic {
        /// The installations named by a tombstone.
        private(set) var erased: Set<String> = []
        /// Events that arrived after their installation was erased.
        private(set) var late: [String] = []
        /// The tombstones by the sending installation; one may be sent several times.
        private var ids: [String: Set<String>] = [:]

        /// The number of tombstones from an installation.
        func told(by installation: String) -> Int { ids[installation]?.count ?? 0 }

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
                        if let former = value["attributes"]?["installation"]?.string { erased.insert(former) }
                        if let id = value["id"]?.string { ids[installation, default: []].insert(id) }
                    } else if value["name"] != nil, erased.contains(installation) {
                        late.append(installation)
                    }
                }
            }
        }
    }
}
