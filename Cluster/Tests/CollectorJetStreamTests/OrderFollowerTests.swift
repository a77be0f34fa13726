// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorTesting
internal import Testing
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import CollectorJetStream

@Suite("Following the order of several streams")
struct OrderFollowerTests {
    /// Two streams after one of seventeen records, in entries of a few records each.
    private static func engine(entries: Int, gone: Int = 0) throws -> (engine: InMemoryCluster, line: StreamOrder) {
        let engine = InMemoryCluster(["INTAKE_0": 17, OrderStream.name: 0])
        var line = StreamOrder(behind: 17)
        var (all, known) = ([line.opening([1, 2])], [1: UInt64(0), 2: 0])
        try line.take(all[0])
        for number in 1..<max(1, entries) {
            known[1 + number % 2, default: 0] += UInt64(1 + number % 3)
            if number % 5 == 0 { known[1 + (number + 1) % 2, default: 0] += 2 }
            let next = try #require(line.proposal(known: known))
            try line.take(next)
            all.append(next)
        }
        engine.put(all)
        for (stream, count) in known { engine.add(Int(count), to: stream) }
        return (engine, line)
    }

    private static func follower(
        _ engine: InMemoryCluster,
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) -> OrderFollower {
        let clock = ManualClock()
        return OrderFollower(
            OrderStream(engine, system: engine),
            clock: clock,
            chance: 0,
            // The clock advances only while a task sleeps.
            sleep: { duration in
                clock.advance(by: duration)
                await Task.yield()
            },
            end: { _, _ in nil },
            changed: { _ in },
            notice: notice
        )
    }

    private static func records(_ order: OrderFollower, _ engine: InMemoryCluster) -> OrderedRecords {
        let followers = Locked<[Int: StreamFollower]>([:])
        return OrderedRecords(order) { number in
            followers.withLock { followers in
                let follower =
                    followers[number]
                    ?? StreamFollower(
                        engine,
                        place: StreamNames(number: number),
                        sleep: { _ in await Task.yield() },
                        highest: { 0 },
                        reached: { _ in }
                    )
                followers[number] = follower
                return follower
            }
        }
    }

