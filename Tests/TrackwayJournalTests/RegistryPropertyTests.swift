// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// Queues that are added and removed at random, compared with a model.
///
/// Recording, restarts, kills and another process are interleaved. The model lists each queue's expected events.
@Suite("Added and removed destinations, compared with a model")
struct RegistryPropertyTests {
    private struct RandomWalk {
        var environment = QueueEnvironment()
        var random: SeededGenerator
        var journal: Journal
        var consumer: JournalConsumer
        var exists: [DestinationID: Bool] = ["a": false, "b.new": false, "c": false]
        var expected: [DestinationID: [String]] = [:]
        var delivered: [DestinationID: [String]] = [:]
        var number = 0

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            journal = try environment.open(["collector"])
            consumer = try #require(try journal.tryElection())
        }

        var names: [DestinationID] { exists.keys.sorted() }
        var present: [DestinationID] { names.filter { exists[$0] == true } }

        mutating func step() throws {
            let name = names[random.next(below: names.count)]
            switch random.next(below: 20) {
            case 0...8: record()
            case 9...10:
                journal.addDestination(name)
                exists[name] = true
            case 11:
                journal.removeDestination(name)
                exists[name] = false
            case 12...14 where exists[name] == true:
                _ = try consumer.transfer(for: name)
                delivered[name, default: []] += try consumer.deliverReleased(name)
                #expect(try consumer.waitingCount(for: name) == 0)
            case 15: delivered["collector", default: []] += try consumer.deliverAll("collector")
            case 16...17: try consumer.maintain(at: environment.clock.now())
            case 18: if random.next(below: 3) == 0 { try reopen() }
            default: try visit()
            }
            if exists[name] == true {
                let waiting = (expected[name] ?? []).count - (delivered[name] ?? []).count
                #expect(try consumer.waitingCount(for: name) == UInt64(waiting))
            }
            #expect(try journal.ledger().isBalanced)
        }

        private mutating func record() {
            for _ in 0...random.next(below: 4) {
                number += 1
                let text = "\(number)" + String(repeating: "x", count: random.next(below: 300))
                let route = random.nextBool() ? [] : present.filter { _ in random.nextBool() }
                journal.append(text, to: route)
                for id in route.isEmpty ? present + ["collector"] : route { expected[id, default: []].append(text) }
            }
        }

        /// Runs another process that records an event for the configured destination and ends.
        private mutating func visit() throws {
            guard random.next(below: 3) == 0 else { return }
            let visitor = try environment.open(["collector"])
            number += 1
            visitor.append("\(number) visitor's", to: ["collector"])
            expected["collector", default: []].append("\(number) visitor's")
            visitor.close()
        }

        private mutating func reopen() throws {
            if random.nextBool(), let memory = environment.storage as? MemoryStorage {
                environment.storage = memory.afterKill()
            } else {
                consumer.close()
                journal.close()
            }
            journal = try environment.open(["collector"], expected: present)
            consumer = try #require(try journal.tryElection())
        }

        mutating func finish() throws {
            for id in names {
                journal.addDestination(id)
                _ = try consumer.transfer(for: id)
                delivered[id, default: []] += try consumer.deliverReleased(id)
                #expect(delivered[id] == expected[id] ?? [])
                let account = try #require(try journal.ledger().destinations[id])
                let count = UInt64(expected[id]?.count ?? 0)
                #expect(account == Ledger.Account(recorded: count, delivered: count))
            }
            delivered["collector", default: []] += try consumer.deliverAll("collector")
            // Writers alternate, so the order is kept only within one writer.
            #expect(delivered["collector"]?.sorted() == expected["collector"]?.sorted())
            for _ in 0..<2 { try consumer.maintain(at: environment.clock.now()) }
            #expect(environment.segments.count <= 3)
        }
    }

    @Test(arguments: 0..<20)
    func `each destination gets the events recorded while it was added, once and in order, and the ledger balances`(
        seed: UInt64
    ) throws {
        var walk = try RandomWalk(seed: seed)
        for _ in 0..<200 { try walk.step() }
        try walk.finish()
    }
}
