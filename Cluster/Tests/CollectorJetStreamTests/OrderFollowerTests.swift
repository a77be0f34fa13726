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
    /// Two streams behind one of seventeen records, in entries of a few records each.
    private static func engine(entries: Int, gone: Int = 0) throws -> (engine: StreamsEngine, line: OrderLine) {
        let engine = StreamsEngine(["INTAKE_0": 17, OrderStream.name: 0])
        var line = OrderLine(behind: 17)
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
        _ engine: StreamsEngine,
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) -> OrderFollower {
        let clock = ManualClock()
        return OrderFollower(
            OrderStream(engine, system: engine),
            clock: clock,
            chance: 0,
            // Time passes while somebody waits, and no other.
            sleep: { duration in
                clock.advance(by: duration)
                await Task.yield()
            },
            end: { _, _ in nil },
            changed: { _ in },
            notice: notice
        )
    }

    private static func records(_ order: OrderFollower, _ engine: StreamsEngine) -> OrderedRecords {
        let followers = Locked<[Int: StreamFollower]>([:])
        return OrderedRecords(order) { number in
            followers.withLock { followers in
                let follower =
                    followers[number]
                    ?? StreamFollower(
                        engine,
                        place: StreamPlace(number: number),
                        sleep: { _ in await Task.yield() },
                        highest: { 0 },
                        reached: { _ in }
                    )
                followers[number] = follower
                return follower
            }
        }
    }

    /// Follows until something is so, while `body` does.
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

    /// What is in the order, by a second computation.
    private static func expected(_ engine: StreamsEngine) -> [String] {
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
        "everything is read in the order, from the beginning and from any place, whether its entries are among the newest or long past",
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

    @Test("where there is no order the first stream is read by itself, until there is one")
    func single() async throws {
        let engine = StreamsEngine(["INTAKE_0": 17])
        let order = Self.follower(engine)
        try await Self.follow(order) {
            try await Self.until { order.standing == .single }
            let records = Self.records(order, engine)
            #expect(try await Self.read(records, from: 1, to: 18).count == 17)
            #expect(order.sequence(of: 9, in: 0) == 9 && order.sequence(of: 9, in: 1) == nil)
            var line = OrderLine(behind: 17)
            engine.state.withLock { $0.streams[OrderStream.name] = StreamsEngine.Stream() }
            engine.put([line.opening([1, 2])])
            engine.add(3, to: 1)
            try line.take(line.opening([1, 2]))
            try await Self.until { order.standing == .ordered(line) }
            // Nobody has put them into the order: whoever hears of them does.
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

    @Test("of several who decide one does; a lost answer is found out, and nothing is in the order twice")
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

    @Test("what somebody else put into the order is told, and nothing is read beyond it")
    func stranger() async throws {
        let (engine, line) = try Self.engine(entries: 3)
        let told = Locked<[String]>([])
        let order = Self.follower(engine) { sentence in told.withLock { $0.append(sentence) } }
        try await Self.follow(order) {
            try await Self.until { order.standing == .ordered(line) }
            engine.state.withLock { $0.streams[OrderStream.name]?.records.append(Array("hello".utf8)) }
            try await Self.until { told.withLock { !$0.isEmpty } }
            #expect(told.withLock { $0[0] }.contains("no entry of the order"))
            #expect(told.withLock { $0[0] }.contains(OrderStream.subject))
            // What was known stays so: records go on being taken into the streams that are open.
            #expect(order.standing == .ordered(line))
            engine.state.withLock { state in _ = state.streams[OrderStream.name]?.records.removeLast() }
            try await Self.until { order.standing == .ordered(line) && order.trouble == nil }
            // Without the order nobody takes the first stream's own for it.
            let gone = engine.state.withLock { state in state.streams.removeValue(forKey: OrderStream.name) }
            try await Self.until { order.trouble?.contains("is gone") == true }
            #expect(order.standing == .ordered(line))
            engine.state.withLock { $0.streams[OrderStream.name] = gone }
            try await Self.until { order.trouble == nil }
            #expect(order.standing == .ordered(line))
        }
    }

    @Test(
        "a record that is gone stops the reading; a stream that is silent stops it where its next record is, and not before"
    )
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

    @Test(
        "what is purged goes from each stream, and entries that nobody needs with it; again, and after a death, it comes to the same"
    )
    func purge() async throws {
        let (engine, line) = try Self.engine(entries: 300)
        let order = Self.follower(engine)
        let upkeep = OrderedUpkeep(order) { StreamKeeping(engine, place: StreamPlace(number: $0)) }
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
            // The newest entries are there still, and few of the others.
            let entries = engine.state.withLock { $0.streams[OrderStream.name]?.records.count { $0 != nil } ?? 0 }
            #expect(entries < 128 && entries > 0)
        }
    }
}
