// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@Suite("Selecting weeks for expiry")
struct TableExpiryTests {
    private static let week = BlockCutter.millisecondsPerWeek

    /// Returns a time in a week.
    private static func at(_ week: Int64, _ milliseconds: Int64 = 0) -> Timestamp {
        Timestamp(milliseconds: week * Self.week + milliseconds)
    }

    private static func weeks(_ numbers: some Sequence<Int64>) -> [StoredWeek] {
        numbers.map { StoredWeek(number: $0, rows: 10, bytes: 1_000) }
    }

    /// Carries out all steps without a failure, and returns them.
    private static func steps(_ planner: inout ExpiryPlanner, _ snapshot: ExpiryPlanner.Snapshot) -> [ExpiryPlanner
        .Step]
    {
        var steps: [ExpiryPlanner.Step] = []
        while planner.nextStep != .end {
            steps.append(planner.nextStep)
            switch planner.nextStep {
            case .readStatus: planner.statusRead(snapshot)
            case .record: planner.weekRecorded()
            case .waitForWriters: planner.waitFinished()
            case .drop: planner.weekDropped()
            case .end: break
            }
        }
        return steps
    }

    /// The expected effect for a time and an age.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var now: Timestamp
        var age: Duration
        var weeks: ClosedRange<Int64> = 2_790...2_800
        var firstWeek: Int64?
        /// The week to be recorded; nil for none.
        var recorded: Int64?
        var dropped: Range<Int64>
    }

    private static let day = Duration.seconds(86_400)

    private static let cases: [Case] = [
        Case(
            testDescription: "in the middle of a week, the week that contains the cutoff stays",
            now: at(2_800, 3 * 86_400_000),
            age: day * 14,
            recorded: 2_798,
            dropped: 2_790..<2_798
        ),
        Case(
            testDescription: "at the start of a week, all weeks that ended two weeks ago expire",
            now: at(2_800),
            age: day * 14,
            recorded: 2_798,
            dropped: 2_790..<2_798
        ),
        Case(
            testDescription: "a millisecond earlier, one more week is kept",
            now: at(2_800, -1),
            age: day * 14,
            weeks: 2_790...2_799,
            recorded: 2_797,
            dropped: 2_790..<2_797
        ),
        Case(
            testDescription: "an age of two weeks and a millisecond keeps one more week",
            now: at(2_800),
            age: day * 14 + .milliseconds(1),
            recorded: 2_797,
            dropped: 2_790..<2_797
        ),
        Case(
            testDescription: "an age below two weeks counts as two weeks",
            now: at(2_800, 5),
            age: .seconds(3_600),
            recorded: 2_798,
            dropped: 2_790..<2_798
        ),
        Case(
            testDescription: "an age of half a year",
            now: at(2_800),
            age: day * 182,
            weeks: 2_700...2_800,
            recorded: 2_774,
            dropped: 2_700..<2_774
        ),
        Case(
            testDescription: "without old weeks the week is still recorded, because tables may be filled again",
            now: at(2_800),
            age: day * 182,
            recorded: 2_774,
            dropped: 0..<0
        ),
        Case(
            testDescription: "recorded weeks expire after a kill, even if more weeks are to be kept now",
            now: at(2_800),
            age: day * 182,
            firstWeek: 2_795,
            dropped: 2_790..<2_795
        ),
        Case(
            testDescription: "a recorded week is not recorded again",
            now: at(2_800),
            age: day * 14,
            weeks: 2_798...2_800,
            firstWeek: 2_798,
            dropped: 0..<0
        ),
        Case(
            testDescription: "a cutoff before 1970 expires nothing",
            now: at(2_800),
            age: day * 7 * 3_000,
            dropped: 0..<0
        ),
        Case(
            testDescription: "weeks before 1970 expire, too",
            now: at(2_800),
            age: day * 14,
            weeks: -3 ... -1,
            recorded: 2_798,
            dropped: -3..<0
        ),
    ]

    @Test(arguments: cases)
    func `whole weeks older than requested expire after their expiry has been recorded`(testCase: Case) {
        var planner = ExpiryPlanner(at: testCase.now, age: testCase.age)
        // In any order.
        let snapshot = ExpiryPlanner.Snapshot(
            now: testCase.now,
            weeks: Self.weeks(testCase.weeks.reversed()),
            firstWeek: testCase.firstWeek
        )
        let record: [ExpiryPlanner.Step] = testCase.recorded.map { [.record($0)] } ?? []
        let wait: [ExpiryPlanner.Step] = testCase.recorded == nil || testCase.dropped.isEmpty ? [] : [.waitForWriters]
        #expect(
            Self.steps(&planner, snapshot) == [.readStatus] + record + wait + testCase.dropped.map { .drop($0) }
        )
        #expect(planner.fault == nil && planner.futureWeeks.isEmpty)
        #expect(planner.firstWeek == testCase.recorded ?? testCase.firstWeek)
        #expect(planner.expired == Self.weeks(testCase.dropped))

        var dryRun = ExpiryPlanner(at: testCase.now, age: testCase.age, isDryRun: true)
        #expect(Self.steps(&dryRun, snapshot) == [.readStatus])
        #expect(dryRun.expired == planner.expired && dryRun.firstWeek == planner.firstWeek)
    }

    @Test(arguments: [
        (
            now: at(2_800), server: at(2_800, 3_600_001), firstWeek: Int64?.none,
            fault: ExpiryPlanner.Fault.clockDifference(.milliseconds(3_600_001))
        ),
        (at(2_800), at(2_800, -3_600_001), nil, .clockDifference(.milliseconds(-3_600_001))),
        (at(2_900), at(2_800), 2_700, .clockDifference(.zero - day * 700)),
        (at(2_800), at(2_800), 2_800, .futureWeek(2_800)),
        (at(2_800), at(2_800), .max, .futureWeek(.max)),
    ])
    func `clocks that differ, or a recorded week in the future, prevent expiry`(
        now: Timestamp,
        server: Timestamp,
        firstWeek: Int64?,
        fault: ExpiryPlanner.Fault
    ) {
        for isDryRun in [false, true] {
            var planner = ExpiryPlanner(at: now, age: Self.day * 14, isDryRun: isDryRun)
            let snapshot = ExpiryPlanner.Snapshot(now: server, weeks: Self.weeks(2_600...2_801), firstWeek: firstWeek)
            #expect(Self.steps(&planner, snapshot) == [.readStatus])
            #expect(planner.fault == fault && planner.expired.isEmpty && planner.firstWeek == firstWeek)
        }
    }

    @Test
    func `the slower clock decides, and weeks in the future are kept and reported`() {
        for (now, server) in [(Self.at(2_800), Self.at(2_800, -1_000)), (Self.at(2_800, -1_000), Self.at(2_800))] {
            var planner = ExpiryPlanner(at: now, age: Self.day * 14)
            let snapshot = ExpiryPlanner.Snapshot(
                now: server,
                weeks: Self.weeks([2_797, 2_801, 2_802, 5_000]),
                firstWeek: nil
            )
            #expect(Self.steps(&planner, snapshot) == [.readStatus, .record(2_797)])
            #expect(planner.futureWeeks.suffix(2).map(\.number) == [2_802, 5_000])
        }
    }

    @Test(arguments: UInt64(1)...300)
    func `only weeks that are recorded and old enough by both clocks expire`(seed: UInt64) {
        var random = SeededNumberGenerator(seed: seed)
        let now = Self.at(2_800, Int64(random.number(0...604_799_999)))
        let server = now.advanced(by: .milliseconds(random.number(-3_600_000...3_600_000)))
        let age = Duration.seconds(random.number(1...60) * 86_400 + random.number(0...86_399))
        let numbers = Set((0..<random.number(0...12)).map { _ in Int64(random.number(2_785...2_804)) })
        let firstWeek = random.oneIn(2) ? nil : Int64(random.number(2_780...2_799))
        var planner = ExpiryPlanner(at: now, age: age)
        let steps = Self.steps(&planner, .init(now: server, weeks: Self.weeks(numbers), firstWeek: firstWeek))
        var recorded = firstWeek ?? .min
        for step in steps {
            switch step {
            case .record(let week):
                #expect(week > recorded, "The recorded week only increases.")
                recorded = week
            case .drop(let week):
                #expect(week < recorded && numbers.contains(week))
                let end = Self.at(week + 1)
                let isOld = [now, server].allSatisfy { end <= $0.advanced(by: .zero - age) }
                #expect(isOld || week < firstWeek ?? .min)
                // Drops neither this week nor the previous one.
                #expect(week < 2_798 || week < firstWeek ?? .min)
            case .readStatus, .waitForWriters, .end: break
            }
        }
        #expect(planner.firstWeek == (recorded == .min ? nil : recorded))
        // All recorded weeks expire.
        let remaining = numbers.subtracting(planner.expired.map(\.number))
        #expect(remaining.allSatisfy { $0 >= recorded })
    }

    // MARK: Tables

    private static let now = at(2_820)

    private static func store(_ weeks: ClosedRange<Int64>) async throws -> InMemoryTables {
        let store = InMemoryTables()
        store.state.withLock { $0.now = now }
        let stream = InMemoryStream()
        for (number, week) in weeks.enumerated() {
            var batch = SentBatch(UInt64(number + 1), 1...3)
            batch.received = week * Self.week + 7
            stream.append(batch.record)
        }
        _ = await ExpiredBlockTests.forwarding(stream, store).run(untilCaughtUp: true)
        return store
    }

    private static func expire(_ store: InMemoryTables, isDryRun: Bool = false) async -> ExpiryReport {
        await ExpiryRunner.run(store, at: now, age: day * 14, isDryRun: isDryRun) { _ in }
    }

    @Test
    func `a dry run changes nothing, and reports the weeks that would expire`() async throws {
        let store = try await Self.store(2_814...2_820)
        let report = await Self.expire(store, isDryRun: true)
        #expect(report.expired.map(\.number) == [2_814, 2_815, 2_816, 2_817] && report.isDryRun && report.isSuccess)
        #expect(report.expired.allSatisfy { $0.rows == 3 } && report.retainedSince == Self.at(2_818))
        #expect(store.rows(.events).count == 21)
        #expect(store.state.withLock { $0.firstWeeks.isEmpty && $0.dropped.isEmpty })
    }

    @Test(arguments: UInt64(1)...60)
    func `an expiry killed at any point is completed by the next one, and a lost answer changes nothing`(seed: UInt64)
        async throws
    {
        let store = try await Self.store(2_814...2_820)
        let outcomes = Locked(SeededNumberGenerator(seed: seed))
        store.state.withLock { state in
            state.outcome = { _ in
                switch outcomes.withLock({ $0.number(1...3) }) {
                case 1: .fails
                case 2: .answerLost
                default: .succeeds
                }
            }
        }
        var attempts = 0
        while true {
            let report = await Self.expire(store)
            attempts += 1
            let (firstWeeks, dropped) = store.state.withLock { ($0.firstWeeks, $0.dropped) }
            #expect(dropped.isEmpty || firstWeeks.contains(2_818), "Only recorded weeks are dropped.")
            guard report.isSuccess else {
                #expect(report.failure != nil)
                continue
            }
            break
        }
        #expect(store.rows(.events).count == 9, "after \(attempts) tries")
        #expect(store.state.withLock { Set($0.dropped) } == [2_814, 2_815, 2_816, 2_817])
        #expect(await Self.expire(store).expired.isEmpty)
        // Only the table that is partitioned by week loses rows.
        #expect(store.rows(.ids).count == 21 && store.rows(.places).count > 7 && store.rows(.blocks).count == 7)
    }

    @Test
    func `two concurrent runs give the same result`() async throws {
        let store = try await Self.store(2_814...2_820)
        async let first = Self.expire(store)
        async let second = Self.expire(store)
        let reports = await [first, second]
        #expect(reports.allSatisfy { $0.isSuccess && $0.retainedSince == Self.at(2_818) })
        #expect(store.rows(.events).count == 9)
    }
}
