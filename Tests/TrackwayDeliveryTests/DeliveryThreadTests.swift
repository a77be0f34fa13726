// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Dispatch
import Testing
import TrackwayEvents
import TrackwayJournal
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("A disk that takes its time")
struct DeliveryThreadTests {
    /// One piece of work after the other on a queue of its own.
    private final class QueueExecutor: SerialExecutor {
        private let queue = DispatchQueue(label: "delivery")

        func enqueue(_ job: UnownedJob) {
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    }

    @Test(
        "while delivery waits for the disk, tasks go on, counting answers, and changes of consent return",
        .timeLimit(.minutes(10)),
        arguments: [StorageOperation.replace, .size, .names]
    )
    func slowDisk(_ operation: StorageOperation) async throws {
        let names = try (1...12).map { try #require(DestinationID("to-\($0)")) }
        let world = try DeliveryWorld(names, executor: QueueExecutor())
        world.begin()
        world.record(40)
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        let before = try world.journal.ledger()
        world.storage.hold(operation, paths: "/writers/")
        world.record(40)
        world.service.admissionChanged()
        while world.storage.heldCalls == 0 { await Task.yield() }
        // Every thread that all tasks share is free.
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 { group.addTask { await Task.yield() } }
        }
        world.service.admissionChanged()
        if operation == .replace {
            // What a disk is written under is not what counting waits for.
            let during = try world.journal.ledger()
            #expect(during.isBalanced)
            #expect(during.recorded == before.recorded + 40)
            #expect(world.service.waiting(for: "to-1") <= 40)
        }
        world.storage.release()
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        #expect(try world.journal.ledger().destinations["to-12"]?.delivered == 80)
        await world.end()
    }

    @Test("on a thread of its own everything is delivered once, in order", arguments: 0..<3)
    func ordinary(seed: Int) async throws {
        let world = try DeliveryWorld(["one", "two"], executor: QueueExecutor(), seed: UInt64(seed))
        world.begin()
        for _ in 0..<10 {
            world.record(100)
            #expect(await world.service.flush(timeout: .seconds(60)).isComplete)
        }
        // Both destinations took the same events.
        #expect(world.collector.rows == 1_000)
        #expect(world.collector.duplicates == 1_000)
        #expect(world.collector.keepsOrder)
        await world.service.shutdown(timeout: .seconds(1))
        await world.ended()
    }
}
