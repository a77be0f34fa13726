// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayDelivery
import TrackwayTesting

@Suite("Queues in the public API")
struct QueueUploadTests {
    @Test(arguments: [0, 1, 2, 5])
    func `a queue is uploaded when it exceeds its threshold, not when it reaches it`(moreThan: Int) async throws {
        let memory = try InMemoryAnalytics()
        try await memory.addQueue(QueueFixture.policy(moreThan: moreThan))
        for number in 0..<moreThan { memory.analytics.record("event-\(number)", to: ["queue"]) }
        #expect(memory.analytics.pendingCount(for: "queue") == UInt64(moreThan))
        #expect(!memory.analytics.isReadyForUpload("queue"))
        #expect(!memory.analytics.requestUpload())
        #expect(memory.arrived(at: "queue") == [])
        memory.analytics.record("one more", to: ["queue"])
        try await memory.waitUntilArrived(moreThan + 1, at: "queue")
        #expect(memory.arrived(at: "queue").last == "one more")
        #expect(memory.analytics.pendingCount(for: "queue") == 0)
    }

    @Test
    func `the first event is sent immediately, the next when the time has passed, even after a restart`() async throws {
        let first = try InMemoryAnalytics()
        let policy = QueueFixture.policy(olderThan: .seconds(60))
        try await first.addQueue(policy)
        first.analytics.record("first", to: ["queue"])
        try await first.waitUntilArrived(1, at: "queue")
        let began = try #require(first.analytics.lastUpload(of: "queue"))
        #expect(began == first.clock.now().wall)
        // Flushing stores the delivery. A kill before that would cause the event to be sent again.
        #expect(await first.analytics.flush().isComplete)
        let memory = try InMemoryAnalytics(storage: first.storageAfterKill(), clock: first.clock)
        try await memory.addQueue(policy)
        #expect(memory.analytics.lastUpload(of: "queue") == began)
        memory.analytics.record("second", to: ["queue"])
        #expect(memory.analytics.pendingCount(for: "queue") == 1)
        // The wall clock is ignored within a boot.
        memory.clock.jumpWall(by: .seconds(86_400))
        memory.clock.advance(by: .seconds(60))
        #expect(!memory.analytics.isReadyForUpload("queue"))
        memory.clock.advance(by: .milliseconds(1))
        try await memory.waitUntilArrived(1, at: "queue")
        #expect(memory.arrived(at: "queue") == ["second"])
    }

    @Test
    func `events that are handed over are sent, later ones wait, and both are counted`() async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        try await memory.addQueue(QueueFixture.policy())
        #expect(!analytics.requestUpload(force: true))
        analytics.record("one", to: ["queue"])
        analytics.record("other's", to: ["collector"])
        analytics.record("two", to: ["queue"])
        let waiting = analytics.waitingEvents(for: "queue", limit: 10).compactMap { try? JSONValue.parse($0) }
        #expect(waiting.map { $0["name"]?.string } == ["one", "two"])
        #expect(!analytics.requestUpload(of: ["queue"]))
        memory.transport.hold()
        #expect(analytics.requestUpload(of: ["queue"], force: true))
        analytics.record("three", to: ["queue"])
        #expect(analytics.pendingCount(for: "queue") == 1)
        memory.transport.release()
        try await memory.waitUntilArrived(2, at: "queue")
        #expect(memory.arrived(at: "queue") == ["one", "two"])
        #expect(analytics.pendingCount(for: "queue") == 1)
        _ = await analytics.flush()
        let account = try #require(analytics.ledger().destinations["queue"])
        #expect(account == Ledger.Account(recorded: 3, delivered: 3))
    }

    @Test
    func `an upload request reports unknown queues and uploads the existing ones`() async throws {
        let memory = try InMemoryAnalytics()
        try await memory.addQueue(QueueFixture.policy())
        memory.analytics.record("one", to: ["queue"])
        #expect(!memory.analytics.requestUpload(of: ["nobody"], force: true))
        #expect(memory.diagnostics.map(\.code) == [.unknownDestination])
        #expect(memory.analytics.requestUpload(of: ["nobody", "queue"], force: true))
        #expect(memory.analytics.pendingCount(for: "nobody") == 0)
        #expect(!memory.analytics.isReadyForUpload("nobody"))
        #expect(memory.analytics.waitingEvents(for: "nobody", limit: 5).isEmpty)
    }

    @Test
    func `a changed queue policy takes effect immediately`() async throws {
        let memory = try InMemoryAnalytics()
        try await memory.addQueue(QueueFixture.policy())
        memory.analytics.record("one", to: ["queue"])
        memory.analytics.setQueue(QueuePolicy(acceptSameEventAfter: .seconds(5), uploadWhenMoreThan: 1), of: "queue")
        #expect(memory.analytics.record("two", to: ["queue"]).durability == .kernel)
        try await memory.waitUntilArrived(2, at: "queue")
        #expect(memory.analytics.record("two", to: ["queue"]).dropped == .duplicate)
    }

    @Test
    func `an event may have a time chosen by the app`() async throws {
        let memory = try InMemoryAnalytics()
        try await memory.addQueue(QueueFixture.policy())
        memory.analytics.record("old", ["n": 1], to: ["queue"], at: Timestamp(milliseconds: 1_000))
        let event = try #require(memory.events(named: "old").first?.event)
        #expect(event.time == Timestamp(milliseconds: 1_000))
        #expect(event.attributes["n"] == 1)
    }

    @Test
    func `the example in the documentation works as described`() async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics

        var policy = DeliveryPolicy()
        policy.queue = QueuePolicy(
            acceptSameEventAfter: .seconds(3600),
            uploadWhenMoreThan: 32,
            uploadWhenOlderThan: .seconds(60)
        )
        try analytics.addDestination(QueueFixture.destination("orders").configured(delivery: policy))
        _ = await analytics.flush()
        analytics.record("order", ["total": 99.9], to: ["orders"])
        let again = analytics.record("order", ["total": 99.9], to: ["orders"])
        #expect(again.dropped == .duplicate)
        analytics.record("order", ["total": 12.5], to: ["orders"])
        analytics.requestUpload(of: ["orders"], force: true)
        try await memory.waitUntilArrived(2, at: "orders")
        #expect(analytics.pendingCount(for: "orders") == 0)
        #expect(analytics.removeDestination("orders"))
    }
}
