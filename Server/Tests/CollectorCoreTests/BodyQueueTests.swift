// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore

@Suite("Memory for bodies")
struct BodyQueueTests {
    @Test
    func `bodies are admitted while memory is available, and then wait in order of arrival`() {
        var queue = BodyQueue(limit: 100)
        #expect(queue.reserve(50, by: "a") == .granted)
        #expect(queue.reserve(50, by: "b") == .granted)
        #expect(queue.reserve(60, by: "c") == .queued(2))
        // Enough memory is available, but this body must not overtake the waiting one.
        #expect(queue.reserve(10, by: "d") == .queued(3))
        #expect(queue.release(50, by: "a").isEmpty)
        #expect(queue.release(50, by: "b") == [2, 3])
        #expect(queue.used == 70)
    }

    @Test
    func `no sender gets more than half, and a body that waits for its sender's share does not block others`() {
        var queue = BodyQueue(limit: 100)
        #expect(queue.reserve(30, by: "a") == .granted)
        #expect(queue.reserve(30, by: "a") == .queued(1))
        #expect(queue.reserve(30, by: "b") == .granted)
        #expect(queue.release(30, by: "b").isEmpty)
        #expect(queue.release(30, by: "a") == [1])
    }

    @Test
    func `a body larger than the total memory is admitted alone`() {
        var queue = BodyQueue(limit: 10)
        #expect(queue.reserve(.max, by: "a") == .granted)
        #expect(queue.reserve(1, by: "b") == .queued(1))
        #expect(queue.release(.max, by: "a") == [1])
        #expect(queue.used == 1)
    }

    @Test
    func `a body that stops waiting leaves the queue and no longer blocks those behind it`() {
        var queue = BodyQueue(limit: 10)
        #expect(queue.reserve(5, by: "a") == .granted)
        #expect(queue.reserve(9, by: "b") == .queued(1))
        #expect(queue.reserve(5, by: "c") == .queued(2))
        let (wasWaiting, admitted) = queue.cancel(1)
        #expect(wasWaiting && admitted == [2])
        #expect(queue.cancel(1).wasWaiting == false)
        #expect(queue.cancel(2).wasWaiting == false)
    }

    @Test
    func `the queue has a maximum length`() {
        var queue = BodyQueue(limit: 10, maxWaiting: 2)
        #expect(queue.reserve(10, by: "a") == .granted)
        #expect(queue.reserve(10, by: "b") == .queued(1))
        #expect(queue.reserve(10, by: "c") == .queued(2))
        #expect(queue.reserve(10, by: "d") == .refused)
        #expect(queue.count == 2)
        #expect(queue.release(10, by: "a") == [1])
        #expect(queue.reserve(10, by: "d") == .queued(4))
    }

    @Test
    func `in any sequence of events, the memory in use is what was granted and not yet released`() {
        var queue = BodyQueue(limit: 100, maxWaiting: 8)
        var granted: [Int: (Int, String)] = [:]
        var offered: [Int: (Int, String)] = [:]
        var next = 0
        var seed: UInt64 = 7
        func roll(_ most: UInt64) -> UInt64 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return seed >> 33 % most
        }
        for _ in 0..<5_000 {
            var admitted: [Int] = []
            switch roll(3) {
            case 0:
                let body = (Int(roll(60)), "s\(roll(3))")
                switch queue.reserve(body.0, by: body.1) {
                case .granted: granted[next] = body
                case .queued(let number):
                    #expect(number == next)
                    offered[number] = body
                case .refused: break
                }
                next += 1
            case 1:
                guard let (number, body) = granted.min(by: { $0.key < $1.key }) else { continue }
                granted[number] = nil
                admitted = queue.release(body.0, by: body.1)
            default:
                guard let number = offered.keys.max() else { continue }
                let (wasWaiting, others) = queue.cancel(number)
                #expect(wasWaiting)
                offered[number] = nil
                admitted = others
            }
            for number in admitted {
                granted[number] = offered.removeValue(forKey: number)
            }
            #expect(queue.used == granted.values.reduce(0) { $0 + $1.0 })
            #expect(queue.count == offered.count)
        }
    }

    @Test
    func `a body that gets no memory in time is rejected, leaving the memory to others`() async throws {
        var limits = AdmissionLimits()
        limits.unpackedBytes = 10
        let budget = BodyBudget(limits, clock: SystemClock()) { _ in }
        try await budget.withUnpackedBytes(10, by: "a") {
            await #expect(throws: IntakeError.self) {
                try await budget.withUnpackedBytes(5, by: "b") {}
            }
            // The memory for arriving bodies is separate.
            let abandon: @Sendable () -> Void = {}
            try await budget.withArrivingBody(of: "b", from: nil, abandon: abandon) { try await $0.charge(5) }
        }
        #expect(budget.used(for: .unpacked) == 0 && budget.waiting(for: .unpacked) == 0)
        #expect(budget.used(for: .arriving) == 0)
        try await budget.withUnpackedBytes(5, by: "b") {}
    }

    @Test
    func `a waiting body is admitted as soon as memory is available`() async throws {
        var limits = AdmissionLimits()
        limits.unpackedBytes = 10
        let budget = BodyBudget(limits, clock: SystemClock(), sleep: Self.untilCancelled)
        let gate = AsyncStream.makeStream(of: Void.self)
        let holds = AsyncStream.makeStream(of: Void.self)
        async let first: Void = budget.withUnpackedBytes(10, by: "a") {
            holds.continuation.yield()
            for await _ in gate.stream { break }
        }
        for await _ in holds.stream { break }
        async let second: Int = budget.withUnpackedBytes(10, by: "b") { 7 }
        try await Deadline.wait(while: budget.waiting(for: .unpacked) == 0)
        gate.continuation.yield()
        try await first
        #expect(try await second == 7)
        #expect(budget.used(for: .unpacked) == 0)
    }

    @Sendable private static func untilCancelled(_ duration: Duration) async {
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
    }
}
