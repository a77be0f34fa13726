// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore

@testable import CollectorSQLite

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

    @Test
    func `a tombstone deletes every trace of its installation, whose later events are rejected`() async throws {
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

    @Test
    func `a rebuild never restores an erased installation, not even temporarily`() async throws {
        let environment = try Self.environment(tombstone: erasedLine(107, of: .numbered(1)))
        try await environment.index()
        let before = try environment.dump()
        try await environment.indexer.rebuild()
        repeat {
            // Checked in the file, since the store answers no queries yet.
            #expect(try !environment.dump().contains { $0.contains("user-1") })
        } while try await environment.indexer.step() == .advanced
        #expect(
            try environment.dump().filter { !$0.hasPrefix("installations") }
                == before.filter { !$0.hasPrefix("installations") && !$0.hasPrefix("erasure_counts") }
        )
        #expect(try await environment.store.totals().installations == 1)
    }

    @Test
    func `one installation can erase another: a new identity deletes the old one`() async throws {
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

    @Test(arguments: [1, 500])
    func `erasing an installation without events records the erasure, and changes nothing else`(count: Int) async throws
    {
        let environment = try Self.environment(tombstone: nil)
        try await environment.index()
        let rows = {
            try environment.dump().filter { line in !Self.mayGrow.contains { line.hasPrefix($0) } }
        }
        let before = try rows()
        var batch = Batch(2, 2, 6...UInt64(5 + count))
        let strangers = (0..<count).map { InstallationSecret(high: 1, low: UInt64($0)) }
        let ids = strangers.map { $0.installation(at: Timestamp(milliseconds: 0x018B_CFE5_6800)) }
        batch.lines = (0..<count).map { erasedLine(1_000 + UInt64($0), of: ids[$0], proof: strangers[$0]) }
        try environment.append(batch)
        try await environment.index()
        #expect(try rows() == before)
        #expect(try await environment.store.totals().erasedInstallations == UInt64(count))
        #expect(ids.allSatisfy { environment.store.isErased($0) })
        let row = try #require(try await environment.row(2))
        #expect(row.received == UInt64(5 + count - 1) && row.rejected == 1 && row.gaps.isEmpty)
        // A later event of that installation is rejected.
        var late = Batch(nil, 9)
        late.installation = ids[0]
        late.writer = .numbered(9)
        (late.first, late.last, late.recorded) = (1, 1, 1)
        late.lines = [line(9_000)]
        try environment.append(late)
        try await environment.index()
        #expect(try await environment.all().allSatisfy { $0.installation != ids[0] })
        #expect(try await environment.store.totals().erasedEvents == 1)
    }

    /// The tables for the erasure record, the progress, and the sender's ledger.
    private static let mayGrow = ["installations", "erasures", "progress", "writers", "ranges", "sqlite_"]

    @Test(arguments: [1, 20_000])
    func `several erasures in one transaction give the same result as in separate transactions`(eventsPerStep: Int)
        async throws
    {
        let environment = try IndexEnvironment(eventsPerStep: eventsPerStep)
        for installation in UInt64(1)...6 {
            var batch = Batch(installation, installation, 1...4)
            batch.lines = ["{\"context\":{\"user\":{\"id\":\"user-\(installation % 4)\"}}}"]
            batch.lines += (1...4).map {
                line(installation * 100 + $0, "view_\($0 % 2)", time: 1_700_000_000_000 + Int64($0))
            }
            try environment.append(batch)
        }
        for erased in UInt64(1)...4 {
            var batch = Batch(7, 7, erased...erased)
            batch.lines = [erasedLine(700 + erased, of: .numbered(erased))]
            try environment.append(batch)
        }
        try await environment.index()
        #expect(Set(try await environment.all().compactMap(\.installation)) == [.numbered(5), .numbered(6)])
        #expect(
            try await environment.store.minutes(since: Timestamp(milliseconds: 0)).first?.names == [
                "view_0": 4, "view_1": 4,
            ]
        )
        for name in ["view_0", "view_1"] {
            var query = EventQuery()
            query.names = [name]
            #expect(try await environment.store.count(matching: query) == 4)
            #expect(try await environment.store.events(matching: query).count == 4)
        }
        let dump = try environment.dump()
        #expect(dump.filter { $0.hasPrefix("name_runs") }.count == 2)
        #expect(!dump.contains { $0.contains("user-3") || $0.contains("user-0") })
        #expect(dump.contains { $0.contains("user-1") } && dump.contains { $0.contains("user-2") })
    }

    @Test
    func `a user with many visits does not make an erasure slower, and loses the erased visit`() async throws {
        let environment = try IndexEnvironment()
        for number in 0..<(PeopleTable.maxVisits + 20) {
            var batch = Batch(1, 1)
            batch.installation = InstallationID(high: UInt64(number) << 16 | 7 << 12, low: 1 << 63)
            batch.writer = .numbered(UInt64(number))
            (batch.first, batch.last, batch.recorded) = (1, 1, 1)
            batch.lines = [
                #"{"context":{"user":{"id":"all"}}}"#, line(UInt64(number), time: 1_700_000_000_000 + Int64(number)),
            ]
            try environment.append(batch)
        }
        for installation in UInt64(1)...2 {
            var batch = Batch(installation, installation, 1...1)
            batch.lines = [
                #"{"context":{"user":{"id":"\#(installation == 1 ? "all" : "few")"}}}"#,
                line(5_000 + installation, time: 1_600_000_000_000),
            ]
            try environment.append(batch)
        }
        try await environment.index()
        var erasing = Batch(9, 9, 1...2)
        erasing.lines = [erasedLine(9_001, of: .numbered(1)), erasedLine(9_002, of: .numbered(2))]
        try environment.append(erasing)
        try await environment.index()
        let all = try #require(try await environment.store.users(matching: UserQuery(id: "all")).first)
        #expect(
            all.events == Int64(PeopleTable.maxVisits + 20) && all.first == Timestamp(milliseconds: 1_600_000_000_000)
        )
        #expect(try await environment.store.users(matching: UserQuery(id: "few")).isEmpty)
    }

    @Test
    func `an erasure scans no table that grows with the events of other installations`() async throws {
        let environment = try Self.environment(tombstone: nil)
        try await environment.index()
        try environment.store.close()
        let queue = try DatabaseQueue(path: environment.path)
        let statements = Locked<[String]>([])
        try await queue.write { db in
            db.trace { event in
                guard case .statement(let statement) = event else { return }
                statements.withLock { $0.append(statement.expandedSQL) }
            }
            let tables = try IndexTables(db)
            _ = try tables.erase(installation: 1, from: db)
            try tables.finishErasures(in: db)
            db.trace()
            let changes = statements.withLock { $0 }.filter { sql in
                ["DELETE", "UPDATE", "INSERT", "SELECT"].contains { sql.hasPrefix($0) }
            }
            #expect(changes.count > 30)
            for sql in changes {
                for row in try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)") {
                    let detail: String = row["detail"]
                    let words = detail.split(separator: " ")
                    guard words.first == "SCAN", let table = words.dropFirst().first.map(String.init) else { continue }
                    #expect(Self.small.contains(table) || detail.contains("USING"), "\(detail): \(sql)")
                }
            }
        }
        try queue.close()
    }

    /// The tables that may be scanned.
    ///
    /// These are the temporary tables of the erasure itself, and tables of limited size.
    private static let small: Set<String> = [
        "gone_minutes", "gone_activity", "gone_name_quarters", "gone", "met", "met_names", "named", "names",
        "violations", "violation_days",
        "plan_days", "plans", "CONSTANT", "(subquery-1)", "(subquery-3)", "m",
    ]

    @Test
    func `contexts with equal hashes are distinguished, and only a limited number is compared`() throws {
        let queue = try DatabaseQueue()
        try IndexSchema.migrator.migrate(queue)
        try queue.write { db in
            let directory = try AccountDirectory(db)
            func context(_ number: Int) throws -> (number: Int64, isNew: Bool) {
                try Array("{\"n\":\(number)}".utf8).withUnsafeBytes {
                    try directory.context($0, hash: 7, of: 1, project: nil, usedAt: 1)
                }
            }
            let known = try (0..<AccountDirectory.maximumHashCollisions).map { try context($0).number }
            for number in known.indices { #expect(try context(number) == (known[number], false)) }
            let further = try context(100)
            #expect(further.isNew && !known.contains(further.number))
            #expect(try context(100).isNew)
        }
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
        Forgery(
            testDescription: "no id, claiming to be the installation",
            sender: 1,
            line: line(301, "_installation_erased")
        ),
        Forgery(testDescription: "no sender", sender: nil, line: line(301, "_installation_erased", attributes: named)),
        Forgery(
            testDescription: "the secret of another installation",
            line: erasedLine(301, of: victim, proof: InstallationSecret(high: 0, low: 2))
        ),
        Forgery(
            testDescription: "the id instead of the secret",
            line: erasedLine(301, of: victim, proof: InstallationSecret(high: victim.high, low: victim.low))
        ),
        Forgery(
            testDescription: "an escaped name",
            line: line(301, "\\u005finstallation_erased", attributes: named)
        ),
        Forgery(testDescription: "Clickstream, with proof", line: erasedLine(301, of: victim), format: "clickstream"),
        Forgery(testDescription: "Sift, with proof", line: erasedLine(301, of: victim), format: "sift"),
        Forgery(
            testDescription: "Sensors Analytics, claiming to be the installation",
            sender: 1,
            line: line(301, "_installation_erased", attributes: named),
            format: "sensors_analytics"
        ),
    ]

    @Test(arguments: forgeries)
    func `an erasure without proof in the log erases nothing, now and when the log is read again`(_ forgery: Forgery)
        async throws
    {
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

    @Test
    func `an operator's erasure covers earlier and later events; both are counted, even in a new index`()
        async throws
    {
        let environment = try Self.environment(tombstone: nil)
        let received = Timestamp(milliseconds: 1_700_000_000_500)
        let order = ErasureRecord(received: received, key: "desk", installation: .numbered(1))
        try environment.append(order.bytes, kind: .erasure)
        try environment.append(order.bytes, kind: .erasure)
        try environment.append(
            ErasureRecord(received: received, key: "dev", installation: .numbered(1), events: 3).bytes,
            kind: .erasedEvents
        )
        // For an installation that was not erased, the record has no effect.
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
