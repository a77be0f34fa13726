// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import CollectorClickHouse

@Suite("Sign-ins in the tables")
struct SignInTests {
    /// Writes events to tables in memory.
    private static func tables(_ events: [IdentityEvent], blockEvents: Int) async -> InMemoryTables {
        let stream = InMemoryStream()
        IdentityStream.fill(stream, events)
        return await tables(stream, blockEvents: blockEvents)
    }

    private static func tables(_ stream: InMemoryStream, blockEvents: Int) async -> InMemoryTables {
        let tables = InMemoryTables()
        var limits = BlockCutter.Limits()
        limits.events = blockEvents
        let runner = ForwardingRunner(
            stream.source,
            store: tables,
            blockLimits: limits,
            clock: ManualClock(),
            sleep: { _ in }
        )
        #expect(await runner.run(untilCaughtUp: true) == nil)
        return tables
    }

    /// Returns the users of anonymous events, as computed from the table of sign-ins.
    private static func owners(of events: [IdentityEvent], in tables: InMemoryTables) -> [String?] {
        var rows: [InstallationID: Set<SignIn>] = [:]
        for row in tables.rows(.signIns) {
            guard let installation = InMemoryTables.installation(row), case .integer(let time)? = row["time"],
                case .integer(let mark)? = row["mark"]
            else { continue }
            let user = ByteText(InMemoryTables.text(row, "user"))
            rows[installation, default: []].insert(SignIn(time: time, mark: mark, user: user))
        }
        let histories = rows.compactMapValues { rows -> VisitorHistory? in
            let ends = SignIn.periodEnds(of: rows)
            guard !rows.contains(.separate), ends.count <= SignInHistory.maximumPeriods else { return nil }
            return VisitorHistory(ends.map { (user: $0.user, end: $0.time) })
        }
        return events.map { event in
            if let user = event.user, !PlaceholderUserID.contains(user) { return user }
            let history = histories[SentBatch.installation(event.installation)]
            return history?.owner(at: IdentityStream.start + event.time)?.text
        }
    }

    private static func permutations<Element>(_ list: [Element]) -> [[Element]] {
        guard list.count > 1 else { return [list] }
        return list.indices.flatMap { index in
            var rest = list
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }

    @Test(
        arguments: [
            [nil, nil, "anna"], [nil, "anna", nil], [nil, "anna", nil, "anna"], [nil, "anna", nil, "bob", nil],
            ["anna", "bob", "anna", nil, "bob"],
        ] as [[String?]],
        [1, 2, 3, 20]
    )
    func `every order of arrival and every block boundary determines the same users`(_ users: [String?], _ size: Int)
        async
    {
        let events = users.enumerated().map { IdentityEvent(Int64($0.offset + 1) * 1_000, user: $0.element) }
        let expected = IdentityStream.owners(of: events)
        for order in Self.permutations(Array(events.indices)) {
            let tables = await Self.tables(order.map { events[$0] }, blockEvents: size)
            #expect(Self.owners(of: events, in: tables) == expected, "\(order)")
        }
    }

    @Test(arguments: 1...60)
    func `random orders of arrival determine the users that the rules name`(_ seed: UInt64) async {
        var random = SeededNumberGenerator(seed: seed &+ 1_000)
        let events = IdentityStream.random(seed: seed, events: random.number(10...120), isDistinct: false)
        let size = random.number(1...30)
        let tables = await Self.tables(events.shuffled(using: &random), blockEvents: size)
        #expect(Self.owners(of: events, in: tables) == IdentityStream.owners(of: events), "blocks of \(size)")
    }

    @Test
    func `writing blocks again and in two processes adds no rows`() async {
        var random = SeededNumberGenerator(seed: 4)
        let events = IdentityStream.random(seed: 5, events: 200, isDistinct: false).shuffled(using: &random)
        let stream = InMemoryStream()
        IdentityStream.fill(stream, events)
        let tables = await Self.tables(stream, blockEvents: 7)
        let rows = Set(tables.rows(.signIns))
        #expect(rows.count > 20)
        // The tables lose the table of blocks, so every block is written again, as decided.
        tables.state.withLock { $0.tables[.blocks] = nil }
        let runner = ForwardingRunner(stream.source, store: tables, clock: ManualClock(), sleep: { _ in })
        #expect(await runner.run(untilCaughtUp: true) == nil)
        #expect(Set(tables.rows(.signIns)) == rows)
    }

    @Test
    func `an audit finds and restores lost sign-ins`() async {
        let events = IdentityStream.random(seed: 8, events: 100, isDistinct: false)
        let stream = InMemoryStream()
        IdentityStream.fill(stream, events)
        let tables = await Self.tables(stream, blockEvents: 9)
        let rows = Set(tables.rows(.signIns))
        tables.state.withLock { $0.tables[.signIns] = nil }
        let runner = ForwardingRunner(stream.source, store: tables, clock: ManualClock(), sleep: { _ in })
        let report = await runner.audit(tables, shouldRepair: true)
        #expect(report.isComplete && report.findings.allSatisfy { $0.missing[.signIns] ?? 0 > 0 })
        #expect(Set(tables.rows(.signIns)) == rows)
    }

    @Test
    func `a user who stays signed in adds one row per block, and nothing for late events`() async {
        var events = (0..<100).map { IdentityEvent(Int64($0) * 1_000, user: "anna") }
        let inOrder = await Self.tables(events, blockEvents: 10)
        #expect(inOrder.rows(.signIns).count == 10)
        events.reverse()
        let reversed = await Self.tables(events, blockEvents: 10)
        #expect(reversed.rows(.signIns).count == 1)
    }

    @Test
    func `erasing an installation removes its sign-ins`() async {
        let stream = InMemoryStream()
        let events = [
            IdentityEvent(1), IdentityEvent(2, user: "anna"), IdentityEvent(3, on: 2, user: "anna"),
        ]
        IdentityStream.fill(stream, events)
        var order = SentBatch(3, 1...1)
        order.more = [SentBatch.tombstone(1)]
        stream.append(order.record)
        let tables = await Self.tables(stream, blockEvents: 1)
        #expect(tables.rows(.signIns).compactMap(InMemoryTables.installation) == [SentBatch.installation(2)])
    }
}
