// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable import CollectorJetStream

@Suite("Warnings while a cluster accepts records")
struct EngineWarningTests {
    private static func facts(_ storages: [MemberReport.Storage?], unreachable: Set<Int> = [], offsets: [Int] = [])
        -> ClusterFacts
    {
        var stream = StreamFacts(name: "INTAKE_0")
        stream.leader = "n0"
        stream.replicas = (1..<storages.count).map { .init(name: "n\($0)", isOffline: unreachable.contains($0)) }
        let reports = storages.enumerated().compactMap { number, storage -> MemberReport? in
            guard let storage else { return nil }
            var report = MemberReport(name: "n\(number)", storage: storage)
            if !offsets.isEmpty { report.clockOffset = .seconds(offsets[number]) }
            return report
        }
        return ClusterFacts(stream: stream, reports: reports)
    }

    @Test(
        arguments: [
            ([.syncsAlways, .syncsAlways, .syncsAlways], [], []),
            (
                [.syncsAlways, .syncsAlways, .off], [],
                ["Server n2 stores nothing; losing another server stops intake. JetStream is off there"]
            ),
            (
                [.syncsAlways, .syncsAlways, nil], [2],
                ["Server n2 is unreachable; losing another server stops intake. Check its connections"]
            ),
            // It is running but did not report, which becomes a fault if it lasts.
            ([.syncsAlways, .syncsAlways, nil], [], []), ([.syncsAlways, .syncsLater, .syncsAlways], [], []),
        ] as [([MemberReport.Storage?], Set<Int>, [String])]
    )
    func `each lost server causes a warning with a fix, and makes a durable cluster degraded`(
        storages: [MemberReport.Storage?],
        unreachable: Set<Int>,
        expected: [String]
    ) {
        let report = ClusterReport([Self.facts(storages, unreachable: unreachable)], faults: nil)
        #expect(report.warnings.count == expected.count && report.isDegraded == !expected.isEmpty)
        for (sentence, prefix) in zip(report.warnings, expected) {
            #expect(sentence.hasPrefix(prefix), "\(sentence)")
        }
        let broken = ClusterReport([Self.facts(storages, unreachable: unreachable)], faults: ["The stream is gone."])
        #expect(!broken.isDegraded && !broken.isDurable)
    }

    @Test
    func `a server has one state across all its streams`() {
        let nodes = ClusterReport.nodes([
            Self.facts([.syncsAlways, .syncsLater, .off]),
            Self.facts([.syncsAlways, .syncsLater, nil], unreachable: [2]),
        ])
        #expect(nodes.map(\.name) == ["n0", "n1", "n2"] && nodes.map(\.leads) == [2, 0, 0])
        #expect(nodes.map(\.state) == [.proven, .notSynced, .off])
        #expect(nodes.map(\.syncsAlways) == [true, false, nil] && nodes.allSatisfy { !$0.isUnreachable })
        let states = ClusterReport.nodes([Self.facts([.syncsAlways, nil, nil], unreachable: [2])]).map(\.state)
        #expect(states == [.proven, .unknown, .unreachable])
    }

    @Test(
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
    func `a wrong clock is reported for this machine if most servers differ from it, otherwise for the server`(
        offsets: [Int],
        expected: [String]
    ) {
        let facts = Self.facts([.syncsAlways, .syncsAlways, .syncsAlways], offsets: offsets)
        let report = ClusterReport([facts], faults: nil)
        #expect(report.warnings.count == expected.count, "\(report.warnings)")
        for (sentence, prefix) in zip(report.warnings, expected) {
            #expect(sentence.hasPrefix(prefix) && sentence.contains("NTP"), "\(sentence)")
        }
        #expect(EngineWarning.clockOffset(facts.reports) == .seconds(offsets.sorted()[1]))
    }

    @Test
    func `clocks are not reported without a comparison`() {
        let facts = Self.facts([.syncsAlways, .syncsAlways, .syncsAlways])
        #expect(EngineWarning.clockOffset(facts.reports) == nil && ClusterReport([facts], faults: nil).warnings.isEmpty)
    }

    @Test
    func `a warning is reported once, even if its values change, and its end is reported, too`() {
        var changes = WarningChanges()
        let first = changes.update(with: [.storageDisabled(server: "n2"), .clock(.seconds(60))])
        #expect(first.raised.count == 2 && first.resolved.isEmpty)
        let same = changes.update(with: [.storageDisabled(server: "n2"), .clock(.seconds(61))])
        #expect(same.raised.isEmpty && same.resolved.isEmpty)
        // It is restarting.
        let next = changes.update(with: [.unreachable(server: "n2"), .clock(.seconds(61))])
        #expect(next.raised.count == 1 && next.resolved.count == 1)
        let last = changes.update(with: [])
        #expect(last.raised.isEmpty)
        #expect(
            last.resolved == [
                "Server n2 is reachable again.",
                "The clock of this machine agrees with the NATS servers' clocks again.",
            ]
        )
    }
}
