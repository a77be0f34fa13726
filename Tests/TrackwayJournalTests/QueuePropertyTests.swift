// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// Random operations on two queues, compared with a simple model.
///
/// They include an ordinary destination, several writers, restarts, kills and trimming.
@Suite("Queues, compared with a model")
struct QueuePropertyTests {
    private static let queues: [DestinationID] = ["first", "second"]

    /// The journal under test and its expected content.
    private struct RandomWalk {
        var environment: QueueEnvironment
        var random: SeededGenerator
        var own: Journal
        var others: [(journal: Journal, line: Int)] = []
        var consumer: JournalConsumer
        var models = [QueueModel(), QueueModel()]
        var line = 0
        var number = 0

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            environment = QueueEnvironment(destinations: ["collector"] + QueuePropertyTests.queues)
            environment.maximumBytes = seed % 3 == 0 ? 24 * 1024 : 1 << 30
            own = try environment.open()
            consumer = try #require(try own.tryElection())
        }

        mutating func step() throws {
            switch random.next(below: 16) {
            case 0...7: record()
            case 8: try transfer(random.next(below: 2))
            case 9...11: try deliver(random.next(below: 2))
            case 12: _ = try consumer.deliverAll("collector")
            case 13: try maintain()
            case 14: if random.next(below: 4) == 0 { try reopen(isKilled: random.nextBool()) }
            default: if others.count < 2, random.next(below: 4) == 0 { try startOther() }
            }
            for (queue, model) in zip(QueuePropertyTests.queues, models) where random.next(below: 3) == 0 {
                #expect(try consumer.waitingCount(for: queue) == UInt64(model.waiting.count))
                #expect(try (consumer.releasedCount(for: queue) > 0) == !model.released.isEmpty)
            }
        }

        private mutating func record() {
            let index = random.next(below: others.count + 1)
            let (journal, line) = index < others.count ? others[index] : (own, line)
            for _ in 0...random.next(below: 6) {
                number += 1
                let text = "\(line).\(number)" + String(repeating: "x", count: random.next(below: 150))
                let route: [DestinationID] =
                    switch random.next(below: 5) {
                    case 0: ["first"]
                    case 1: ["second"]
                    case 2: QueuePropertyTests.queues
                    case 3: ["collector"]
                    default: []
                    }
                journal.append(text, to: route)
                for (index, queue) in QueuePropertyTests.queues.enumerated() {
                    if route.isEmpty || route.contains(queue) { models[index].record(text, at: line) }
                }
            }
        }

        private mutating func transfer(_ index: Int) throws {
            let expected = models[index].transfer()
            #expect(try consumer.transfer(for: QueuePropertyTests.queues[index]) == expected)
        }

        private mutating func deliver(_ index: Int) throws {
            let most = 1 + random.next(below: 9)
            let queue = QueuePropertyTests.queues[index]
            let batch = try consumer.read(for: queue, limits: (events: most, bytes: 1 << 20), onlyReleased: true)
            // A batch without records only reports losses.
            if let batch, batch.texts.isEmpty { return try consumer.settle(batch, records: 0..<0, delivered: 0) }
            #expect(batch?.texts ?? [] == models[index].next(most))
            guard let batch else { return }
            let part = random.next(below: batch.texts.count + 1)
            try consumer.settle(batch, records: 0..<part, delivered: part)
            consumer.release(batch)
            models[index].settle(part)
        }

        private mutating func maintain() throws {
            guard environment.maximumBytes < 1 << 30 else { return try consumer.maintain(at: environment.clock.now()) }
            // Deliver released events first, so that a trim can only drop waiting events.
            for (index, queue) in QueuePropertyTests.queues.enumerated() {
                #expect(try consumer.deliverReleased(queue) == models[index].released)
                while !models[index].released.isEmpty { models[index].settle(1) }
            }
            try consumer.maintain(at: environment.clock.now())
            for (index, queue) in QueuePropertyTests.queues.enumerated() {
                let left = try consumer.waitingTexts(queue, limit: 100_000)
                let isTrimmed = models[index].trim(leaving: left)
                #expect(isTrimmed)
            }
        }

        private mutating func startOther() throws {
            others.append((try environment.open(), line + others.count + 1))
        }

        /// Ends every process and starts one that delivers.
        private mutating func reopen(isKilled: Bool) throws {
            if isKilled, let memory = environment.storage as? MemoryStorage {
                environment.storage = memory.afterKill()
            } else {
                consumer.close()
                for other in others { other.journal.close() }
                own.close()
            }
            // Lines are numbered in the order the writers started.
            line += others.count + 1
            others = []
            own = try environment.open()
            consumer = try #require(try own.tryElection())
        }

        mutating func finish() throws {
            for (index, queue) in QueuePropertyTests.queues.enumerated() {
                try transfer(index)
                #expect(try consumer.deliverReleased(queue) == models[index].released)
                while !models[index].released.isEmpty { models[index].settle(1) }
                let account = try #require(try own.ledger().destinations[queue])
                #expect(account.isBalanced)
                #expect(account.pending == 0)
                #expect(account.recorded == models[index].recorded)
                #expect(account.delivered == models[index].delivered)
                #expect(account.dropped.values.reduce(0, +) == models[index].dropped)
            }
            _ = try consumer.deliverAll("collector")
            try consumer.maintain(at: environment.clock.now())
            #expect(environment.segments.count <= 3 * (others.count + 1))
        }
    }

    @Test(arguments: 0..<UInt64(TestScale.count(15, full: 45)))
    func `waiting counts are exact, no events are lost, the order is kept and the ledger balances`(seed: UInt64) throws
    {
        var walk = try RandomWalk(seed: seed)
        for _ in 0..<400 { try walk.step() }
        try walk.finish()
    }
}
