// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Durable recording")
struct DurabilityTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a durable receipt means that the event survives power loss`(seed: UInt64) async throws {
        let memory = try InMemoryAnalytics()
        let receipt = try await memory.analytics.recordDurably("purchase", ["total": 12.5])
        #expect(receipt.durability == .disk)
        for number in 0..<10 { memory.analytics.record("unflushed", ["n": .integer(Int64(number))]) }
        let disk = memory.storageAfterPowerLoss(seed == 0 ? .everythingUnflushed : .someUnflushed(seed: seed))
        let next = try InMemoryAnalytics(storage: disk)
        #expect(next.analytics.installationID == memory.analytics.installationID)
        #expect(next.events(named: "purchase").map(\.id) == [receipt.id])
        let report = await next.analytics.flush()
        #expect(report.isComplete)
        #expect(next.transport.delivered(named: "purchase").count == 1)
        #expect(next.analytics.ledger().isBalanced)
    }

    @Test
    func `a typed event can be recorded durably`() async throws {
        let memory = try InMemoryAnalytics()
        let receipt = try await memory.analytics.recordDurably(AddToCart(sku: "A-1", price: 12.5))
        #expect(receipt.durability == .disk)
        #expect(memory.events(named: "add_to_cart").map(\.id) == [receipt.id])
    }

    @Test
    func `many callers share few flushes, and every caller gets a receipt`() async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        try await analytics.recordDurably("first")
        let before = memory.storage.count(of: .synchronizeSegment)
        memory.storage.hold(.synchronizeSegment)
        let first = Task { try await analytics.recordDurably("held") }
        try await Deadline.wait(while: memory.storage.heldCalls == 0)
        // All of these calls are made while a flush is in progress.
        let others = (0..<100).map { number in
            Task { try await analytics.recordDurably("other", ["n": .integer(Int64(number))]) }
        }
        try await Deadline.wait(while: memory.events(named: "other").count < 100)
        try await waitForWaiters(memory, 100)
        memory.storage.release()
        _ = try await first.value
        for other in others { #expect(try await other.value.durability == .disk) }
        #expect(memory.storage.count(of: .synchronizeSegment) - before == 2)
    }

    @Test
    func `a hung flush blocks neither recording nor the app's tasks`() async throws {
        let memory = try InMemoryAnalytics()
        memory.storage.hold(.synchronizeSegment)
        let analytics = memory.analytics
        let durable = Task { try await analytics.recordDurably("held") }
        try await Deadline.wait(while: memory.storage.heldCalls == 0)
        // If the threads of the pool were blocked, these tasks would never run.
        let count = await withTaskGroup(of: Receipt.self) { group in
            for _ in 0..<64 { group.addTask { analytics.record("meanwhile") } }
            return await group.reduce(0) { $0 + ($1.durability == .kernel ? 1 : 0) }
        }
        #expect(count == 64)
        memory.storage.release()
        #expect(try await durable.value.durability == .disk)
    }

    @Test
    func `a failed flush throws, the event is kept and delivered, and the next flush succeeds`() async throws {
        let memory = try InMemoryAnalytics()
        memory.storage.fail(.synchronizeSegment, with: .inputOutput, times: 1)
        let error = await #expect(throws: TrackwayError.self) {
            try await memory.analytics.recordDurably("purchase")
        }
        #expect(error?.code == .notDurable)
        #expect(error?.cause != nil)
        let second = try await memory.analytics.recordDurably("second")
        #expect(second.durability == .disk)
        _ = await memory.analytics.flush()
        #expect(memory.transport.delivered.map(\.event.name) == ["purchase", "second"])
        #expect(memory.analytics.ledger().isBalanced)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `after a failed flush, no event at risk from power loss is reported as durable`(seed: UInt64) async throws {
        let memory = try InMemoryAnalytics()
        memory.storage.fail(.synchronizeSegment, with: .inputOutput, after: Int(seed % 4), times: 1 + Int(seed % 3))
        var promised: Set<EventID> = []
        for number in 0..<8 {
            do throws(TrackwayError) {
                promised.insert(try await memory.analytics.recordDurably("n", ["n": .integer(Int64(number))]).id)
            } catch {
                #expect(error.code == .notDurable)
            }
        }
        #expect(!promised.isEmpty)
        let next = try InMemoryAnalytics(storage: memory.storageAfterPowerLoss(.someUnflushed(seed: seed)))
        #expect(promised.isSubset(of: next.recorded.map(\.id)))
    }

    @Test
    func `a failed flush fails every waiting caller, and a later durable event survives power loss`() async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        try await analytics.recordDurably("before")
        memory.storage.hold(.synchronizeSegment)
        memory.storage.fail(.synchronizeSegment, with: .inputOutput, times: 1)
        let first = Task { try await analytics.recordDurably("first") }
        try await Deadline.wait(while: memory.storage.heldCalls == 0)
        // This call is made during the failing flush. It waits for the next one, which succeeds.
        let second = Task { try await analytics.recordDurably("second") }
        try await Deadline.wait(while: memory.events(named: "second").isEmpty)
        try await waitForWaiters(memory, 2)
        memory.storage.release()
        for task in [first, second] {
            let error = await #expect(throws: TrackwayError.self) { try await task.value }
            #expect(error?.code == .notDurable)
        }
        let third = try await analytics.recordDurably("third")
        #expect(third.durability == .disk)
        let next = try InMemoryAnalytics(storage: memory.storageAfterPowerLoss())
        #expect(!next.events(named: "before").isEmpty && !next.events(named: "third").isEmpty)
        #expect(next.events(named: "first").isEmpty && next.events(named: "second").isEmpty)
    }

    @Test
    func `durable recording throws an error with the reason if the event may not be recorded`() async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.isEnabled = false
        let error = await #expect(throws: TrackwayError.self) {
            try await memory.analytics.recordDurably("purchase")
        }
        #expect(error?.code == .notRecorded)
        #expect(error?.message.contains("disabled") == true)
    }

    @Test
    func `canceling the caller does not undo the recording`() async throws {
        let memory = try InMemoryAnalytics()
        memory.storage.hold(.synchronizeSegment)
        let analytics = memory.analytics
        let durable = Task { try await analytics.recordDurably("purchase") }
        try await Deadline.wait(while: memory.storage.heldCalls == 0)
        durable.cancel()
        memory.storage.release()
        #expect(try await durable.value.durability == .disk)
        #expect(memory.events(named: "purchase").count == 1)
    }

    /// Waits until `count` callers wait for a flush.
    ///
    /// An event is recorded before its flush is requested. This covers the time between the two.
    private func waitForWaiters(_ memory: InMemoryAnalytics, _ count: Int) async throws {
        try await Deadline.wait(while: memory.analytics.storage.commits.waiterCount < count)
    }
}
