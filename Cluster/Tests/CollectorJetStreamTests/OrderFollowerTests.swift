// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import CollectorJetStream

@Suite("Following the order of several streams")
struct OrderFollowerTests {
    /// Two streams that follow a stream of seventeen records, ordered in entries of a few records each.
    private static func engine(entries: Int) throws -> (engine: InMemoryCluster, streamOrder: StreamOrder) {
        let engine = InMemoryCluster(["INTAKE_0": 17, OrderStream.name: 0])
        var streamOrder = StreamOrder(after: 17)
        var (all, known) = ([streamOrder.openingEntry(for: [1, 2])], [1: UInt64(0), 2: 0])
        try streamOrder.apply(all[0])
        for number in 1..<max(1, entries) {
            known[1 + number % 2, default: 0] += UInt64(1 + number % 3)
            if number % 5 == 0 { known[1 + (number + 1) % 2, default: 0] += 2 }
            let next = try #require(streamOrder.proposal(known: known))
            try streamOrder.apply(next)
            all.append(next)
        }
        engine.appendToOrder(all)
        for (stream, count) in known { engine.add(Int(count), to: stream) }
        return (engine, streamOrder)
    }

    private static func follower(
        _ engine: InMemoryCluster,
        onWarning: @escaping @Sendable (String) -> Void = { _ in }
    ) -> OrderFollower {
        let clock = ManualClock()
        return OrderFollower(
            OrderStream(engine, system: engine),
            clock: clock,
            jitter: 0,
            // The clock advances only while a task sleeps.
            sleep: { duration in
                clock.advance(by: duration)
                await Task.yield()
            },
            end: { _, _ in nil },
            onChange: { _ in },
            onWarning: onWarning
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
                        names: StreamNames(number: number),
                        sleep: { _ in await Task.yield() },
                        highest: { 0 },
                        onReach: { _ in }
                    )
                followers[number] = follower
                return follower
            }
        }
    }

    /// Follows the order while `body` runs.
    private static func run(_ order: OrderFollower, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await order.run() }
            group.addTask { try await body() }
            try await group.next()
            group.cancelAll()
        }
    }

    private static func until(_ condition: () -> Bool) async throws { try await Deadline.wait(while: !condition()) }

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

    @Test(arguments: [2, 3, 64, 65, 66, 700])
    func `all records are read in order from any position, whether their entries are recent or old`(entries: Int)
        async throws
    {
        let (engine, streamOrder) = try Self.engine(entries: entries)
        let order = Self.follower(engine)
        try await Self.run(order) {
            try await Self.until { order.status == .ordered(streamOrder) }
            let all = try await Self.read(Self.records(order, engine), from: 1, to: streamOrder.end)
            #expect(all.map { String(decoding: $0.payload, as: UTF8.self) } == Self.expected(engine))
            #expect(all.map(\.start.streamSequence) == Array(1..<streamOrder.end))
            var random = SeededNumberGenerator(seed: UInt64(entries))
            for _ in 0..<20 {
                let first = UInt64(random.number(1...Int(streamOrder.end - 1)))
                let part = try await Self.read(Self.records(order, engine), from: first, to: streamOrder.end)
                #expect(part == Array(all.dropFirst(Int(first) - 1)))
                let location = try #require(try await order.location(of: first))
                #expect(Array("INTAKE_\(location.stream)/\(location.sequence)".utf8) == all[Int(first) - 1].payload)
            }
            #expect(try await order.location(of: streamOrder.end) == nil)
        }
    }

    @Test
    func `without an order, the first stream is read alone until an order exists`() async throws {
        let engine = InMemoryCluster(["INTAKE_0": 17])
        let order = Self.follower(engine)
        try await Self.run(order) {
            try await Self.until { order.status == .single }
            let records = Self.records(order, engine)
            #expect(try await Self.read(records, from: 1, to: 18).count == 17)
            #expect(order.sequence(of: 9, in: 0) == 9 && order.sequence(of: 9, in: 1) == nil)
            var streamOrder = StreamOrder(after: 17)
            engine.state.withLock { $0.streams[OrderStream.name] = InMemoryCluster.Stream() }
            engine.appendToOrder([streamOrder.openingEntry(for: [1, 2])])
            engine.add(3, to: 1)
            try streamOrder.apply(streamOrder.openingEntry(for: [1, 2]))
            try await Self.until { order.status == .ordered(streamOrder) }
            // These records are not in the order yet: a follower that learns of them adds them.
            order.recordKnownEnd(3, in: 1)
            #expect(order.missingCount == 3 && order.sequence(of: 3, in: 1) == nil)
            try await Self.until { order.ends[1] == 3 }
            #expect(order.missingCount == 0 && order.sequence(of: 3, in: 1) == 20)
            #expect(
                try await Self.read(records, from: 17, to: 21).map(\.payload).map {
                    String(decoding: $0, as: UTF8.self)
                } == [
                    "INTAKE_0/17", "INTAKE_1/1", "INTAKE_1/2", "INTAKE_1/3",
                ]
            )
        }
    }

    @Test
    func `one of several deciding processes succeeds, lost answers are resolved, and no record is in the order twice`()
        async throws
    {
        let (engine, _) = try Self.engine(entries: 1)
        engine.state.withLock { $0.lostAnswers = 3 }
        let orders = (0..<3).map { _ in Self.follower(engine) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for order in orders { group.addTask { await order.run() } }
            group.addTask {
                for number in 1...50 {
                    engine.add(1, to: 1 + number % 2)
                    let ends = engine.state.withLock { state in
                        [1, 2].map { UInt64(state.streams["INTAKE_\($0)"]?.records.count ?? 0) }
                    }
                    for stream in [1, 2] { orders[number % 3].recordKnownEnd(ends[stream - 1], in: stream) }
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

    @Test
    func `a foreign record in the order is reported, and nothing after it is read`() async throws {
        let (engine, streamOrder) = try Self.engine(entries: 3)
        let warnings = Locked<[String]>([])
        let order = Self.follower(engine) { sentence in warnings.withLock { $0.append(sentence) } }
        try await Self.run(order) {
            try await Self.until { order.status == .ordered(streamOrder) }
            engine.state.withLock { $0.streams[OrderStream.name]?.records.append(Array("hello".utf8)) }
            try await Self.until { warnings.withLock { !$0.isEmpty } }
            #expect(warnings.withLock { $0[0] }.contains("is not an entry of the order"))
            #expect(warnings.withLock { $0[0] }.contains(OrderStream.subject))
            // The known state is kept: records are still accepted into the open streams.
            #expect(order.status == .ordered(streamOrder))
            engine.state.withLock { state in _ = state.streams[OrderStream.name]?.records.removeLast() }
            try await Self.until { order.status == .ordered(streamOrder) && order.failureReason == nil }
            // If the order is missing, the first stream's own order is not used instead.
            let removed = engine.state.withLock { state in state.streams.removeValue(forKey: OrderStream.name) }
            try await Self.until { order.failureReason?.contains("is gone") == true }
            #expect(order.status == .ordered(streamOrder))
            engine.state.withLock { $0.streams[OrderStream.name] = removed }
            try await Self.until { order.failureReason == nil }
            #expect(order.status == .ordered(streamOrder))
        }
    }

    @Test
    func `a deleted record stops the reader; an unavailable stream stops it only at the stream's next record`()
        async throws
    {
        let (engine, streamOrder) = try Self.engine(entries: 40)
        let order = Self.follower(engine)
        try await Self.run(order) {
            try await Self.until { order.status == .ordered(streamOrder) }
            let all = Self.expected(engine)
            engine.state.withLock { $0.unavailable = ["INTAKE_2"] }
            let first = try #require(all.firstIndex { $0.hasPrefix("INTAKE_2/") })
            let before = try await Self.read(Self.records(order, engine), from: 1, to: UInt64(first) + 1)
            #expect(before.count == first)
            await #expect(throws: StreamFault.self) {
                try await Self.read(Self.records(order, engine), from: 1, to: UInt64(first) + 2)
            }
            engine.state.withLock { state in
                state.unavailable = []
                state.streams["INTAKE_2"]?.records[4] = nil
            }
            let gap = await #expect(throws: StreamFault.self) {
                try await Self.read(Self.records(order, engine), from: 1, to: streamOrder.end)
            }
            #expect(gap == .gap(stream: "INTAKE_2", sequence: 5, next: 6))
        }
    }

    @Test
    func `a purge removes records from each stream and unneeded entries, and repeating it changes nothing`()
        async throws
    {
        let (engine, streamOrder) = try Self.engine(entries: 300)
        let order = Self.follower(engine)
        let maintenance = OrderedMaintenance(order) { StreamRetention(engine, names: StreamNames(number: $0)) }
        try await Self.run(order) {
            try await Self.until { order.status == .ordered(streamOrder) }
            let all = Self.expected(engine)
            #expect(try await maintenance.extent() == StreamExtent(first: 1, last: streamOrder.end - 1))
            var removed: UInt64 = 0
            for before in [5, 18, 19, 100, 101, streamOrder.end / 2, streamOrder.end - 1] {
                removed += try await maintenance.purge(before: before)
                #expect(removed == before - 1)
                #expect(try await maintenance.purge(before: before) == 0)
                #expect(try await maintenance.extent() == StreamExtent(first: before, last: streamOrder.end - 1))
                #expect(try await maintenance.time(of: before) != nil)
                let newFollower = Self.follower(engine)
                try await Self.run(newFollower) {
                    try await Self.until { newFollower.status == .ordered(streamOrder) }
                    let rest = try await Self.read(Self.records(newFollower, engine), from: before, to: streamOrder.end)
                    #expect(
                        rest.map { String(decoding: $0.payload, as: UTF8.self) }
                            == Array(all.dropFirst(Int(before) - 1))
                    )
                    await #expect(throws: StreamFault.self) {
                        try await Self.read(Self.records(newFollower, engine), from: before - 1, to: before)
                    }
                }
            }
            // The newest entries remain, and only a few of the others.
            let entries = engine.state.withLock { $0.streams[OrderStream.name]?.records.count { $0 != nil } ?? 0 }
            #expect(entries < 128 && entries > 0)
        }
    }
}
