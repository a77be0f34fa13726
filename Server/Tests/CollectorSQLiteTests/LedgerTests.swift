// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore

@testable import CollectorSQLite

@Suite("The ledger")
struct LedgerTests {
    /// A naive model of the state of each number.
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

    @Test(arguments: UInt64(1)...25)
    func `batches in any order, lost, repeated and overlapping, produce the same row as a naive count`(seed: UInt64)
        async throws
    {
        var generator = SeededGenerator(seed: seed)
        let environment = try IndexEnvironment(eventsPerStep: 20)
        var model = Model()
        for _ in 0..<generator.number(1...40) {
            let batch = Self.batch(&generator, &model)
            for _ in 0..<(generator.oneIn(4) ? 2 : 1) { try environment.append(batch) }
            if generator.oneIn(5) { try await environment.index() }
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

    /// Returns a random batch, and adds it to the model.
    ///
    /// It has up to ten numbers below eighty.
    private static func batch(_ generator: inout SeededGenerator, _ model: inout Model) -> Batch {
        let first = UInt64(generator.number(1...70))
        let last = first + UInt64(generator.number(0...9))
        var batch = Batch(1, 1, first...last)
        batch.recorded = last + UInt64(generator.oneIn(3) ? generator.number(0...20) : 0)
        model.recorded = max(model.recorded, batch.recorded ?? 0)
        var holes: Set<UInt64> = []
        for _ in 0..<generator.number(0...2) {
            let from = first + UInt64(generator.number(0...9))
            guard from <= last else { continue }
            let range = from...min(last, from + UInt64(generator.number(0...2)))
            holes.formUnion(range)
            if generator.oneIn(2) {
                batch.skipped.append(range)
                model.skipped.formUnion(range)
            } else {
                let reason = generator.oneIn(2) ? "expired" : "journal_full"
                batch.dropped.append((range, reason))
                for number in range { model.dropped[number, default: []].insert(reason) }
            }
        }
        for (index, number) in (first...last).filter({ !holes.contains($0) }).enumerated() {
            batch.lines.append(line(number))
            if generator.oneIn(8) {
                batch.rejected.append((index, "name_missing"))
                model.rejected.insert(number)
            } else {
                model.received.insert(number)
            }
        }
        return batch
    }

    @Test
    func `an event that the device dropped but that still arrived counts as received`() async throws {
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

    @Test
    func `numbers at the end of the range neither trap nor overflow, and are ignored`() async throws {
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

    @Test
    func `a batch sent again only adds to the count of duplicates`() async throws {
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

    @Test
    func `each process of an installation has a separate account, listed by most recent activity`() async throws {
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

    @Test(arguments: UInt64(1)...40)
    func `a number counts once, regardless of how many of a writer's ranges and reasons include it`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var account = WriterAccount()
        var model = Model()
        account.recorded = UInt64(generator.number(1...90))
        model.recorded = account.recorded
        for _ in 0..<generator.number(0...40) {
            let first = UInt64(generator.number(1...80))
            let range = first...(first + UInt64(generator.number(0...9)))
            switch generator.number(0...3) {
            case 0:
                account.received.insert(range)
                model.received.formUnion(range)
            case 1:
                account.rejected.insert(range)
                model.rejected.formUnion(range)
            case 2:
                account.skipped.insert(range)
                model.skipped.formUnion(range)
            default:
                let reason = "r\(generator.number(0...9))"
                account.dropped[reason, default: SequenceRanges()].insert(range)
                for number in range { model.dropped[number, default: []].insert(reason) }
            }
        }
        let totals = account.totals()
        // Reports about numbers beyond the last one also count.
        let last = max(model.recorded, 90)
        func count(_ state: String) -> UInt64 { UInt64((1...last).filter { model.state(of: $0) == state }.count) }
        #expect(totals.received == count("received") && totals.rejected == count("rejected"))
        #expect(totals.skipped == count("skipped"))
        for number in 0...9 { #expect(totals.dropped["r\(number)"] ?? 0 == count("r\(number)")) }
        let missing = (1...model.recorded).filter { model.state(of: $0) == "missing" }
        #expect(totals.gaps.flatMap(Array.init) == missing && totals.missing == UInt64(missing.count))
    }

    @Test(.timeLimit(.minutes(1)))
    func `an account of a hundred thousand ranges with as many reasons is computed quickly`() {
        var account = WriterAccount()
        account.recorded = 400_000
        for number in UInt64(0)..<100_000 {
            account.insert(first: number * 4 + 1, last: number * 4 + 1, .received, reason: "")
            account.insert(first: number * 4 + 2, last: number * 4 + 2, .dropped, reason: "reason_\(number)")
            account.insert(first: number * 4 + 3, last: number * 4 + 3, .skipped, reason: "")
        }
        let totals = account.totals()
        #expect(totals.received == 100_000 && totals.skipped == 100_000 && totals.missing == 100_000)
        #expect(totals.dropped.count == 100_000 && totals.gaps.count == WriterAccount.maxGaps)
        #expect(account.rangeCount == 300_000)
        // The ranges of the two sets alternate.
        var (left, right) = (SequenceRanges(), SequenceRanges())
        for number in UInt64(0)..<200_000 {
            left.insert(number * 10...number * 10)
            right.insert(number * 10 + 5...number * 10 + 5)
        }
        right.formUnion(left)
        #expect(right.ranges.count == 400_000)
    }

    @Test
    func `a writer with more ranges than the maximum reports it, and its other numbers stay correct`() throws {
        let queue = try DatabaseQueue()
        try IndexSchema.migrator.migrate(queue)
        try queue.write { db in
            try db.execute(sql: "INSERT INTO installations (number, id) VALUES (1, x'00')")
            try db.execute(sql: "INSERT INTO writers (number, installation, id) VALUES (1, 1, x'00'), (2, 1, x'01')")
            for writer in Int64(1)...2 {
                let table = try RangeTable(db, maxRanges: 10)
                for number in UInt64(1)...(writer == 1 ? 20 : 5) {
                    try table.merge(number * 2...number * 2, writer: writer, kind: .dropped, reason: "r\(number % 3)")
                }
                try table.flush()
            }
            // Another transaction continues from the stored counts.
            let table = try RangeTable(db, maxRanges: 10)
            try table.merge(1...5, writer: 1, kind: .received)
            try table.merge(4...6, writer: 2, kind: .received)
            try table.merge(3...3, writer: 2, kind: .received)
            try table.flush()
            let rows = try Int.fetchAll(db, sql: "SELECT count(*) FROM ranges GROUP BY writer ORDER BY writer")
            #expect(rows == [11, 6])
            #expect(try Int.fetchAll(db, sql: "SELECT ranges FROM writers ORDER BY number") == [10, 6])
            let untracked = try Row.fetchAll(db, sql: "SELECT writer, first, last FROM ranges WHERE kind = 4")
            #expect(untracked.map { [$0[0], $0[1], $0[2]] as [Int64] } == [[1, 1, 40]])
        }
        var account = WriterAccount()
        account.recorded = 50
        account.insert(first: 2, last: 2, .dropped, reason: "expired")
        account.insert(first: 1, last: 40, .untracked, reason: "")
        let totals = account.totals()
        #expect(totals.dropped == ["expired": 1] && totals.untracked == 39 && totals.gaps == [41...50])
        let row = LedgerRow(
            installation: .numbered(1),
            writer: .numbered(1),
            account,
            duplicates: 0,
            lastReceived: Timestamp(milliseconds: 0),
            number: 1
        )
        #expect(!row.isComplete && row.untracked == 39)
        var summary = LedgerSummary(writers: 1)
        summary.add(row)
        #expect(summary.untracked == 39 && summary.complete == 0)
    }

    @Test
    func `a summary distinguishes a limited number of reasons, and counts all of them`() {
        var summary = LedgerSummary(writers: 300)
        for number in 0..<300 {
            summary.add(
                LedgerRow(
                    installation: .numbered(1),
                    writer: .numbered(UInt64(number)),
                    recorded: 1,
                    received: 0,
                    dropped: ["reason_\(number)": 1],
                    lastReceived: Timestamp(milliseconds: 0)
                )
            )
        }
        #expect(summary.dropped.count == LedgerSummary.maxReasons + 1)
        #expect(summary.dropped.values.reduce(0, +) == 300 && summary.dropped[LedgerSummary.otherReasons] == 236)
    }
}
