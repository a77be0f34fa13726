// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorStore
internal import Testing
internal import TrackwayEvents

@Suite("The ledger")
struct LedgerTests {
    /// What becomes of each number, kept the simplest way there is.
    struct Model {
        var recorded: UInt64 = 0
        var received: Set<UInt64> = []
        var rejected: Set<UInt64> = []
        var dropped: [UInt64: Set<String>] = [:]
        var skipped: Set<UInt64> = []

        func state(of number: UInt64) -> String {
            if received.contains(number) { return "received" }
            if rejected.contains(number) { return "rejected" }
            if let reason = dropped[number]?.min() { return reason }
            return skipped.contains(number) ? "skipped" : "missing"
        }

        func count(_ state: String) -> UInt64 {
            recorded == 0 ? 0 : UInt64((1...recorded).filter { self.state(of: $0) == state }.count)
        }
    }

    @Test(
        "batches in any order, lost, repeated and overlapping: the row is what a naive count gives",
        arguments: UInt64(1)...25
    )
    func model(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let environment = try IndexEnvironment(eventsPerStep: 20)
        var model = Model()
        for _ in 0..<generator.number(1...40) {
            let batch = Self.batch(&generator, &model)
            for _ in 0..<(generator.chance(4) ? 2 : 1) { try environment.append(batch) }
            if generator.chance(5) { try await environment.index() }
        }
        try await environment.index()
        let row = try #require(await environment.row())
        #expect(row.recorded == model.recorded)
        #expect(row.received == model.count("received"))
        #expect(row.rejected == model.count("rejected"))
        #expect(row.skipped == model.count("skipped"))
        for reason in ["expired", "journal_full"] {
            #expect(row.dropped[reason] ?? 0 == model.count(reason))
        }
        let missing = row.gaps.flatMap(Array.init)
        #expect(
            missing == (1...max(1, model.recorded)).filter { $0 <= model.recorded && model.state(of: $0) == "missing" }
        )
        let counted = row.received + row.rejected + row.skipped + row.dropped.values.reduce(0, +)
        #expect(counted + UInt64(missing.count) == row.recorded)
        #expect(try await environment.store.count(matching: EventQuery()) == Int(row.received))
    }

    /// A random batch of up to ten numbers below eighty, entered into the model as well.
    private static func batch(_ generator: inout SeededGenerator, _ model: inout Model) -> Batch {
        let first = UInt64(generator.number(1...70))
        let last = first + UInt64(generator.number(0...9))
        var batch = Batch(1, 1, first...last)
        batch.recorded = last + UInt64(generator.chance(3) ? generator.number(0...20) : 0)
        model.recorded = max(model.recorded, batch.recorded ?? 0)
        var holes: Set<UInt64> = []
        for _ in 0..<generator.number(0...2) {
            let from = first + UInt64(generator.number(0...9))
            guard from <= last else { continue }
            let range = from...min(last, from + UInt64(generator.number(0...2)))
            holes.formUnion(range)
            if generator.chance(2) {
                batch.skipped.append(range)
                model.skipped.formUnion(range)
            } else {
                let reason = generator.chance(2) ? "expired" : "journal_full"
                batch.dropped.append((range, reason))
                for number in range { model.dropped[number, default: []].insert(reason) }
            }
        }
        for (index, number) in (first...last).filter({ !holes.contains($0) }).enumerated() {
            batch.lines.append(line(number))
            if generator.chance(8) {
                batch.rejected.append((index, "name_missing"))
                model.rejected.insert(number)
            } else {
                model.received.insert(number)
            }
        }
        return batch
    }

    @Test("an event the device gave up after all counts as received when it has arrived")
    func arrivedAndDropped() async throws {
        let environment = try IndexEnvironment()
        var first = Batch(1, 1, 1...3)
        first.lines = [line(1), line(2), line(3)]
        var second = Batch(1, 1, 4...4)
        second.dropped = [(2...2, "journal_full")]
        second.lines = [line(4)]
        try environment.append(first)
        try environment.append(second)
        try await environment.index()
        let row = try #require(await environment.row())
        #expect(row.received == 4)
        #expect(row.dropped.isEmpty)
        #expect(row.gaps.isEmpty)
    }

    @Test("numbers at the end of the range neither trap nor wrap, and are not believed")
    func enormous() async throws {
        let environment = try IndexEnvironment()
        let most = UInt64(Int64.max)
        var batch = Batch(1, 1, (most - 1)...most)
        batch.dropped = [(1...most - 2, "expired")]
        batch.lines = [line(1), line(2)]
        try environment.append(batch)
        try await environment.index()
        let row = try #require(await environment.row())
        #expect(row.recorded == 0 && row.received == 0)
        #expect(row.gaps.isEmpty)
        #expect(try await environment.all().count == 2)
    }

    @Test("a batch sent twice adds duplicates and changes nothing else")
    func duplicates() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...4)
        batch.lines = (1...4).map { line($0) }
        batch.rejected = [(1, "name_missing")]
        try environment.append(batch)
        try environment.append(batch)
        try await environment.index()
        let row = try #require(await environment.row())
        #expect(row.received == 3)
        #expect(row.duplicates == 3)
        #expect(row.rejected == 1)
        #expect(try await environment.store.failed(before: nil, limit: 10).count == 1)
        let totals = try await environment.store.totals()
        #expect(totals == StoreTotals(events: 3, installations: 1, failed: 1, duplicates: 3))
    }

    @Test("each process of an installation has its own account, the one heard of last first")
    func writers() async throws {
        let environment = try IndexEnvironment()
        for writer in UInt64(1)...3 {
            var batch = Batch(7, writer, 1...2)
            batch.lines = [line(writer * 10), line(writer * 10 + 1)]
            batch.received += Int64(writer)
            try environment.append(batch)
        }
        var other = Batch(8, 9, 1...1)
        other.lines = [line(99)]
        try environment.append(other)
        try await environment.index()
        let rows = try await environment.store.ledger(installation: .numbered(7))
        #expect(rows.map(\.writer) == [.numbered(3), .numbered(2), .numbered(1)])
        #expect(rows.allSatisfy { $0.received == 2 && $0.gaps.isEmpty })
        #expect(try await environment.store.ledger(installation: nil).count == 4)
        #expect(try await environment.store.ledger(installation: .numbered(5)).isEmpty)
    }
}
