// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayJournal
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("A slow disk")
struct DeliveryThreadTests {
    @Test(
        .timeLimit(.minutes(30)),
        arguments: [StorageOperation.replace, .size, .names]
    )
    func `while delivery waits for the disk, tasks continue, counting works, and consent changes return`(
        _ operation: StorageOperation
    ) async throws {
        let names = try (1...12).map { try #require(DestinationID("to-\($0)")) }
        let idle = IdleDetector()
        let environment = try DeliveryEnvironment(names, idle: idle, executor: idle.thread())
        environment.begin()
        environment.record(40)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        let before = try environment.journal.ledger()
        environment.storage.hold(operation, paths: "/writers/")
        environment.record(40)
        environment.service.admissionChanged()
        try await Deadline.wait(while: environment.storage.heldCalls == 0)
        // All threads of the shared task pool are free.
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 { group.addTask { await Task.yield() } }
        }
        environment.service.admissionChanged()
        if operation == .replace {
            // Counting does not wait for the lock that is held during disk writes.
            let during = try environment.journal.ledger()
            #expect(during.isBalanced)
            #expect(during.recorded == before.recorded + 40)
            #expect(environment.service.waitingCount(for: "to-1") <= 40)
        }
        environment.storage.release()
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        #expect(try environment.journal.ledger().destinations["to-12"]?.delivered == 80)
        await environment.end()
    }

    @Test(arguments: 0..<3)
    func `on a dedicated thread, everything is delivered once, in order`(seed: Int) async throws {
        let idle = IdleDetector()
        let environment = try DeliveryEnvironment(
            ["one", "two"],
            idle: idle,
            executor: idle.thread(),
            seed: UInt64(seed)
        )
        environment.begin()
        for _ in 0..<10 {
            environment.record(100)
            #expect(await environment.service.flush(timeout: .seconds(60)).isComplete)
        }
        // Both destinations accepted the same events.
        #expect(environment.collector.rows == 1_000)
        #expect(environment.collector.duplicates == 1_000)
        #expect(environment.collector.keepsOrder)
        await environment.service.shutdown(timeout: .seconds(1))
        await environment.waitUntilEnded()
    }
}
