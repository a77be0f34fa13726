// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorStore
internal import Testing
internal import TrackwayEvents

@Suite("Erased installations")
struct ErasureTests {
    private static func world(tombstone: String?) throws -> IndexWorld {
        let world = try IndexWorld()
        for installation in UInt64(1)...2 {
            var batch = Batch(installation, installation, 1...5)
            batch.lines = ["{\"context\":{\"user\":{\"id\":\"user-\(installation)\"}}}"]
            batch.lines += (1...5).map { line(installation * 100 + $0, "view") }
            batch.rejected = [(2, "name_missing")]
            try world.append(batch)
            try world.append(batch)
        }
        if let tombstone {
            var batch = Batch(1, 1, 6...8)
            batch.lines = [line(106), tombstone, line(108)]
            try world.append(batch)
            var late = Batch(1, 3, 1...1)
            late.lines = [line(109)]
            try world.append(late)
        }
        return world
    }

    @Test("a tombstone takes every trace with it, and nothing of the installation is taken again")
    func erased() async throws {
        let world = try Self.world(tombstone: line(107, "_installation_erased"))
        try await world.index()
        let events = try await world.all()
        #expect(events.count == 4)
        #expect(events.allSatisfy { $0.installation == .numbered(2) })
        #expect(try await world.store.ledger(installation: nil).map(\.installation) == [.numbered(2)])
        #expect(try await world.store.failed(before: nil, limit: 9).count == 1)
        #expect(try await world.store.minutes(since: Timestamp(milliseconds: 0)).first?.names == ["view": 4])
        #expect(try await world.store.totals() == StoreTotals(events: 4, installations: 1, failed: 1, duplicates: 4))
        #expect(try !world.dump().contains { $0.contains("user-1") })
        var other = EventQuery()
        other.user = "user-1"
        #expect(try await world.store.count(matching: other) == 0)
    }

    @Test("a rebuild does not bring an erased installation back, not even on the way, with the mark or without it")
    func rebuilt() async throws {
        let world = try Self.world(tombstone: line(107, "_installation_erased"))
        try await world.index()
        let before = try world.dump()
        try await world.indexer.rebuild()
        while try await world.indexer.step() == .advanced {
            #expect(try await world.all().allSatisfy { $0.installation == .numbered(2) })
        }
        #expect(
            try world.dump().filter { !$0.hasPrefix("installations") }
                == before.filter { !$0.hasPrefix("installations") }
        )
        #expect(try await world.store.totals().installations == 1)
    }

    @Test("one installation can erase another: a new identity takes back the old one")
    func erasedByAnother() async throws {
        let world = try Self.world(tombstone: nil)
        var batch = Batch(3, 7, 1...1)
        let old = InstallationID.numbered(1)
        batch.lines = [line(301, "_installation_erased", attributes: "{\"installation\":\"\(old)\"}")]
        try world.append(batch)
        try await world.index()
        #expect(try await world.all().allSatisfy { $0.installation == .numbered(2) })
        #expect(try await world.row(7)?.recorded == 1)
    }
}
