// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayDelivery
import TrackwayTesting

@Suite("Repeated events")
struct RepeatTests {
    /// Analytics with a queue that accepts the same event once per hour.
    private func environment(_ storage: FaultyStorage? = nil, _ clock: ManualClock = ManualClock()) throws
        -> InMemoryAnalytics
    {
        let memory = try InMemoryAnalytics(storage: storage, clock: clock)
        try memory.analytics.addDestination(
            QueueFixture.destination("queue").configured(delivery: QueueFixture.policy(same: .seconds(3600)))
        )
        return memory
    }

    @Test(arguments: [(0, false), (3_599_999, false), (3_600_000, true), (3_600_001, true)])
    func `the same event is accepted again when the time has passed, and not before`(milliseconds: Int, isTaken: Bool)
        throws
    {
        let memory = try environment()
        #expect(memory.analytics.record("state", ["level": 5], to: ["queue"]).durability == .kernel)
        memory.clock.advance(by: .milliseconds(milliseconds))
        let receipt = memory.analytics.record("state", ["level": 5], to: ["queue"])
        #expect(receipt.dropped == (isTaken ? nil : .duplicate))
        #expect((receipt.sequence == 0) == !isTaken)
        #expect(memory.events(named: "state").count == (isTaken ? 2 : 1))
        // Dropping a repeat is intended, so nothing is reported.
        #expect(memory.diagnostics.isEmpty)
    }

    @Test(arguments: [-86_400, 86_400])
    func `setting the wall clock back or forward does not affect repeat detection`(seconds: Int) throws {
        let memory = try environment()
        memory.analytics.record("state", to: ["queue"])
        memory.clock.jumpWall(by: .seconds(seconds))
        #expect(memory.analytics.record("state", to: ["queue"]).dropped == .duplicate)
        memory.clock.advance(by: .seconds(3600))
        #expect(memory.analytics.record("state", to: ["queue"]).dropped == nil)
    }