    /// Follows the order while `body` runs.
    private static func follow(_ order: OrderFollower, _ body: @escaping @Sendable () async throws -> Void) async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await order.run() }
            group.addTask { try await body() }
            try await group.next()
            group.cancelAll()
        }
    }

    private static func until(_ isSo: () -> Bool) async throws { try await Deadline.wait(while: !isSo()) }

    /// Returns the records in the order, computed independently.
    private static func expected(_ engine: InMemoryCluster) -> [String] {
        let entries = engine.state.withLock { $0.streams[OrderStream.name]?.records ?? [] }.compactMap {
            $0.flatMap { OrderEntry(json: $0) }
        }
        let old = (1...17).map { "INTAKE_0/\($0)" }
        return old
            + entries.flatMap { $0.runs.flatMap { run in (run.first...run.last).map { "INTAKE_\(run.stream)/\($0)" } } }
    }

    private static func read(_ records: OrderedRecords, from first: UInt64, to end: UInt64) async throws
        -> [StreamedRecord]
    {
        var (all, next) = ([StreamedRecord](), LogPosition(stream: 0, sequence: first))
        let limit = LogPosition(stream: 0, sequence: end)
        while next < limit {
            let found = try await records.records(from: next, upTo: limit)
            all += found
            next = found.last?.end ?? limit
        }
        return all
    }

    @Test(
        "all records are read in order from any position, whether their entries are recent or old",
        arguments: [2, 3, 64, 65, 66, 700]
    )
    func reading(entries: Int) async throws {
        let (engine, line) = try Self.engine(entries: entries)
        let order = Self.follower(engine)
        try await Self.follow(order) {
            try await Self.until { order.standing == .ordered(line) }
            let all = try await Self.read(Self.records(order, engine), from: 1, to: line.end)
            #expect(all.map { String(decoding: $0.payload, as: UTF8.self) } == Self.expected(engine))
            #expect(all.map(\.start.streamSequence) == Array(1..<line.end))
            var chance = SeededChance(seed: UInt64(entries))
            for _ in 0..<20 {
                let first = UInt64(chance.number(1...Int(line.end - 1)))
                let part = try await Self.read(Self.records(order, engine), from: first, to: line.end)
                #expect(part == Array(all.dropFirst(Int(first) - 1)))
                let place = try #require(try await order.place(of: first))
                #expect(Array("INTAKE_\(place.stream)/\(place.sequence)".utf8) == all[Int(first) - 1].payload)
            }
            #expect(try await order.place(of: line.end) == nil)
        }
    }

    @Test("without an order, the first stream is read alone until an order exists")
    func single() async throws {
        let engine = InMemoryCluster(["INTAKE_0": 17])
        let order = Self.follower(engine)
        try await Self.follow(order) {
            try await Self.until { order.standing == .single }
            let records = Self.records(order, engine)
            #expect(try await Self.read(records, from: 1, to: 18).count == 17)
            #expect(order.sequence(of: 9, in: 0) == 9 && order.sequence(of: 9, in: 1) == nil)
            var line = StreamOrder(behind: 17)
            engine.state.withLock { $0.streams[OrderStream.name] = InMemoryCluster.Stream() }
            engine.put([line.opening([1, 2])])
            engine.add(3, to: 1)
            try line.take(line.opening([1, 2]))
            try await Self.until { order.standing == .ordered(line) }
            // These records are not in the order yet: a follower that learns of them adds them.
            order.known(3, in: 1)
            #expect(order.lacking == 3 && order.sequence(of: 3, in: 1) == nil)
            try await Self.until { order.ends[1] == 3 }
            #expect(order.lacking == 0 && order.sequence(of: 3, in: 1) == 20)
            #expect(
                try await Self.read(records, from: 17, to: 21).map(\.payload).map {
                    String(decoding: $0, as: UTF8.self)
                } == [
                    "INTAKE_0/17", "INTAKE_1/1", "INTAKE_1/2", "INTAKE_1/3",
                ]
            )
        }
    }

    @Test("one of several deciding processes succeeds, lost answers are resolved, and no record is in the order twice")
    func several() async throws {
        let (engine, _) = try Self.engine(entries: 1)
        engine.state.withLock { $0.lost = 3 }
        let orders = (0..<3).map { _ in Self.follower(engine) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for order in orders { group.addTask { await order.run() } }
            group.addTask {
                for number in 1...50 {
                    engine.add(1, to: 1 + number % 2)
                    let ends = engine.state.withLock { state in
                        [1, 2].map { UInt64(state.streams["INTAKE_\($0)"]?.records.count ?? 0) }
                    }
                    for stream in [1, 2] { orders[number % 3].known(ends[stream - 1], in: stream) }
                    for _ in 0..<20 { await Task.yield() }
                }
                try await Self.until { orders.allSatisfy { $0.ends == [1: 25, 2: 25] } }
            }
            try await group.next()
            try await Deadline.wait(while: orders.contains(where: { $0.ends != [1: 25, 2: 25] }))
            group.cancelAll()
        }
        #expect(Set(Self.expected(engine)).count == 67 && Self.expected(engine).count == 67)
    }

    @Test("a foreign record in the order is reported, and nothing after it is read")
    func stranger() async throws {
        let (engine, line) = try Self.engine(entries: 3)
        let told = Locked<[String]>([])
        let order = Self.follower(engine) { sentence in told.withLock { $0.append(sentence) } }
        try await Self.follow(order) {
            try await Self.until { order.standing == .ordered(line) }
            engine.state.withLock { $0.streams[OrderStream.name]?.records.append(Array("hello".utf8)) }
            try await Self.until { told.withLock { !$0.isEmpty } }
            #expect(told.withLock { $0[0] }.contains("is not an entry of the order"))
            #expect(told.withLock { $0[0] }.contains(OrderStream.subject))
            // The known state is kept: records are still accepted into the open streams.
            #expect(order.standing == .ordered(line))
            engine.state.withLock { state in _ = state.streams[OrderStream.name]?.records.removeLast() }
            try await Self.until { order.standing == .ordered(line) && order.trouble == nil }
            // If the order is missing, the first stream's own order is not used instead.
            let gone = engine.state.withLock { state in state.streams.removeValue(forKey: OrderStream.name) }
            try await Self.until { order.trouble?.contains("is gone") == true }
            #expect(order.standing == .ordered(line))
            engine.state.withLock { $0.streams[OrderStream.name] = gone }
            try await Self.until { order.trouble == nil }
            #expect(order.standing == .ordered(line))
        }
    }

    @Test("a deleted record stops the reader; an unavailable stream stops it only at the stream's next record")
    func holes() async throws {
        let (engine, line) = try Self.engine(entries: 40)
        let order = Self.follower(engine)
        try await Self.follow(order) {
            try await Self.until { order.standing == .ordered(line) }
            let all = Self.expected(engine)
            engine.state.withLock { $0.silent = ["INTAKE_2"] }
            let first = try #require(all.firstIndex { $0.hasPrefix("INTAKE_2/") })
            let before = try await Self.read(Self.records(order, engine), from: 1, to: UInt64(first) + 1)
            #expect(before.count == first)
            await #expect(throws: StreamFault.self) {
                try await Self.read(Self.records(order, engine), from: 1, to: UInt64(first) + 2)
            }
            engine.state.withLock { state in
                state.silent = []
                state.streams["INTAKE_2"]?.records[4] = nil
            }
            let gap = await #expect(throws: StreamFault.self) {
                try await Self.read(Self.records(order, engine), from: 1, to: line.end)
            }
            #expect(gap == .gap(stream: "INTAKE_2", sequence: 5, next: 6))
        }
    }

    @Test("a purge removes records from each stream and unneeded entries, and repeating it changes nothing")
    func purge() async throws {
        let (engine, line) = try Self.engine(entries: 300)
        let order = Self.follower(engine)
        let upkeep = OrderedMaintenance(order) { StreamRetention(engine, place: StreamNames(number: $0)) }
        try await Self.follow(order) {
            try await Self.until { order.standing == .ordered(line) }
            let all = Self.expected(engine)
            #expect(try await upkeep.extent() == StreamExtent(first: 1, last: line.end - 1))
            var removed: UInt64 = 0
            for before in [5, 18, 19, 100, 101, line.end / 2, line.end - 1] {
                removed += try await upkeep.purge(before: before)
                #expect(removed == before - 1)
                #expect(try await upkeep.purge(before: before) == 0)
                #expect(try await upkeep.extent() == StreamExtent(first: before, last: line.end - 1))
                #expect(try await upkeep.time(of: before) != nil)
                let late = Self.follower(engine)
                try await Self.follow(late) {
                    try await Self.until { late.standing == .ordered(line) }
                    let rest = try await Self.read(Self.records(late, engine), from: before, to: line.end)
                    #expect(
                        rest.map { String(decoding: $0.payload, as: UTF8.self) }
                            == Array(all.dropFirst(Int(before) - 1))
                    )
                    await #expect(throws: StreamFault.self) {
                        try await Self.read(Self.records(late, engine), from: before - 1, to: before)
                    }
                }
            }
            // The newest entries remain, and few of the others.
            let entries = engine.state.withLock { $0.streams[OrderStream.name]?.records.count { $0 != nil } ?? 0 }
            #expect(entries < 128 && entries > 0)
        }
    }
}
