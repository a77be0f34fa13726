// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayWire

/// What waits is counted on one thread and told to the machine a little later; meanwhile a flush may come from another.
@Suite("A flush while the journal is being counted")
struct UploadMachineFlushTests {
    private let now = MonotonicTime(milliseconds: 5_000)
    private let limits = BatchLimits(events: 1)

    private func machine(recorded: UInt64 = 1) -> UploadMachine {
        var machine = UploadMachine(policy: DeliveryPolicy(flushEvents: 1), limits: limits)
        #expect(machine.eventsWait(pending: recorded, at: now) == [.read(limits)])
        return machine
    }

    @Test("after the last settlement was counted, a flush for one more event is not done before that event is")
    func settling() {
        var machine = machine()
        _ = machine.batchRead(count: 1)
        #expect(machine.answered(.accepted, at: now, jitter: 0) == [.settle(Settlement(records: 0..<1))])
        // The first event is settled and nothing was counted; the second one is recorded, and somebody flushes.
        #expect(machine.flushRequested(pending: 1, at: now) == [])
        #expect(machine.settled(pending: 0, at: now, jitter: 0) == [.read(limits)])
        #expect(machine.flushProgress == .moving)
        _ = machine.batchRead(count: 1)
        _ = machine.answered(.accepted, at: now, jitter: 0)
        #expect(machine.settled(pending: 0, at: now, jitter: 0) == [])
        #expect(machine.flushProgress == .done)
    }

    @Test(
        "after a read found nothing, a flush for an event recorded since has the journal read again",
        arguments: [0, 1]
    )
    func reading(counted: UInt64) {
        var machine = machine()
        #expect(machine.flushRequested(pending: 1, at: now) == [])
        #expect(machine.nothingToRead(pending: counted, at: now) == [.read(limits)])
        #expect(machine.flushProgress == .moving)
        // It asks once more, not for ever.
        #expect(machine.nothingToRead(pending: 0, at: now) == [])
        #expect(machine.flushProgress == .done)
    }

    @Test("what is on its way when a flush comes is part of what the flush waits for")
    func sending() {
        var machine = machine(recorded: 2)
        _ = machine.batchRead(count: 1)
        #expect(machine.flushRequested(pending: 2, at: now) == [])
        _ = machine.answered(.accepted, at: now, jitter: 0)
        #expect(machine.settled(pending: 1, at: now, jitter: 0) == [.read(limits)])
        #expect(machine.flushProgress == .moving)
        _ = machine.batchRead(count: 1)
        _ = machine.answered(.accepted, at: now, jitter: 0)
        _ = machine.settled(pending: 0, at: now, jitter: 0)
        #expect(machine.flushProgress == .done)
    }

    @Test("a flush that counts the rest while its first request fails does not ask the back-end a second time")
    func countedAgain() {
        var machine = machine(recorded: 2)
        _ = machine.batchRead(count: 1)
        #expect(machine.flushRequested(pending: 1, at: now) == [])
        _ = machine.answered(.retry(after: nil, reason: "no network"), at: now, jitter: 0.5)
        let blocked = machine.flushProgress
        #expect(machine.flushRequested(pending: 2, again: true, at: now) == [])
        #expect(machine.flushProgress == blocked && blocked != .moving)
        // Another flush may try.
        #expect(machine.flushRequested(pending: 2, at: now) == [.read(limits)])
    }

    @Test("a replaced destination may come with another number of events that are sent at once")
    func replacedPace() {
        let start = MonotonicTime(milliseconds: 0)
        var machine = UploadMachine(policy: DeliveryPolicy(flushEvents: 50), limits: BatchLimits(events: 50))
        _ = machine.eventsWait(pending: 3, at: start)
        #expect(machine.triggerCount == 50)
        _ = machine.destinationReplaced(limits: BatchLimits(events: 1), flushEvents: 1, at: start)
        #expect(machine.triggerCount == 1)
        #expect(machine.eventsWait(pending: 3, at: start).contains { if case .read = $0 { true } else { false } })
        for absurd in [Int.min, 0, .max] {
            _ = machine.destinationReplaced(limits: BatchLimits(), flushEvents: absurd, at: start)
            _ = machine.eventsWait(pending: .max, at: start)
        }
    }
}
