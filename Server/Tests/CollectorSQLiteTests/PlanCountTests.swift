// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable import CollectorSQLite

@Suite("Event counts of a tracking plan")
struct PlanCountTests {
    private static let text = """
        {"version":1,"title":"Shop","events":{"purchase":{"attributes":{"required":["total"],"additionalProperties":false,\
        "properties":{"total":{"type":"number","minimum":0}}}},"view":{},"never":{}}}
        """

    private static func checker(_ text: String = PlanCountTests.text) throws -> PlanChecker {
        PlanChecker(try #require(PlanParseResult(Array(text.utf8)).plan))
    }

    private static let day: Int64 = 86_400_000
    private static let noon: Int64 = 19_675 * day + day / 2

    /// Returns a batch from an installation with an app version.
    private static func batch(
        _ installation: UInt64,
        version: String? = "1.0",
        received: Int64 = noon,
        _ lines: [String]
    ) -> Batch {
        var batch = Batch(installation, installation, 1...UInt64(max(1, lines.count)))
        batch.received = received
        let context = version.map { [#"{"context":{"app":{"version":"\#($0)"}}}"#] } ?? []
        batch.lines = context + lines
        return batch
    }

    /// Returns the groups as text.
    ///
    /// For example, `3 purchase type attributes.total 1.0`.
    private static func groups(_ store: SQLiteEventStore, _ query: ViolationQuery = ViolationQuery()) async throws
        -> [String]
    {
        try await store.violations(matching: query).groups.map {
            "\($0.events) \($0.name) \($0.code) \($0.path) \($0.version)"
        }
    }

    @Test
    func `violations are counted by event, path, kind and version, and all events are stored`() async throws {
        let environment = try IndexEnvironment(plan: try Self.checker())
        try environment.append(
            Self.batch(
                1,
                [
                    line(1, "purchase", attributes: #"{"total":5}"#),
                    line(2, "purchase", attributes: #"{"total":"5"}"#),
                    line(3, "purchase", attributes: #"{"total":-1,"x":1}"#), line(4, "typo"), line(5, "_screen_view"),
                    line(6, "view", attributes: #"{"anything":[]}"#),
                    line(2, "purchase", attributes: #"{"total":"5"}"#),
                ]
            )
        )
        try environment.append(
            Self.batch(
                2,
                version: "2.0",
                received: Self.noon + Self.day,
                [
                    line(11, "purchase", attributes: #"{"total":"7"}"#), line(12, "purchase"), line(13, "typo"),
                ]
            )
        )
        try await environment.index()
        #expect(try await environment.all().count == 9)
        #expect(
            try await Self.groups(environment.store) == [
                "1 purchase minimum attributes.total 1.0", "1 purchase missing attributes.total 2.0",
                "1 purchase type attributes.total 1.0", "1 purchase type attributes.total 2.0",
                "1 purchase unexpected attributes.x 1.0", "1 typo unplanned  1.0", "1 typo unplanned  2.0",
            ]
        )
        let counts = try await environment.store.planCounts(since: nil)
        let era = try #require(counts.era)
        let digest = try Self.checker().digest
        #expect(era.title == "Shop" && era.digest == digest)
        #expect(era.events == 6 && era.faulty == 4 && era.violations == 5 && era.unplanned == 2)
        #expect(era.since?.milliseconds == Self.noon && era.until?.milliseconds == Self.noon + Self.day)
        #expect(counts.planned["purchase"]?.events == 5 && counts.planned["purchase"]?.faulty == 4)
        #expect(counts.planned["purchase"]?.violations == 5 && counts.planned["purchase"]?.sample == .numbered(12))
        #expect(counts.planned["view"] == PlanNameCount(events: 1) && counts.planned["never"] == nil)
        #expect(counts.unplanned["typo"]?.events == 2 && counts.others == 0 && counts.previous == [])
        let second = Self.noon / Self.day + 1
        #expect(try await environment.store.planCounts(since: second).planned["purchase"]?.faulty == 2)
        #expect(
            try await Self.groups(environment.store, ViolationQuery(name: "purchase", since: second)) == [
                "1 purchase missing attributes.total 2.0", "1 purchase type attributes.total 2.0",
            ]
        )
        let types = try await environment.store.violations(matching: ViolationQuery(code: .type, limit: 1))
        #expect(types.groups.map(\.sample) == [.numbered(2)] && types.moreGroups == 1 && types.moreEvents == 1)
        #expect(types.groups[0].days.map(\.day) == [second - 1] && types.groups[0].first.milliseconds == Self.noon)
    }

    @Test
    func `without a plan, nothing is counted`() async throws {
        let environment = try IndexEnvironment()
        try environment.append(Self.batch(1, [line(1, "purchase")]))
        try await environment.index()
        #expect(try await environment.store.planCounts(since: nil) == PlanCounts())
        #expect(try await environment.store.violations(matching: ViolationQuery()) == Violations())
    }

    @Test
    func `counting continues after restarts; another plan, or a time without one, starts over and keeps old totals`()
        async throws
    {
        let environment = try IndexEnvironment(plan: try Self.checker())
        func arrive(_ id: UInt64) async throws -> PlanCounts {
            try environment.append(Self.batch(id, [line(id, "purchase")]))
            try await environment.index()
            return try await environment.store.planCounts(since: nil)
        }
        #expect(try await arrive(1).era?.violations == 1)
        try environment.restart(plan: try Self.checker())
        try await environment.index()
        #expect(try await arrive(2).era?.violations == 2)
        // Changing descriptions does not change the rules.
        try environment.restart(plan: try Self.checker(Self.text.replacing("Shop", with: "Market")))
        #expect(try await arrive(3).era?.violations == 3)
        try environment.restart(plan: try Self.checker(Self.text.replacing(#""minimum":0"#, with: #""minimum":1"#)))
        let other = try await arrive(4)
        #expect(other.era?.violations == 1 && other.previous.map(\.violations) == [3])
        #expect(other.planned["purchase"]?.events == 1)
        try environment.restart()
        #expect(try await arrive(5).era?.violations == 1)
        try environment.restart(plan: try Self.checker(Self.text.replacing(#""minimum":0"#, with: #""minimum":1"#)))
        let after = try await arrive(6)
        #expect(after.era?.violations == 1 && after.previous.map(\.violations) == [1, 3])
        #expect(after.previous.map(\.events) == [1, 3])
    }

    @Test
    func `a rebuilt index counts everything by the current plan, as if it had always been in force`() async throws {
        let environment = try IndexEnvironment()
        for id in 1...5 as ClosedRange<UInt64> {
            try environment.append(
                Self.batch(id, [line(id, "purchase", attributes: #"{"total":"\#(id)"}"#), line(100 + id, "typo")])
            )
        }
        try await environment.index()
        let checker = try Self.checker()
        try environment.restart(plan: checker)
        environment.indexer.markDurable(upTo: environment.log.end)
        try await environment.indexer.rebuild()
        try await environment.index()
        let counts = try await environment.store.planCounts(since: nil)
        #expect(counts.era?.events == 5 && counts.era?.faulty == 5 && counts.unplanned["typo"]?.events == 5)
        let dump = try environment.dump()
        try environment.restart(eventsPerStep: 1, plan: checker)
        try await environment.indexer.rebuild()
        try await environment.index()
        #expect(try environment.dump() == dump)
    }

    @Test
    func `an erased installation is removed from the counts, with its paths and samples`() async throws {
        let checker = try Self.checker()
        let environment = try IndexEnvironment(plan: checker)
        try environment.append(
            Self.batch(
                1,
                [
                    line(1, "purchase", attributes: #"{"total":"a","secret":1}"#), line(2, "private_name"),
                    line(3, "purchase", attributes: #"{"total":1}"#),
                ]
            )
        )
        try environment.append(
            Self.batch(
                2,
                [
                    line(11, "purchase", attributes: #"{"total":"b"}"#),
                    line(12, "purchase", attributes: #"{"total":1}"#),
                ]
            )
        )
        try environment.append(Self.batch(1, version: "2.0", [line(4, "purchase", attributes: #"{"total":"c"}"#)]))
        try await environment.index()
        #expect(try await environment.store.planCounts(since: nil).era?.violations == 4)
        var tombstone = Self.batch(1, version: nil, [erasedLine(5, of: .numbered(1))])
        tombstone.received += Self.day
        try environment.append(tombstone)
        try await environment.index()
        let counts = try await environment.store.planCounts(since: nil)
        #expect(
            counts.era?.events == 2 && counts.era?.faulty == 1 && counts.era?.violations == 1
                && counts.era?.unplanned == 0
        )
        #expect(counts.planned["purchase"]?.events == 2 && counts.unplanned == [:])
        #expect(try await Self.groups(environment.store) == ["1 purchase type attributes.total 1.0"])
        let group = try #require(try await environment.store.violations(matching: ViolationQuery()).groups.first)
        #expect(group.sample == .numbered(11) && group.days.map(\.events) == [1])
        #expect(try environment.dump().allSatisfy { !$0.contains("secret") && !$0.contains("private_name") })
        // The same as if the installation had never existed.
        let dump = try environment.dump().filter { $0.hasPrefix("plan_days") || $0.hasPrefix("violation_days") }
        try environment.restart(plan: checker)
        try await environment.indexer.rebuild()
        try await environment.index()
        #expect(
            try environment.dump().filter { $0.hasPrefix("plan_days") }.count
                == dump.filter { $0.hasPrefix("plan_days") }.count
        )
        #expect(try await Self.groups(environment.store) == ["1 purchase type attributes.total 1.0"])
    }

    @Test
    func `a group whose sample event was erased has no sample until the next event arrives`() async throws {
        let environment = try IndexEnvironment(plan: try Self.checker())
        try environment.append(Self.batch(2, [line(11, "purchase")]))
        try environment.append(Self.batch(1, [line(1, "purchase")]))
        try await environment.index()
        try environment.append(Self.batch(1, [erasedLine(5, of: .numbered(1))]))
        try await environment.index()
        var group = try await environment.store.violations(matching: ViolationQuery()).groups.first
        #expect(group?.events == 1 && group?.sample == nil)
        try environment.append(Self.batch(3, [line(21, "purchase")]))
        try await environment.index()
        group = try await environment.store.violations(matching: ViolationQuery()).groups.first
        #expect(group?.events == 2 && group?.sample == .numbered(21))
    }

    @Test
    func `without a plan, an erasure deletes the groups and keeps the totals`() async throws {
        let environment = try IndexEnvironment(plan: try Self.checker())
        try environment.append(Self.batch(1, [line(1, "purchase", attributes: #"{"secret":1}"#)]))
        try await environment.index()
        try environment.restart()
        try environment.append(Self.batch(1, [erasedLine(5, of: .numbered(1))]))
        try await environment.index()
        #expect(try await environment.store.violations(matching: ViolationQuery()).groups == [])
        #expect(try await environment.store.planCounts(since: nil).era?.violations == 2)
        #expect(try environment.dump().allSatisfy { !$0.contains("secret") })
    }

    @Test
    func `a reset deletes the counts`() async throws {
        let environment = try IndexEnvironment(plan: try Self.checker())
        try environment.append(Self.batch(1, [line(1, "purchase")]))
        try environment.append(ResetRecord(received: Timestamp(milliseconds: 9), key: "dev").bytes, kind: .reset)
        try environment.append(Self.batch(2, [line(2, "purchase")]))
        try await environment.index()
        #expect(try await environment.store.planCounts(since: nil).era?.violations == 1)
    }

    @Test
    func `the number of listed names and paths is limited, but all events and violations are counted`() async throws {
        let environment = try IndexEnvironment(plan: try Self.checker())
        var id: UInt64 = 0
        func next() -> UInt64 {
            id += 1
            return id
        }
        for start in stride(from: 0, to: 3_000, by: 500) {
            var lines = (start..<start + 500).map { line(next(), "name\($0)") }
            lines += (start..<start + 400).map { line(next(), "purchase", attributes: #"{"total":1,"x\#($0)":1}"#) }
            try environment.append(Self.batch(UInt64(start / 500 + 1), lines))
        }
        try await environment.index()
        let counts = try await environment.store.planCounts(since: nil)
        #expect(counts.unplanned.count == PlanLimits.unplannedGroups && counts.others == 2_000)
        #expect(counts.era?.unplanned == 3_000 && counts.era?.violations == 2_400)
        let found = try await environment.store.violations(matching: ViolationQuery(name: "purchase", limit: 1_000))
        #expect(found.groups.count == PlanLimits.groupsOfEvent + 1)
        #expect(found.groups[0].code == "others" && found.groups[0].events == 2_200 && found.moreGroups == 0)
        #expect(found.groups.reduce(0) { $0 + $1.events } == 2_400)
    }

    @Test(arguments: [1, 10_000])
    func `a failed step counts nothing, and the next one counts everything`(_ eventsPerStep: Int) async throws {
        let environment = try IndexEnvironment(eventsPerStep: eventsPerStep, plan: try Self.checker())
        for id in 1...20 as ClosedRange<UInt64> { try environment.append(Self.batch(id, [line(id, "purchase")])) }
        // Another process locks the file.
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: environment.path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        await #expect(throws: StoreError.self) { try await environment.index() }
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await environment.index()
        let counts = try await environment.store.planCounts(since: nil)
        #expect(counts.era?.violations == 20 && counts.previous == [] && counts.planned["purchase"]?.events == 20)
    }

    @Test
    func `events allowed without a plan entry are not reported`() async throws {
        let environment = try IndexEnvironment(
            plan: try Self.checker(#"{"version":1,"unplanned":"allow","events":{}}"#)
        )
        try environment.append(Self.batch(1, [line(1, "purchase")]))
        try await environment.index()
        let counts = try await environment.store.planCounts(since: nil)
        #expect(counts.era?.unplanned == 0 && counts.unplanned == [:])
    }
}
