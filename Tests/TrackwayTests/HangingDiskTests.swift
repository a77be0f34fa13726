// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDelivery
import TrackwayDestinationKit
import TrackwayDestinations
import TrackwayLifecycle
import TrackwayTesting

@testable import Trackway

// Serialized because each test may block one of the threads that all tasks share.
@Suite("A hung disk", .serialized)
struct HangingDiskTests {
    /// Analytics with their own delivery thread, and with a queue in addition to the configured destination.
    private static func make(_ environment: InMemoryEnvironment) throws -> Analytics {
        var configuration = Configuration(
            appID: "test",
            destinations: [
                DestinationConfiguration(
                    CollectorDestination(id: "collector", url: "https://collector.example", writeKey: "key")
                )
            ],
            consent: .granted
        )
        configuration.capture = []
        var dependencies = try environment.dependencies(for: configuration)
        dependencies.deliveryExecutor = DeliveryExecutor()
        let analytics = try Analytics(configuration, in: dependencies)
        try analytics.addDestination(
            QueueFixture.destination("queue").configured(delivery: QueueFixture.policy(moreThan: 1_000))
        )
        return analytics
    }

    @Test(
        .timeLimit(.minutes(30)),
        arguments: [(StorageOperation.replace, "cursor."), (.lock, "/writers/")]
    )
    func `every call of the app returns while delivery waits for the disk, and nothing is lost`(
        _ operation: StorageOperation,
        _ part: String
    ) async throws {
        let environment = InMemoryEnvironment()
        // Another process, which maintenance inspects.
        let otherInstance = try Self.make(environment)
        await otherInstance.shutdown()
        let analytics = try Self.make(environment)
        for _ in 0..<5 { analytics.record("queued", to: ["queue"]) }
        #expect((await analytics.flush()).isComplete)
        for _ in 0..<4 { analytics.record("queued", to: ["queue"]) }

        environment.storage.hold(operation, paths: part)
        for number in 0..<40 { analytics.record("event", ["number": .integer(Int64(number))], to: ["collector"]) }
        try await Deadline.wait(while: environment.storage.heldCalls == 0) {
            // Maintenance runs as time passes.
            environment.clock.advanceToNextSleeper()
        }
        let held = environment.storage.heldCalls

        #expect(analytics.record("while it hangs", to: ["queue"]).durability == .kernel)
        #expect(analytics.record("while it hangs").durability == .kernel)
        #expect(analytics.pendingCount(for: "collector") >= 1)
        _ = analytics.ledger()
        _ = analytics.isReadyForUpload("queue")
        _ = analytics.waitingEvents(for: "queue", limit: 10)
        _ = analytics.transferredCount(of: "queue")
        _ = analytics.requestUpload(of: ["queue"])
        _ = analytics.requestUpload(of: ["queue"], force: true)
        // The upload requests handed over the events that the flush did not hand over.
        #expect(analytics.pendingCount(for: "queue") == 0)
        #expect(analytics.record("for the next upload", to: ["queue"]).durability == .kernel)
        #expect(analytics.pendingCount(for: "queue") == 1)
        analytics.setConsent(.pending)
        analytics.setConsent(.granted)
        analytics.setConsent(.denied, category: ConsentCategory(rawValue: "marketing"))
        analytics.setQueue(QueuePolicy(uploadWhenMoreThan: 900), of: "queue")
        try analytics.replaceDestination(QueueFixture.destination("queue"))
        if operation != .replace {
            try analytics.addDestination(QueueFixture.destination("late"))
            #expect(analytics.removeDestination("late"))
        }
        analytics.identify("ann")
        analytics.pause()
        analytics.resume()
        analytics.isEnabled = false
        analytics.isEnabled = true
        #expect(environment.storage.heldCalls >= held)

        environment.storage.release()
        #expect((await analytics.flush()).isComplete)
        let ledger = analytics.ledger()
        #expect(ledger.isBalanced)
        #expect(ledger.destinations.values.allSatisfy { $0.pending == 0 && $0.droppedTotal == 0 })
        await analytics.shutdown()
    }

    @Test(.timeLimit(.minutes(30)))
    func `events of an earlier process are in their queue while delivery inspects its log`() async throws {
        let environment = InMemoryEnvironment()
        let earlier = try Self.make(environment)
        for _ in 0..<3 { earlier.record("left behind", to: ["queue"]) }
        await earlier.shutdown()
        let writers = try environment.storage.names(in: "\(InMemoryEnvironment.usualFolder)/writers")
        let writer = try #require(writers.first)
        // Only the first access to the log, by delivery, is held. The calls below access the log themselves.
        environment.storage.hold(.lock, paths: "/writers/\(writer)", calls: 1)
        let analytics = try Self.make(environment)
        try await Deadline.wait(while: environment.storage.heldCalls == 0) { environment.clock.advanceToNextSleeper() }
        #expect(analytics.pendingCount(for: "queue") == 3)
        #expect(analytics.waitingEvents(for: "queue", limit: 10).count == 3)
        analytics.record("left behind", to: ["queue"])
        #expect(analytics.pendingCount(for: "queue") == 4)
        #expect(analytics.requestUpload(of: ["queue"], force: true))
        #expect(analytics.pendingCount(for: "queue") == 0)
        #expect(analytics.waitingEvents(for: "queue", limit: 10).isEmpty)
        environment.storage.release()
        try await Deadline.wait(while: environment.transport.delivered(named: "left behind").count < 4)
        #expect((await analytics.flush()).isComplete)
        #expect(environment.transport.delivered(named: "left behind").count == 4)
        await analytics.shutdown()
    }