    struct Variation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isTaken: Bool
        let record: @Sendable (Analytics) -> Receipt
    }

    @Test(arguments: [
        Variation(testDescription: "the same event", isTaken: false) {
            $0.record("state", ["a": 1, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
        },
        Variation(testDescription: "attributes in another order", isTaken: false) {
            $0.record("state", ["b": "x", "a": 1], items: [Item(id: "i", ["l": 2, "k": 1])], to: ["queue"])
        },
        Variation(testDescription: "other global attributes", isTaken: false) {
            $0.setGlobalAttributes(["other": true])
            return $0.record("state", ["a": 1, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
        },
        Variation(testDescription: "another name", isTaken: true) {
            $0.record("State", ["a": 1, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
        },
        Variation(testDescription: "another value", isTaken: true) {
            $0.record("state", ["a": 2, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
        },
        Variation(testDescription: "another type", isTaken: true) {
            $0.record("state", ["a": "1", "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
        },
        Variation(testDescription: "one attribute fewer", isTaken: true) {
            $0.record("state", ["a": 1], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
        },
        Variation(testDescription: "another item", isTaken: true) {
            $0.record("state", ["a": 1, "b": "x"], items: [Item(id: "j", ["k": 1, "l": 2])], to: ["queue"])
        },
        Variation(testDescription: "another user", isTaken: true) {
            $0.identifySilently("ann")
            return $0.record("state", ["a": 1, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
        },
        Variation(testDescription: "to two named destinations", isTaken: true) {
            $0.record(
                "state",
                ["a": 1, "b": "x"],
                items: [Item(id: "i", ["k": 1, "l": 2])],
                to: ["queue", "collector"]
            )
        },
        Variation(testDescription: "to all destinations", isTaken: true) {
            $0.record("state", ["a": 1, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])])
        },
        Variation(testDescription: "to a destination that accepts repeats", isTaken: true) {
            $0.record("state", ["a": 1, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["collector"])
        },
    ])
    func `only an event with the same content is a repeat`(variation: Variation) throws {
        let memory = try environment()
        let first = memory.analytics.record(
            "state",
            ["a": 1, "b": "x"],
            items: [Item(id: "i", ["k": 1, "l": 2])],
            to: ["queue"]
        )
        #expect(first.durability == .kernel)
        #expect(variation.record(memory.analytics).dropped == (variation.isTaken ? nil : .duplicate))
    }

    @Test
    func `an event is compared only with the last accepted event`() throws {
        let memory = try environment()
        let names = ["a", "b", "a", "a", "b"]
        let accepted = names.map { memory.analytics.record($0, to: ["queue"]).dropped == nil }
        #expect(accepted == [true, true, true, false, true])
    }

    @Test
    func `a repeat is recognized after a kill, and after its queue is removed and added again`() throws {
        let first = try environment()
        first.analytics.record("state", ["level": 5], to: ["queue"])
        let second = try environment(first.storageAfterKill(), first.clock)
        #expect(second.analytics.record("state", ["level": 5], to: ["queue"]).dropped == .duplicate)
        second.analytics.removeDestination("queue")
        try second.analytics.addDestination(
            QueueFixture.destination("queue").configured(delivery: QueueFixture.policy(same: .seconds(3600)))
        )
        #expect(second.analytics.record("state", ["level": 5], to: ["queue"]).dropped == .duplicate)
        #expect(second.analytics.record("state", ["level": 6], to: ["queue"]).dropped == nil)
    }

    @Test
    func `an event that is accepted while repeats are allowed becomes the last one, with unknown content`() throws {
        let memory = try environment()
        let analytics = memory.analytics
        let hour = QueuePolicy(acceptSameEventAfter: .seconds(3600), uploadWhenMoreThan: -1)
        analytics.record("state", to: ["queue"])
        analytics.setQueue(QueuePolicy(uploadWhenMoreThan: -1), of: "queue")
        analytics.record("other", to: ["queue"])
        analytics.setQueue(hour, of: "queue")
        #expect(analytics.record("state", to: ["queue"]).dropped == nil)
        #expect(analytics.record("state", to: ["queue"]).dropped == .duplicate)
        analytics.removeDestination("queue")
        try analytics.addDestination(QueueFixture.destination("queue").configured(delivery: QueueFixture.policy()))
        analytics.record("other", to: ["queue"])
        let next = try environment(memory.storageAfterKill(), memory.clock)
        #expect(next.analytics.record("state", to: ["queue"]).dropped == nil)
        #expect(next.analytics.record("state", to: ["queue"]).dropped == .duplicate)
        // Setting the same rule again keeps the last accepted event.
        next.analytics.setQueue(hour, of: "queue")
        #expect(next.analytics.record("state", to: ["queue"]).dropped == .duplicate)
    }

    @Test
    func `an event that could not be stored does not become the last accepted one`() throws {
        let memory = try environment()
        memory.analytics.record("state", to: ["queue"])
        memory.storage.fail(.makeSegment, with: .noSpace)
        let text = String(repeating: "x", count: 10_000)
        while memory.analytics.record("filler", ["text": .string(text)], to: ["collector"]).durability != .none {}
        #expect(memory.analytics.record("other", ["text": .string(text)], to: ["queue"]).durability == .none)
        memory.storage.clearFaults()
        // Events held in memory are written first. Until then, the memory is full.
        while memory.analytics.record("filler").durability != .kernel {}
        // The last accepted event is still the first one.
        #expect(memory.analytics.record("state", to: ["queue"]).dropped == .duplicate)
        #expect(memory.analytics.record("other", ["text": .string(text)], to: ["queue"]).dropped == nil)
    }

    @Test
    func `the ledger counts recorded events, not dropped repeats`() async throws {
        let memory = try environment()
        for _ in 0..<5 { memory.analytics.record("state", to: ["queue"]) }
        _ = await memory.analytics.flush()
        let ledger = memory.analytics.ledger()
        #expect(ledger.recorded == 1)
        #expect(ledger.destinations["queue"] == Ledger.Account(recorded: 1, delivered: 1))
    }
}
