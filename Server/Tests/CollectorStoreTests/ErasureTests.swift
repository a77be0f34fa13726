// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorStore
internal import Testing
internal import TrackwayEvents

@Suite("Erased installations")
struct ErasureTests {
    private static func environment(tombstone: String?) throws -> IndexEnvironment {
        let environment = try IndexEnvironment()
        for installation in UInt64(1)...2 {
            var batch = Batch(installation, installation, 1...5)
            batch.lines = ["{\"context\":{\"user\":{\"id\":\"user-\(installation)\"}}}"]
            batch.lines += (1...5).map { line(installation * 100 + $0, "view") }
            batch.rejected = [(2, "name_missing")]
            try environment.append(batch)
            try environment.append(batch)
        }
        if let tombstone {
            var batch = Batch(1, 1, 6...8)
            batch.lines = [line(106), tombstone, line(108)]
            try environment.append(batch)
            var late = Batch(1, 3, 1...1)
            late.lines = [line(109)]
            try environment.append(late)
        }
        return environment
    }

    @Test("a tombstone takes every trace with it, and nothing of the installation is taken again")
    func erased() async throws {
        let environment = try Self.environment(tombstone: erasedLine(107, of: .numbered(1)))
        try await environment.index()
        let events = try await environment.all()
        #expect(events.count == 4)
        #expect(events.allSatisfy { $0.installation == .numbered(2) })
        #expect(try await environment.store.ledger(installation: nil).map(\.installation) == [.numbered(2)])
        #expect(try await environment.store.failed(before: nil, limit: 9).count == 1)
        #expect(try await environment.store.minutes(since: Timestamp(milliseconds: 0)).first?.names == ["view": 4])
        let expected = StoreTotals(
            events: 4,
            installations: 1,
            failed: 1,
            duplicates: 4,
            erasedInstallations: 1,
            erasedEvents: 11
        )
        #expect(try await environment.store.totals() == expected)
        let erasure = try #require(try await environment.store.erasures(installation: nil, limit: 9).first)
        #expect(erasure.installation == .numbered(1) && erasure.events == 11 && !erasure.isByOperator)
        #expect(environment.store.isErased(.numbered(1)) && !environment.store.isErased(.numbered(2)))
        #expect(try !environment.dump().contains { $0.contains("user-1") })
        var other = EventQuery()
        other.user = "user-1"
        #expect(try await environment.store.count(matching: other) == 0)
    }

