// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit

@testable import TrackwayDelivery

@Suite("The upload pace of a steady stream")
struct UploadPaceTests {
    /// A stream of events through a machine, in one-millisecond steps.
    ///
    /// A request takes one step or more.
    private struct Stream {
        var machine: UploadMachine
        var now = MonotonicTime(milliseconds: 10_000)
        var recorded = 0
        var settled = 0
        /// The start time and the number of events of each request.
        var requests: [(time: MonotonicTime, events: Int)] = []
        private var orders: [UploadMachine.Action] = []
        private var wakeAt: MonotonicTime?
        private var answerAt: MonotonicTime?
        private let roundTrip: Duration

        init(_ policy: DeliveryPolicy = DeliveryPolicy(), roundTrip: Duration = .milliseconds(1)) {
            machine = UploadMachine(policy: policy, limits: BatchLimits(events: 1_000))
            self.roundTrip = roundTrip
        }

        private var pending: UInt64 { UInt64(recorded - settled) }

        mutating func record(_ count: Int) {
            recorded += count
            if let wanted = machine.triggerCount, pending >= wanted {
                orders += machine.eventsPending(pending: pending, at: now)
            }
            carryOut()
        }

        mutating func pass(_ milliseconds: Int, recording rate: (Int) -> Int = { _ in 0 }) {
            for step in 0..<milliseconds {
                record(rate(step))
                now = now.advanced(by: .milliseconds(1))
                if let answerAt, answerAt <= now {
                    self.answerAt = nil
                    orders += machine.responseReceived(.accepted, at: now, jitter: 0.5)
                    carryOut()
                }
                if let due = wakeAt, due <= now {
                    wakeAt = nil
                    orders += machine.timerFired(pending: pending, at: now)
                    carryOut()
                }
            }
        }

        private mutating func carryOut() {
            while !orders.isEmpty {
                switch orders.removeFirst() {
                case .read(let limits):
                    let count = min(limits.events, Int(pending))
                    orders +=
                        count > 0
                        ? machine.batchRead(count: count) : machine.noEventsRead(pending: pending, at: now)
                case .send(let records):
                    requests.append((now, records.count))
                    answerAt = now.advanced(by: roundTrip)
                case .settle(let settlement):
                    settled += settlement.records.count
                    orders += machine.settlementFinished(pending: pending, at: now, jitter: 0.5)
                case .wake(let time): wakeAt = time
                case .release, .remember, .report: break
                }
            }
        }
    }

    @Test(arguments: [1, 5, 40])
    func `nine thousand events a second need about thirty requests instead of five hundred`(roundTrip: Int) {
        var stream = Stream(roundTrip: .milliseconds(roundTrip))
        stream.pass(2_222) { _ in 9 }
        stream.pass(600)
        #expect(stream.requests.count <= 40)
        // The remaining events are due after the usual time.
        stream.pass(11_000)
        #expect(stream.settled == stream.recorded)
    }

    @Test
    func `events after a quiet period are sent immediately, and a single event when it is due`() {
        var stream = Stream()
        stream.pass(1_000) { _ in 9 }
        stream.pass(12_000)
        #expect(stream.settled == stream.recorded)
        let before = stream.requests.count
        stream.record(30)
        #expect(stream.requests.count == before + 1)
        stream.pass(60_000)
        let lone = stream.now
        stream.record(1)
        stream.pass(11_000)
        #expect(stream.requests.last?.events == 1)
        #expect(stream.requests.last?.time == lone.advanced(by: .seconds(10)))
    }

    @Test(arguments: [5, 20, 40, 100, 1_000])
    func `pacing delays no event by more than half a second`(perSecond rate: Int) {
        var stream = Stream()
        stream.pass(20_000) { step in (step + 1) * rate / 1_000 - step * rate / 1_000 }
        stream.pass(11_000)
        #expect(stream.settled == stream.recorded)
        // The last request was made after the stream had ended.
        let steady = stream.requests.dropLast()
        let gaps = zip(steady, steady.dropFirst()).map { $0.time.duration(to: $1.time) }
        let thirty = Duration.milliseconds(30_000 / rate + 1)
        #expect(gaps.allSatisfy { $0 <= min(.seconds(10), max(thirty, UploadPace.longest)) + .milliseconds(40) })
    }

    @Test
    func `a backlog is sent without pauses, regardless of the learned pace`() {
        var stream = Stream()
        stream.pass(1_000) { _ in 9 }
        stream.record(20_000)
        stream.pass(60)
        #expect(stream.settled == stream.recorded)
    }

    @Test
    func `destinations that send each event immediately, and flushes, are not delayed`() {
        var stream = Stream(DeliveryPolicy(flushEvents: 1), roundTrip: .milliseconds(1))
        stream.pass(1_000) { step in step % 10 == 0 ? 1 : 0 }
        #expect(stream.requests.count == 100)
        var other = Stream()
        other.pass(1_000) { _ in 9 }
        let actions = other.machine.flushRequested(pending: 9, at: other.now)
        #expect(actions.contains { if case .read = $0 { true } else { false } } || !other.machine.isIdle)
        #expect(other.machine.triggerCount == nil)
    }

    @Test
    func `a clock that does not advance does not change the pace`() {
        var pace = UploadPace()
        let now = MonotonicTime(milliseconds: 5)
        let due = now.advanced(by: .seconds(10))
        for _ in 0..<100 {
            #expect(pace.delayedStart(for: 30, full: 1_000, at: now, noLaterThan: due) == nil)
            pace.uploadBegan(with: 30, full: 1_000, at: now)
            pace.addEvents(30)
        }
    }
}
