// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorTesting
internal import Testing
internal import TrackwayEvents

@Suite("Selecting weeks for expiry")
struct TableExpiryTests {
    private static let week = BlockCutter.millisecondsOfWeek

    /// Returns a time in a week.
    private static func at(_ week: Int64, _ milliseconds: Int64 = 0) -> Timestamp {
        Timestamp(milliseconds: week * Self.week + milliseconds)
    }

    private static func weeks(_ numbers: some Sequence<Int64>) -> [StoredWeek] {
        numbers.map { StoredWeek(number: $0, rows: 10, bytes: 1_000) }
    }

    /// Carries out all orders without a failure, and returns them.
    private static func orders(_ expiry: inout ExpiryPlanner, _ look: ExpiryPlanner.Look) -> [ExpiryPlanner.Order] {
        var orders: [ExpiryPlanner.Order] = []
        while expiry.order != .end {
            orders.append(expiry.order)
            switch expiry.order {
            case .look: expiry.looked(look)
            case .record: expiry.recorded()
            case .settle: expiry.settled()
            case .drop: expiry.dropped()
            case .end: break
            }
        }
        return orders
    }

    /// The expected effect for a time and an age.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var now: Timestamp
        var age: Duration
        var weeks: ClosedRange<Int64> = 2_790...2_800
        var kept: Int64?
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
            kept: 2_795,
            dropped: 2_790..<2_795
        ),
        Case(
            testDescription: "a recorded week is not recorded again",
            now: at(2_800),
            age: day * 14,
            weeks: 2_798...2_800,
            kept: 2_798,
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

    @Test("whole weeks older than requested expire, after this was recorded", arguments: cases)
    func table(asked: Case) {
        var expiry = ExpiryPlanner(at: asked.now, age: asked.age)
        // In any order.
        let look = ExpiryPlanner.Look(now: asked.now, weeks: Self.weeks(asked.weeks.reversed()), kept: asked.kept)
        let record: [ExpiryPlanner.Order] = asked.recorded.map { [.record($0)] } ?? []
        let settle: [ExpiryPlanner.Order] = asked.recorded == nil || asked.dropped.isEmpty ? [] : [.settle]
        #expect(
            Self.orders(&expiry, look) == [.look] + record + settle + asked.dropped.map { .drop($0) }
        )
        #expect(expiry.fault == nil && expiry.ahead.isEmpty)
        #expect(expiry.kept == asked.recorded ?? asked.kept)
        #expect(expiry.expired == Self.weeks(asked.dropped))

        var trial = ExpiryPlanner(at: asked.now, age: asked.age, isTrial: true)
        #expect(Self.orders(&trial, look) == [.look])
        #expect(trial.expired == expiry.expired && trial.kept == expiry.kept)
    }

    @Test(
        "clocks that differ, or a recorded week in the future, prevent expiry",
        arguments: [
            (
                now: at(2_800), server: at(2_800, 3_600_001), kept: Int64?.none,
                fault: ExpiryPlanner.Fault.clocks(.milliseconds(3_600_001))
            ),
            (at(2_800), at(2_800, -3_600_001), nil, .clocks(.milliseconds(-3_600_001))),
            (at(2_900), at(2_800), 2_700, .clocks(.zero - day * 700)),
            (at(2_800), at(2_800), 2_800, .early(2_800)),
            (at(2_800), at(2_800), .max, .early(.max)),
        ]
    )
    func faults(now: Timestamp, server: Timestamp, kept: Int64?, fault: ExpiryPlanner.Fault) {
        for isTrial in [false, true] {
            var expiry = ExpiryPlanner(at: now, age: Self.day * 14, isTrial: isTrial)
            let look = ExpiryPlanner.Look(now: server, weeks: Self.weeks(2_600...2_801), kept: kept)
            #expect(Self.orders(&expiry, look) == [.look])
            #expect(expiry.fault == fault && expiry.expired.isEmpty && expiry.kept == kept)
        }
    }

    @Test("the slower clock counts, and weeks in the future stay and are reported")
    func clocks() {
        for (now, server) in [(Self.at(2_800), Self.at(2_800, -1_000)), (Self.at(2_800, -1_000), Self.at(2_800))] {
            var expiry = ExpiryPlanner(at: now, age: Self.day * 14)
            let look = ExpiryPlanner.Look(now: server, weeks: Self.weeks([2_797, 2_801, 2_802, 5_000]), kept: nil)
            #expect(Self.orders(&expiry, look) == [.look, .record(2_797)])
            #expect(expiry.ahead.suffix(2).map(\.number) == [2_802, 5_000])
        }
    }

    @Test(
        "only weeks that are recorded and old enough by both clocks expire",
        arguments: UInt64(1)...300
    )
    func random(seed: UInt64) {
        var chance = SeededChance(seed: seed)
        let now = Self.at(2_800, Int64(chance.number(0...604_799_999)))
        let server = now.advanced(by: .milliseconds(chance.number(-3_600_000...3_600_000)))
        let age = Duration.seconds(chance.number(1...60) * 86_400 + chance.number(0...86_399))
        let numbers = Set((0..<chance.number(0...12)).map { _ in Int64(chance.number(2_785...2_804)) })
        let kept = chance.chance(2) ? nil : Int64(chance.number(2_780...2_799))
        var expiry = ExpiryPlanner(at: now, age: age)
        let orders = Self.orders(&expiry, .init(now: server, weeks: Self.weeks(numbers), kept: kept))
        var recorded = kept ?? .min
        for order in orders {
            switch order {
            case .record(let week):
                #expect(week > recorded, "The recorded week only increases.")
                recorded = week
            case .drop(let week):
                #expect(week < recorded && numbers.contains(week))
                let end = Self.at(week + 1)
                let isOld = [now, server].allSatisfy { end <= $0.advanced(by: .zero - age) }
                #expect(isOld || week < kept ?? .min)
                // Drops neither this week nor the previous one.
                #expect(week < 2_798 || week < kept ?? .min)
            case .look, .settle, .end: break
            }
        }
        #expect(expiry.kept == (recorded == .min ? nil : recorded))
        // All recorded weeks expire.
        let left = numbers.subtracting(expiry.expired.map(\.number))
        #expect(left.allSatisfy { $0 >= recorded })
    }

    // MARK: Tables

    private static let now = at(2_820)

    private static func store(_ weeks: ClosedRange<Int64>) async throws -> InMemoryTables {
        let store = InMemoryTables()
        store.state.withLock { $0.now = now }
        let stream = StreamMemory()
        for (number, week) in weeks.enumerated() {
            var batch = SentBatch(UInt64(number + 1), 1...3)
            batch.received = week * Self.week + 7
            stream.append(batch.record)
        }
        _ = await ExpiredBlockTests.forwarding(stream, store).run(untilCaughtUp: true)
        return store
    }

    private static func expire(_ store: InMemoryTables, isTrial: Bool = false) async -> ExpiryReport {
        await ExpiryPlanner.carryOut(store, at: now, age: day * 14, isTrial: isTrial) { _ in }
    }

    @Test("a trial changes nothing, and reports the weeks that would expire")
    func trial() async throws {
        let store = try await Self.store(2_814...2_820)
        let report = await Self.expire(store, isTrial: true)
        #expect(report.expired.map(\.number) == [2_814, 2_815, 2_816, 2_817] && report.isTrial && report.isGood)
        #expect(report.expired.allSatisfy { $0.rows == 3 } && report.keptFrom == Self.at(2_818))
        #expect(store.rows(.events).count == 21)
        #expect(store.state.withLock { $0.kept.isEmpty && $0.dropped.isEmpty })
    }

    @Test(
        "an expiry killed anywhere is completed by the next one, and a lost answer changes nothing",
        arguments: UInt64(1)...60
    )
    func killed(seed: UInt64) async throws {
        let store = try await Self.store(2_814...2_820)
        let fates = Locked(SeededChance(seed: seed))
        store.state.withLock { state in
            state.fate = { _ in
                switch fates.withLock({ $0.number(1...3) }) {
                case 1: .fails
                case 2: .unheard
                default: .works
                }
            }
        }
        var tries = 0
        while true {
            let report = await Self.expire(store)
            tries += 1
            let (kept, dropped) = store.state.withLock { ($0.kept, $0.dropped) }
            #expect(dropped.isEmpty || kept.contains(2_818), "Only recorded weeks are dropped.")
            guard report.isGood else {
                #expect(report.trouble != nil)
                continue
            }
            break
        }
        #expect(store.rows(.events).count == 9, "after \(tries) tries")
        #expect(store.state.withLock { Set($0.dropped) } == [2_814, 2_815, 2_816, 2_817])
        #expect(await Self.expire(store).expired.isEmpty)
        // Only the table that is partitioned by week loses rows.
        #expect(store.rows(.ids).count == 21 && store.rows(.places).count > 7 && store.rows(.blocks).count == 7)
    }

    @Test("two concurrent runs give the same result")
    func two() async throws {
        let store = try await Self.store(2_814...2_820)
        async let first = Self.expire(store)
        async let second = Self.expire(store)
        let reports = await [first, second]
        #expect(reports.allSatisfy { $0.isGood && $0.keptFrom == Self.at(2_818) })
        #expect(store.rows(.events).count == 9)
    }
}