    @Test("a rebuild does not bring an erased installation back, not even on the way, with the mark or without it")
    func rebuilt() async throws {
        let environment = try Self.environment(tombstone: erasedLine(107, of: .numbered(1)))
        try await environment.index()
        let before = try environment.dump()
        try await environment.indexer.rebuild()
        while try await environment.indexer.step() == .advanced {
            #expect(try await environment.all().allSatisfy { $0.installation == .numbered(2) })
        }
        #expect(
            try environment.dump().filter { !$0.hasPrefix("installations") }
                == before.filter { !$0.hasPrefix("installations") }
        )
        #expect(try await environment.store.totals().installations == 1)
    }

    @Test("one installation can erase another: a new identity takes back the old one")
    func erasedByAnother() async throws {
        let environment = try Self.environment(tombstone: nil)
        var batch = Batch(3, 7, 1...1)
        let old = InstallationID.numbered(1)
        batch.lines = [erasedLine(301, of: old)]
        try environment.append(batch)
        try await environment.index()
        #expect(try await environment.all().allSatisfy { $0.installation == .numbered(2) })
        let row = try #require(try await environment.row(7))
        #expect(row.recorded == 1 && row.received == 1 && row.gaps.isEmpty)
    }

    struct Forgery: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sender: UInt64? = 3
        var line: String
        var format: String?
    }

    private static let victim = InstallationID.numbered(1)
    private static let named = #"{"installation":"\#(victim)"}"#

    static let forgeries: [Forgery] = [
        Forgery(testDescription: "no proof", line: line(301, "_installation_erased", attributes: named)),
        Forgery(
            testDescription: "no proof, claiming to be the installation",
            sender: 1,
            line: line(301, "_installation_erased", attributes: named)
        ),
        Forgery(testDescription: "no name, claiming to be it", sender: 1, line: line(301, "_installation_erased")),
        Forgery(testDescription: "nobody's", sender: nil, line: line(301, "_installation_erased", attributes: named)),
        Forgery(
            testDescription: "another's secret",
            line: erasedLine(301, of: victim, proof: InstallationSecret(high: 0, low: 2))
        ),
        Forgery(
            testDescription: "the identity for a secret",
            line: erasedLine(301, of: victim, proof: InstallationSecret(high: victim.high, low: victim.low))
        ),
        Forgery(
            testDescription: "an escaped name",
            line: line(301, "\\u005finstallation_erased", attributes: named)
        ),
        Forgery(testDescription: "Clickstream's, proved", line: erasedLine(301, of: victim), format: "clickstream"),
        Forgery(testDescription: "Sift's, proved", line: erasedLine(301, of: victim), format: "sift"),
        Forgery(
            testDescription: "Sensors Analytics', as the installation",
            sender: 1,
            line: line(301, "_installation_erased", attributes: named),
            format: "sensors_analytics"
        ),
    ]

    @Test(
        "a log that holds an erasing nobody proves erases nobody, now and when it is read again",
        arguments: forgeries
    )
    func forged(_ forgery: Forgery) async throws {
        let environment = try Self.environment(tombstone: nil)
        var batch = Batch(forgery.sender, 7, forgery.format == nil && forgery.sender != nil ? 1...1 : nil)
        batch.format = forgery.format
        batch.lines = [forgery.line]
        try environment.append(batch)
        for _ in 0..<2 {
            try await environment.index()
            #expect(try await environment.all().filter { $0.installation == .numbered(1) }.count == 4)
            #expect(!environment.store.isErased(.numbered(1)))
            #expect(try await environment.store.erasures(installation: nil, limit: 9).isEmpty)
            #expect(try await environment.store.failed(before: nil, limit: 1).map(\.code) == ["erasure_unproved"])
            if batch.first != nil {
                let row = try #require(try await environment.row(7))
                #expect(row.rejected == 1 && row.gaps.isEmpty)
            }
            try await environment.indexer.rebuild()
        }
    }

    @Test("an operator's order erases, also what arrives later; both are counted, and a new index knows them")
    func ordered() async throws {
        let environment = try Self.environment(tombstone: nil)
        let received = Timestamp(milliseconds: 1_700_000_000_500)
        let order = ErasureRecord(received: received, key: "desk", installation: .numbered(1))
        try environment.append(order.bytes, kind: .erasure)
        try environment.append(order.bytes, kind: .erasure)
        try environment.append(
            ErasureRecord(received: received, key: "dev", installation: .numbered(1), events: 3).bytes,
            kind: .erasedEvents
        )
        // Of an installation that nobody has erased it says nothing.
        try environment.append(
            ErasureRecord(received: received, key: "dev", installation: .numbered(2), events: 9).bytes,
            kind: .erasedEvents
        )
        try environment.append(Array("no JSON".utf8), kind: .erasure)
        try await environment.index()
        for _ in 0..<2 {
            let erasure = StoredErasure(
                installation: .numbered(1),
                time: received,
                key: "desk",
                isByOperator: true,
                events: 11
            )
            #expect(try await environment.store.erasures(installation: nil, limit: 9) == [erasure])
            #expect(try await environment.store.erasures(installation: .numbered(2), limit: 9).isEmpty)
            #expect(try await environment.all().allSatisfy { $0.installation == .numbered(2) })
            #expect(try await environment.store.failed(before: nil, limit: 1).map(\.code) == ["unreadable_record"])
            try await environment.indexer.rebuild()
            try environment.restart()
            #expect(environment.store.isErased(.numbered(1)))
            try await environment.index()
        }
    }
}