    @Test(.timeLimit(.minutes(30)))
    func `events handed over by an earlier process are counted while delivery inspects its log`() async throws {
        let killed = InMemoryEnvironment()
        killed.transport.always(.status(503))
        let earlier = try Self.make(killed)
        for _ in 0..<2 { earlier.record("handed over", to: ["queue"]) }
        #expect(earlier.requestUpload(of: ["queue"], force: true))
        try await Deadline.wait(while: killed.transport.requests.isEmpty)
        let environment = killed.nextProcess()
        environment.transport.always(.accept)
        let writers = try environment.storage.names(in: "\(InMemoryEnvironment.usualFolder)/writers")
        environment.storage.hold(.lock, paths: "/writers/\(try #require(writers.first))", calls: 1)
        let analytics = try Self.make(environment)
        try await Deadline.wait(while: environment.storage.heldCalls == 0) { environment.clock.advanceToNextSleeper() }
        #expect(analytics.transferredCount(of: "queue") == 2)
        environment.storage.release()
        try await Deadline.wait(while: environment.transport.delivered(named: "handed over").count < 2) {
            environment.clock.advanceToNextSleeper()
        }
        #expect((await analytics.flush()).isComplete)
        #expect(analytics.transferredCount(of: "queue") == 0)
        await analytics.shutdown()
    }

    @Test(.timeLimit(.minutes(30)))
    func `events remain in their queue while delivery stops`() async throws {
        let environment = InMemoryEnvironment()
        let analytics = try Self.make(environment)
        // A cursor that could not be written is written when delivery stops.
        environment.storage.fail(.replace, with: .inputOutput, paths: "cursor.collector")
        analytics.record("delivered", to: ["collector"])
        _ = await analytics.flush()
        #expect(environment.transport.delivered(named: "delivered").count == 1)
        for _ in 0..<2 { analytics.record("queued", to: ["queue"]) }
        environment.storage.clearFaults()
        environment.storage.hold(.replace, paths: "cursor.collector")
        analytics.pause()
        try await Deadline.wait(while: environment.storage.heldCalls == 0)
        #expect(analytics.pendingCount(for: "queue") == 2)
        #expect(analytics.waitingEvents(for: "queue", limit: 10).count == 2)
        environment.storage.release()
        analytics.resume()
        #expect((await analytics.flush()).isComplete)
        #expect(environment.transport.delivered(named: "queued").count == 2)
        await analytics.shutdown()
    }

    @Test(.timeLimit(.minutes(30)))
    func `a queue added while delivery waits for the disk is counted and handed over`() async throws {
        let environment = InMemoryEnvironment()
        // Another process, which maintenance inspects.
        let otherInstance = try Self.make(environment)
        otherInstance.record("left behind", to: ["queue"])
        await otherInstance.shutdown()
        let analytics = try Self.make(environment)
        #expect((await analytics.flush()).isComplete)
        environment.storage.hold(.lock, paths: "/writers/")
        try await Deadline.wait(while: environment.storage.heldCalls == 0) { environment.clock.advanceToNextSleeper() }
        try analytics.addDestination(
            QueueFixture.destination("late").configured(delivery: QueueFixture.policy(moreThan: 1_000))
        )
        for _ in 0..<3 { analytics.record("queued", to: ["late"]) }
        #expect(analytics.pendingCount(for: "late") == 3)
        #expect(analytics.ledger().destinations["late"]?.pending == 3)
        #expect(analytics.requestUpload(of: ["late"], force: true))
        environment.storage.release()
        try await Deadline.wait(while: environment.transport.delivered(named: "queued").count < 3)
        #expect(analytics.pendingCount(for: "late") == 0)
        await analytics.shutdown()
    }

    @Test(.timeLimit(.minutes(30)))
    func `a durable record and a queue upload do not wait for delivery`() async throws {
        let environment = InMemoryEnvironment()
        let analytics = try Self.make(environment)
        #expect((await analytics.flush()).isComplete)
        environment.storage.hold(.replace, paths: "cursor.collector")
        for _ in 0..<40 { analytics.record("event", to: ["collector"]) }
        try await Deadline.wait(while: environment.storage.heldCalls == 0)
        // Delivery applies the denial and hangs. The thread for durable records does not.
        analytics.setConsent(.denied, category: ConsentCategory(rawValue: "marketing"))
        #expect(try await analytics.recordDurably("purchase", to: ["queue"]).durability == .disk)
        #expect(analytics.requestUpload(of: ["queue"], force: true))
        #expect(try #require(analytics.transferredCount(of: "queue")) >= 1)
        environment.storage.release()
        try await Deadline.wait(while: environment.transport.delivered(named: "purchase").isEmpty)
        #expect((await analytics.flush()).isComplete)
        await analytics.shutdown()
    }
}
