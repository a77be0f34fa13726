// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayDelivery
import TrackwayEvents
import TrackwayTesting

@Suite("Events that say nothing new")
struct RepeatTests {
    /// Analytics with a queue that takes the same event once in an hour.
    private func environment(_ storage: FaultyStorage? = nil, _ clock: ManualClock = ManualClock()) throws
        -> InMemoryAnalytics
    {
        let memory = try InMemoryAnalytics(storage: storage, clock: clock)
        try memory.analytics.addDestination(
            QueueFixture.destination("queue").configured(delivery: QueueFixture.policy(same: .seconds(3600)))
        )
        return memory
    }

    @Test(
        "the same event is taken again when the time is over, and not before",
        arguments: [(0, false), (3_599_999, false), (3_600_000, true), (3_600_001, true)]
    )
    func window(milliseconds: Int, isTaken: Bool) throws {
        let memory = try environment()
        #expect(memory.analytics.record("state", ["level": 5], to: ["queue"]).durability == .kernel)
        memory.clock.advance(by: .milliseconds(milliseconds))
        let receipt = memory.analytics.record("state", ["level": 5], to: ["queue"])
        #expect(receipt.dropped == (isTaken ? nil : .duplicate))
        #expect((receipt.sequence == 0) == !isTaken)
        #expect(memory.events(named: "state").count == (isTaken ? 2 : 1))
        // What is left out on purpose is no mistake.
        #expect(memory.diagnostics.isEmpty)
    }

    @Test("a wall clock that is set back or forward makes no difference", arguments: [-86_400, 86_400])
    func wallClock(seconds: Int) throws {
        let memory = try environment()
        memory.analytics.record("state", to: ["queue"])
        memory.clock.jumpWall(by: .seconds(seconds))
        #expect(memory.analytics.record("state", to: ["queue"]).dropped == .duplicate)
        memory.clock.advance(by: .seconds(3600))
        #expect(memory.analytics.record("state", to: ["queue"]).dropped == nil)
    }

    struct Other: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isTaken: Bool
        let record: @Sendable (Analytics) -> Receipt
    }

    @Test(
        "only an event that says the same is a repeat",
        arguments: [
            Other(testDescription: "the same", isTaken: false) {
                $0.record("state", ["a": 1, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
            },
            Other(testDescription: "attributes in another order", isTaken: false) {
                $0.record("state", ["b": "x", "a": 1], items: [Item(id: "i", ["l": 2, "k": 1])], to: ["queue"])
            },
            Other(testDescription: "other global attributes", isTaken: false) {
                $0.setGlobalAttributes(["other": true])
                return $0.record("state", ["a": 1, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
            },
            Other(testDescription: "another name", isTaken: true) {
                $0.record("State", ["a": 1, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
            },
            Other(testDescription: "another value", isTaken: true) {
                $0.record("state", ["a": 2, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
            },
            Other(testDescription: "another type", isTaken: true) {
                $0.record("state", ["a": "1", "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
            },
            Other(testDescription: "an attribute less", isTaken: true) {
                $0.record("state", ["a": 1], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
            },
            Other(testDescription: "another item", isTaken: true) {
                $0.record("state", ["a": 1, "b": "x"], items: [Item(id: "j", ["k": 1, "l": 2])], to: ["queue"])
            },
            Other(testDescription: "another user", isTaken: true) {
                $0.identifySilently("ann")
                return $0.record("state", ["a": 1, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["queue"])
            },
            Other(testDescription: "to two by name", isTaken: true) {
                $0.record(
                    "state",
                    ["a": 1, "b": "x"],
                    items: [Item(id: "i", ["k": 1, "l": 2])],
                    to: ["queue", "collector"]
                )
            },
            Other(testDescription: "to all", isTaken: true) {
                $0.record("state", ["a": 1, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])])
            },
            Other(testDescription: "to one that takes repeats", isTaken: true) {
                $0.record("state", ["a": 1, "b": "x"], items: [Item(id: "i", ["k": 1, "l": 2])], to: ["collector"])
            },
        ]
    )
    func equality(other: Other) throws {
        let memory = try environment()
        let first = memory.analytics.record(
            "state",
            ["a": 1, "b": "x"],
            items: [Item(id: "i", ["k": 1, "l": 2])],
            to: ["queue"]
        )
        #expect(first.durability == .kernel)
        #expect(other.record(memory.analytics).dropped == (other.isTaken ? nil : .duplicate))
    }

    @Test("compared is with the last event taken only")
    func toAndFro() throws {
        let memory = try environment()
        let names = ["a", "b", "a", "a", "b"]
        let taken = names.map { memory.analytics.record($0, to: ["queue"]).dropped == nil }
        #expect(taken == [true, true, true, false, true])
    }

    @Test("a repeat is recognised after a kill, and after its queue was removed and added again")
    func restart() throws {
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

    @Test("what was taken while nobody looked for repeats is the last event, though nobody knows which it was")
    func ruleWithout() throws {
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
        // A rule that stays a rule forgets nothing.
        next.analytics.setQueue(hour, of: "queue")
        #expect(next.analytics.record("state", to: ["queue"]).dropped == .duplicate)
    }

    @Test("an event that could not be kept is not taken for the last one")
    func lost() throws {
        let memory = try environment()
        memory.analytics.record("state", to: ["queue"])
        memory.storage.fail(.makeSegment, with: .noSpace)
        let text = String(repeating: "x", count: 10_000)
        while memory.analytics.record("filler", ["text": .string(text)], to: ["collector"]).durability != .none {}
        #expect(memory.analytics.record("other", ["text": .string(text)], to: ["queue"]).durability == .none)
        memory.storage.heal()
        // What waits in memory is written first; until then there is no room for more.
        while memory.analytics.record("filler").durability != .kernel {}
        // What was taken last is still the first one.
        #expect(memory.analytics.record("state", to: ["queue"]).dropped == .duplicate)
        #expect(memory.analytics.record("other", ["text": .string(text)], to: ["queue"]).dropped == nil)
    }

    @Test("the ledger counts what was recorded, not what was left out")
    func ledger() async throws {
        let memory = try environment()
        for _ in 0..<5 { memory.analytics.record("state", to: ["queue"]) }
        _ = await memory.analytics.flush()
        let ledger = memory.analytics.ledger()
        #expect(ledger.recorded == 1)
        #expect(ledger.destinations["queue"] == Ledger.Account(recorded: 1, delivered: 1))
    }
}
