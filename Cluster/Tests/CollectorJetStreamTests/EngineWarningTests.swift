// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Testing
internal import TrackwayEvents

@testable import CollectorJetStream

@Suite("Warnings while a cluster accepts records")
struct EngineWarningTests {
    private static func facts(_ storages: [MemberReport.Storage?], gone: Set<Int> = [], offsets: [Int] = [])
        -> ClusterFacts
    {
        var stream = StreamFacts(name: "INTAKE_0")
        stream.leader = "n0"
        stream.replicas = (1..<storages.count).map { .init(name: "n\($0)", isOffline: gone.contains($0)) }
        let reports = storages.enumerated().compactMap { number, storage -> MemberReport? in
            guard let storage else { return nil }
            var report = MemberReport(name: "n\(number)", storage: storage)
            if !offsets.isEmpty { report.clockOffset = .seconds(offsets[number]) }
            return report
        }
        return ClusterFacts(stream: stream, reports: reports)
    }

    @Test(
        "each lost server causes a warning with a fix, and makes a durable cluster degraded",
        arguments: [
            ([.syncsAlways, .syncsAlways, .syncsAlways], [], []),
            (
                [.syncsAlways, .syncsAlways, .off], [],
                ["Server n2 stores nothing; losing one more stops intake. JetStream is off there"]
            ),
            (
                [.syncsAlways, .syncsAlways, nil], [2],
                ["Server n2 is unreachable; losing one more stops intake. Check its connections"]
            ),
            // It is running but did not report, which becomes a fault if it lasts.
            ([.syncsAlways, .syncsAlways, nil], [], []), ([.syncsAlways, .syncsLater, .syncsAlways], [], []),
        ] as [([MemberReport.Storage?], Set<Int>, [String])]
    )
    func servers(storages: [MemberReport.Storage?], gone: Set<Int>, expected: [String]) {
        let report = ClusterReport([Self.facts(storages, gone: gone)], faults: nil)
        #expect(report.warnings.count == expected.count && report.isDegraded == !expected.isEmpty)
        for (sentence, beginning) in zip(report.warnings, expected) {
            #expect(sentence.hasPrefix(beginning), "\(sentence)")
        }
        let broken = ClusterReport([Self.facts(storages, gone: gone)], faults: ["The stream is gone."])
        #expect(!broken.isDegraded && !broken.isDurable)
    }

    @Test("a server has one state across all its streams")
    func states() {
        let nodes = ClusterReport.nodes([
            Self.facts([.syncsAlways, .syncsLater, .off]), Self.facts([.syncsAlways, .syncsLater, nil], gone: [2]),
        ])
        #expect(nodes.map(\.name) == ["n0", "n1", "n2"] && nodes.map(\.leads) == [2, 0, 0])
        #expect(nodes.map(\.state) == [.proven, .notSynced, .off])
        #expect(nodes.map(\.syncsAlways) == [true, false, nil] && nodes.allSatisfy { !$0.isGone })
        let states = ClusterReport.nodes([Self.facts([.syncsAlways, nil, nil], gone: [2])]).map(\.state)
        #expect(states == [.proven, .unknown, .gone])
    }

    @Test(
        "a wrong clock is reported for this machine if most servers differ from it, otherwise for the server",
        arguments: [
            ([0, 0, 0], []), ([5, -5, 0], []),
            ([3_600, 3_601, 3_599], ["The clock of this machine is 3600 s ahead of"]),
            ([-90, -90, -90], ["The clock of this machine is 90 s behind"]),
            ([0, 0, 3_600], ["The clock of server n2 is 3600 s behind"]),
            ([-60, 0, 0], ["The clock of server n0 is 60 s ahead of"]),
            (
                [100, 100, 0],
                ["The clock of this machine is 100 s ahead of", "The clock of server n2 is 100 s ahead of"]
            ),
        ] as [([Int], [String])]
    )
    func clocks(offsets: [Int], expected: [String]) {
        let facts = Self.facts([.syncsAlways, .syncsAlways, .syncsAlways], offsets: offsets)
        let report = ClusterReport([facts], faults: nil)
        #expect(report.warnings.count == expected.count, "\(report.warnings)")
        for (sentence, beginning) in zip(report.warnings, expected) {
            #expect(sentence.hasPrefix(beginning) && sentence.contains("NTP"), "\(sentence)")
        }
        #expect(EngineWarning.clockOffset(facts.reports) == .seconds(offsets.sorted()[1]))
    }

    @Test("clocks are not reported without a comparison")
    func noClocks() {
        let facts = Self.facts([.syncsAlways, .syncsAlways, .syncsAlways])
        #expect(EngineWarning.clockOffset(facts.reports) == nil && ClusterReport([facts], faults: nil).warnings.isEmpty)
    }

    @Test("a warning is reported once, even if its values change, and its end is reported, too")
    func news() {
        var news = WarningChanges()
        let first = news.see([.storesNothing(server: "n2"), .clock(.seconds(60))])
        #expect(first.worse.count == 2 && first.better.isEmpty)
        let same = news.see([.storesNothing(server: "n2"), .clock(.seconds(61))])
        #expect(same.worse.isEmpty && same.better.isEmpty)
        // It is restarting.
        let next = news.see([.gone(server: "n2"), .clock(.seconds(61))])
        #expect(next.worse.count == 1 && next.better.count == 1)
        let last = news.see([])
        #expect(last.worse.isEmpty)
        #expect(
            last.better == [
                "Server n2 is reachable again.",
                "The clock of this machine agrees with the NATS servers' clocks again.",
            ]
        )
    }
}
