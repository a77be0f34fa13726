// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayDelivery
import TrackwayDestinationKit
import TrackwayTesting

@Suite("Destinations added and removed at run time")
struct RunTimeDestinationTests {
    @Test
    func `a destination gets events recorded between its addition and removal, whether or not a route names it`()
        async throws
    {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        analytics.record("before")
        #expect(!analytics.hasDestination("late"))
        try analytics.addDestination(QueueFixture.destination("late"))
        #expect(analytics.hasDestination("late"))
        analytics.record("all")
        analytics.record("mine", to: ["late"])
        #expect((await analytics.flush()).isComplete)
        #expect(memory.arrived(at: "late") == ["all", "mine"])
        #expect(memory.arrived(at: "collector") == ["before", "all"])
        #expect(analytics.removeDestination("late"))
        #expect(!analytics.removeDestination("late"))
        analytics.record("after")
        let receipt = analytics.record("lost", to: ["late"])
        #expect(receipt.dropped == .unknownDestination)
        #expect(memory.diagnostics.map(\.code) == [.unknownDestination])
        #expect((await analytics.flush()).isComplete)
        #expect(memory.arrived(at: "late") == ["all", "mine"])
        let ledger = analytics.ledger()
        #expect(ledger.destinations["late"] == Ledger.Account(recorded: 2, delivered: 2))
        #expect(ledger.destinations["collector"] == Ledger.Account(recorded: 3, delivered: 3))
    }

    @Test
    func `a removed destination that is added again gets its pending events in order, and none recorded in between`()
        async throws
    {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        try await memory.addQueue(QueueFixture.policy(moreThan: 100))
        analytics.record("one", to: ["queue"])
        analytics.record("two", to: ["queue"])
        #expect(analytics.removeDestination("queue"))
        analytics.record("between")
        #expect(analytics.pendingCount(for: "queue") == 0)
        try analytics.addDestination(
            QueueFixture.destination("queue").configured(delivery: QueueFixture.policy(moreThan: 100))
        )
        analytics.record("three", to: ["queue"])
        #expect(analytics.pendingCount(for: "queue") == 3)
        #expect(analytics.requestUpload(force: true))
        try await memory.waitUntilArrived(3, at: "queue")
        #expect(memory.arrived(at: "queue") == ["one", "two", "three"])
    }

