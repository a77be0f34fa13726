// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Counts by quarter hour")
struct QuarterTests {
    private static let start: Int64 = 1_700_000_000_000
    private static let length: Int64 = 3 * 86_400_000

    private static func environment(_ random: inout SeededGenerator) throws -> IndexEnvironment {
        let environment = try IndexEnvironment(eventsPerStep: 50)
        for number in UInt64(1)...24 {
            let installation: UInt64? = random.oneIn(6) ? nil : UInt64(random.number(1...6))
            var batch = installation.map { Batch($0, number, 1...20) } ?? Batch()
            let user = random.oneIn(2) ? #""user":{"id":"u\#(random.number(1...4))"}"# : ""
            batch.lines = [#"{"context":{\#(user)}}"#]
            let around = start + Int64(random.number(0...Int(length)))
            batch.lines += (0..<20).map { index in
                // Some are within one quarter hour, and some within one millisecond.
                let time = around + Int64(random.number(0...4)) * 400_000
                return line(number * 100 + UInt64(index), "n\(random.number(1...3))", time: time)
            }
            try environment.append(batch)
        }
        return environment
    }

    @Test(arguments: 1...6)
    func `answers match the events for any period boundaries, even after an erasure`(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let environment = try Self.environment(&random)
        try await environment.index()
        for round in 0..<40 {
            if round == 20 {
                var erasure = Batch(3, 99, 1...1)
                erasure.lines = [erasedLine(9_999, of: .numbered(3))]
                try environment.append(erasure)
                try await environment.index()
            }
            // Times at quarter-hour boundaries and between them; a zone offset by quarter hours, and one by seconds.
            let moment = Self.start + Int64(random.number(0...Int(Self.length)))
            let from = random.oneIn(2) ? moment : moment / 900_000 * 900_000
            let to = from + Int64(random.number(1...Int(Self.length)))
            let offset = [0, 3_600, 20_700, 1_172][random.number(0...3)]
            let time = try #require(
                QueryTimeRange(
                    from: Timestamp(milliseconds: from),
                    to: Timestamp(milliseconds: to),
                    interval: random.oneIn(2) ? .day : .hour,
                    in: ZoneOffsets(name: "Test/Zone", first: offset, changes: []),
                    comparing: random.oneIn(2)
                )
            )
            let names = random.oneIn(2) ? [] : ["n\(random.number(1...4))"]
            let short = QueryFilter(names: names)
            // No event has the attribute, so the condition holds for all events, and they have to be read.
            var read = short
            read.conditions = [QueryCondition(.attribute("none"), .notEqual, .any)]
            let store = environment.store
            for measure in [TrendQuery.Measure.events, .users] {
                let answers = [short, read].map { TrendQuery($0, in: time, measure: measure) }
                let (left, right) = (try await store.trend(answers[0]), try await store.trend(answers[1]))
                #expect(left.series == right.series, "\(answers[0])")
            }
            let active = [short, read].map { ActivityQuery($0, in: time) }
            #expect(try await store.lifecycle(active[0]).intervals == store.lifecycle(active[1]).intervals)
            #expect(try await store.stickiness(active[0]).people == store.stickiness(active[1]).people)
            guard time.count <= QueryLimits.cohorts else { continue }
            for cohort in RetentionQuery.Cohort.allCases {
                let quick = RetentionQuery(first: short, returning: QueryFilter(), in: time, cohort: cohort)
                let exact = RetentionQuery(
                    first: read,
                    returning: QueryFilter(conditions: read.conditions),
                    in: time,
                    cohort: cohort
                )
                let (left, right) = (try await store.retention(quick), try await store.retention(exact))
                #expect(left.cohorts == right.cohorts, "\(quick)")
            }
        }
    }

    @Test
    func `erasing every installation leaves only events without one, with correct counts`() async throws {
        var random = SeededGenerator(seed: 7)
        let environment = try Self.environment(&random)
        try await environment.index()
        func counted(_ table: String) async throws -> Int64 {
            try await environment.store.database.pool.read { db in
                try Int64.fetchOne(db, sql: "SELECT coalesce(sum(events), 0) FROM \(table)") ?? 0
            }
        }
        #expect(try await counted("activity") == 480)
        #expect(try await counted("name_quarters") == 480)
        for installation in UInt64(1)...6 {
            var erasure = Batch(installation, 99, 1...1)
            erasure.lines = [erasedLine(9_000 + installation, of: .numbered(installation))]
            try environment.append(erasure)
        }
        try await environment.index()
        let left = try await environment.store.totals().events
        #expect(left > 0 && left < 480)
        for table in ["activity", "name_quarters"] {
            #expect(try await counted(table) == Int64(left))
        }
    }
}
