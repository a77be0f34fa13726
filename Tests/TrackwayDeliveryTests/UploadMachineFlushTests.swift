// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit

/// Flushes between a count of pending events and its report.
///
/// One thread counts and notifies the machine a little later. A flush on another thread may come in between.
@Suite("A flush while the journal is being counted")
struct UploadMachineFlushTests {
    private let now = MonotonicTime(milliseconds: 5_000)
    private let limits = BatchLimits(events: 1)

    private func machine(recorded: UInt64 = 1) -> UploadMachine {
        var machine = UploadMachine(policy: DeliveryPolicy(flushEvents: 1), limits: limits)
        #expect(machine.eventsPending(pending: recorded, at: now) == [.read(limits)])
        return machine
    }

    @Test
    func `a flush for an event recorded after the last count is not done before that event is settled`() {
        var machine = machine()
        _ = machine.batchRead(count: 1)
        #expect(machine.responseReceived(.accepted, at: now, jitter: 0) == [.settle(Settlement(records: 0..<1))])
        // The first event was settled, and the count was zero. Then the second one is recorded and flushed.
        #expect(machine.flushRequested(pending: 1, at: now) == [])
        #expect(machine.settlementFinished(pending: 0, at: now, jitter: 0) == [.read(limits)])
        #expect(machine.flushProgress == .inProgress)
        _ = machine.batchRead(count: 1)
        _ = machine.responseReceived(.accepted, at: now, jitter: 0)
        #expect(machine.settlementFinished(pending: 0, at: now, jitter: 0) == [])
        #expect(machine.flushProgress == .done)
    }

    @Test(arguments: [0, 1])
    func `after an empty read, a flush for an event recorded since then reads the journal again`(counted: UInt64) {
        var machine = machine()
        #expect(machine.flushRequested(pending: 1, at: now) == [])
        #expect(machine.noEventsRead(pending: counted, at: now) == [.read(limits)])
        #expect(machine.flushProgress == .inProgress)
        // It reads only once more.
        #expect(machine.noEventsRead(pending: 0, at: now) == [])
        #expect(machine.flushProgress == .done)
    }

    @Test
    func `a flush also waits for the request in flight`() {
        var machine = machine(recorded: 2)
        _ = machine.batchRead(count: 1)
        #expect(machine.flushRequested(pending: 2, at: now) == [])
        _ = machine.responseReceived(.accepted, at: now, jitter: 0)
        #expect(machine.settlementFinished(pending: 1, at: now, jitter: 0) == [.read(limits)])
        #expect(machine.flushProgress == .inProgress)
        _ = machine.batchRead(count: 1)
        _ = machine.responseReceived(.accepted, at: now, jitter: 0)
        _ = machine.settlementFinished(pending: 0, at: now, jitter: 0)
        #expect(machine.flushProgress == .done)
    }

    @Test
    func `a flush that recounts while its first request fails does not send a second request`() {
        var machine = machine(recorded: 2)
        _ = machine.batchRead(count: 1)
        #expect(machine.flushRequested(pending: 1, at: now) == [])
        _ = machine.responseReceived(.retry(after: nil, reason: "no network"), at: now, jitter: 0.5)
        let blocked = machine.flushProgress
        #expect(machine.flushRequested(pending: 2, isRecount: true, at: now) == [])
        #expect(machine.flushProgress == blocked && blocked != .inProgress)
        // Another flush may try again.
        #expect(machine.flushRequested(pending: 2, at: now) == [.read(limits)])
    }

    @Test
    func `replacing a destination may change the number of events that triggers an upload`() {
        let start = MonotonicTime(milliseconds: 0)
        var machine = UploadMachine(policy: DeliveryPolicy(flushEvents: 50), limits: BatchLimits(events: 50))
        _ = machine.eventsPending(pending: 3, at: start)
        #expect(machine.triggerCount == 50)
        _ = machine.destinationReplaced(limits: BatchLimits(events: 1), flushEvents: 1, at: start)
        #expect(machine.triggerCount == 1)
        #expect(machine.eventsPending(pending: 3, at: start).contains { if case .read = $0 { true } else { false } })
        for absurd in [Int.min, 0, .max] {
            _ = machine.destinationReplaced(limits: BatchLimits(), flushEvents: absurd, at: start)
            _ = machine.eventsPending(pending: .max, at: start)
        }
    }
}