    @Test
    func `a durable record for a removed destination is an error`() async throws {
        let memory = try InMemoryAnalytics()
        try memory.analytics.addDestination(QueueFixture.destination("late"))
        memory.analytics.removeDestination("late")
        let error = await #expect(throws: TrackwayError.self) {
            try await memory.analytics.recordDurably("lost", to: ["late"])
        }
        #expect(error?.code == .notRecorded)
        #expect(memory.diagnostics.map(\.code) == [.unknownDestination])
    }

    @Test(arguments: ["collector", "late"])
    func `an id in use is rejected, and a configured destination cannot be removed`(name: String) throws {
        let memory = try InMemoryAnalytics()
        let id = try #require(DestinationID(name))
        try memory.analytics.addDestination(QueueFixture.destination("late"))
        let error = #expect(throws: TrackwayError.self) {
            try memory.analytics.addDestination(QueueFixture.destination(id))
        }
        #expect(error?.code == .duplicateDestination)
        #expect(error?.message.contains("\"\(id)\"") == true)
        #expect(!memory.analytics.removeDestination("collector"))
        #expect(!memory.analytics.removeDestination("nobody"))
        #expect(memory.analytics.hasDestination("collector"))
    }

    @Test
    func `there are at most 256 destinations, and removing one allows another`() throws {
        let memory = try InMemoryAnalytics()
        for number in 1..<256 {
            try memory.analytics.addDestination(
                QueueFixture.destination(try #require(DestinationID("queue-\(number)")))
            )
        }
        let error = #expect(throws: TrackwayError.self) {
            try memory.analytics.addDestination(QueueFixture.destination("more"))
        }
        #expect(error?.code == .tooManyDestinations)
        #expect(memory.analytics.removeDestination("queue-7"))
        try memory.analytics.addDestination(QueueFixture.destination("more"))
        #expect(memory.analytics.hasDestination("more"))
        #expect(memory.diagnostics.isEmpty)
    }

    @Test
    func `after a kill, events recorded before a destination is added again are delivered to it, too`() async throws {
        let first = try InMemoryAnalytics()
        try first.analytics.addDestination(QueueFixture.destination("late"))
        first.analytics.record("one", to: ["late"])
        // Writers are ordered by start time.
        first.clock.advance(by: .seconds(1))
        let second = try InMemoryAnalytics(storage: first.storageAfterKill(), clock: first.clock)
        #expect(!second.analytics.hasDestination("late"))
        second.analytics.record("early")
        #expect(second.analytics.record("refused", to: ["late"]).dropped == .unknownDestination)
        #expect((await second.analytics.flush()).isComplete)
        try second.analytics.addDestination(QueueFixture.destination("late"))
        #expect((await second.analytics.flush()).isComplete)
        #expect(second.arrived(at: "late") == ["one", "early"])
        // Removed permanently: the next run no longer expects it.
        second.analytics.removeDestination("late")
        let third = try InMemoryAnalytics(storage: second.storageAfterKill(), clock: first.clock)
        third.analytics.record("later")
        try third.analytics.addDestination(QueueFixture.destination("late"))
        #expect((await third.analytics.flush()).isComplete)
        #expect(third.arrived(at: "late") == [])
    }

    @Test
    func `a destination that only an earlier run added is no longer expected once it is removed`() async throws {
        let first = try InMemoryAnalytics()
        try first.analytics.addDestination(QueueFixture.destination("late"))
        let second = try InMemoryAnalytics(storage: first.storageAfterKill(), clock: first.clock)
        #expect(!second.analytics.removeDestination("late"))
        second.analytics.record("early")
        let third = try InMemoryAnalytics(storage: second.storageAfterKill(), clock: first.clock)
        third.analytics.record("early")
        try third.analytics.addDestination(QueueFixture.destination("late"))
        #expect((await third.analytics.flush()).isComplete)
        #expect(third.arrived(at: "late") == [])
    }

    @Test
    func `a destination that is added for the first time does not get the events of earlier runs`() async throws {
        let first = try InMemoryAnalytics()
        first.analytics.record("past")
        first.clock.advance(by: .seconds(1))
        let second = try InMemoryAnalytics(storage: first.storageAfterKill(), clock: first.clock)
        try second.analytics.addDestination(QueueFixture.destination("late"))
        second.analytics.record("mine", to: ["late"])
        #expect((await second.analytics.flush()).isComplete)
        #expect(second.arrived(at: "late") == ["mine"])
        #expect(second.arrived(at: "collector") == ["past"])
        #expect(second.analytics.ledger().destinations["late"] == Ledger.Account(recorded: 1, delivered: 1))
    }

    @Test(arguments: [true, false])
    func `recording for one destination does not wait while state of another is written`(byAdding: Bool) async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        try await memory.addQueue(QueueFixture.policy(same: .seconds(60)))
        // The first event causes the initial writes.
        analytics.record("first", to: ["queue"])
        memory.storage.hold(byAdding ? .create : .overwrite, paths: byAdding ? "/cursor.late" : "/taken")
        Thread.detachNewThread {
            if byAdding {
                try? analytics.addDestination(QueueFixture.destination("late"))
            } else {
                analytics.record("state", to: ["queue"])
            }
        }
        try await Deadline.wait(while: memory.storage.heldCalls == 0)
        #expect(await durability(of: "other", to: "collector", analytics) == .kernel)
        memory.storage.release()
    }

    /// The durability of an event that another thread records, or nil if that thread still waits.
    private func durability(
        of name: String,
        to destination: DestinationID,
        _ analytics: Analytics
    ) async -> Receipt.Durability? {
        let durability = Locked<Receipt.Durability?>(nil)
        Thread.detachNewThread {
            let receipt = analytics.record(name, to: [destination])
            durability.withLock { $0 = receipt.durability }
        }
        // Polls for seconds if necessary, because a busy machine may run the thread late.
        for _ in 0..<10_000_000 {
            if durability.withLock({ $0 }) != nil { break }
            await Task.yield()
        }
        return durability.withLock { $0 }
    }

    @Test
    func `recording into a queue does not wait for the queue registry file`() async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        try await memory.addQueue(QueueFixture.policy(same: .seconds(60)))
        analytics.record("first", to: ["queue"])
        memory.storage.hold(.replace, paths: "/streams")
        Thread.detachNewThread { try? analytics.addDestination(QueueFixture.destination("late")) }
        try await Deadline.wait(while: memory.storage.heldCalls == 0)
        #expect(await durability(of: "state", to: "queue", analytics) == .kernel)
        memory.storage.release()
    }

    @Test
    func `new settings of an added destination take effect immediately`() async throws {
        let memory = try InMemoryAnalytics()
        try memory.analytics.addDestination(QueueFixture.destination("late"))
        try memory.analytics.replaceDestination(
            DestinationConfiguration(CollectorDestination(id: "late", url: "http://elsewhere.test", writeKey: "test"))
        )
        memory.analytics.record("mine", to: ["late"])
        _ = await memory.analytics.flush()
        #expect(memory.arrived(at: "elsewhere") == ["mine"])
        memory.analytics.removeDestination("late")
        let error = #expect(throws: TrackwayError.self) {
            try memory.analytics.replaceDestination(QueueFixture.destination("late"))
        }
        #expect(error?.code == .unknownDestination)
    }

    @Test
    func `consent applies to an added destination without a category, even if all other destinations are denied`()
        async throws
    {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.set("collector") { $0.consentCategory = .marketing }
        let memory = try InMemoryAnalytics(configuration)
        let analytics = memory.analytics
        analytics.setConsent(.denied, category: .marketing)
        #expect(analytics.record("denied").dropped == .consentDenied)
        try analytics.addDestination(QueueFixture.destination("late"))
        #expect(analytics.record("late's").durability == .kernel)
        analytics.setConsent(.denied, category: .analytics)
        #expect(analytics.record("refused", to: ["late"]).dropped == .consentDenied)
        analytics.setConsent(.granted, category: .analytics)
        analytics.record("again", to: ["late"])
        _ = await analytics.flush()
        #expect(memory.arrived(at: "collector") == [])
        #expect(memory.arrived(at: "late").last == "again")
        analytics.removeDestination("late")
        #expect(analytics.record("denied").dropped == .consentDenied)
    }

    @Test
    func `erasing removes pending events and the stored queue state, and keeps the existing destinations`() async throws
    {
        let first = try InMemoryAnalytics()
        try first.analytics.addDestination(QueueFixture.destination("gone"))
        let memory = try InMemoryAnalytics(storage: first.storageAfterKill(), clock: first.clock)
        let analytics = memory.analytics
        try analytics.addDestination(
            QueueFixture.destination("queue").configured(
                delivery: QueueFixture.policy(same: .seconds(60), olderThan: .seconds(60))
            )
        )
        analytics.record("same", to: ["queue"])
        try await memory.waitUntilArrived(1, at: "queue")
        #expect(analytics.record("same", to: ["queue"]).dropped == .duplicate)
        try await analytics.erase()
        #expect(analytics.hasDestination("queue"))
        #expect(analytics.record("same", to: ["queue"]).durability == .kernel)
        _ = await analytics.flush()
        #expect(memory.arrived(at: "queue") == ["same", "_installation_erased", "same"])
        #expect(analytics.ledger().destinations.keys.sorted() == ["collector", "queue"])
    }
}
