// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting

@testable import Collector

@Suite("Memory for bodies")
struct BodyQueueTests {
    @Test("bodies are admitted while there is memory, then wait, first come first served")
    func order() {
        var line = BodyQueue(limit: 100)
        #expect(line.offered(50, by: "a") == .granted)
        #expect(line.offered(50, by: "b") == .granted)
        #expect(line.offered(60, by: "c") == .waits(2))
        // There is memory for it, but it must not overtake.
        #expect(line.offered(10, by: "d") == .waits(3))
        #expect(line.released(50, by: "a").isEmpty)
        #expect(line.released(50, by: "b") == [2, 3])
        #expect(line.used == 70)
    }

    @Test("no sender gets more than half, and a body that waits for its sender's share lets others pass")
    func share() {
        var line = BodyQueue(limit: 100)
        #expect(line.offered(30, by: "a") == .granted)
        #expect(line.offered(30, by: "a") == .waits(1))
        #expect(line.offered(30, by: "b") == .granted)
        #expect(line.released(30, by: "b").isEmpty)
        #expect(line.released(30, by: "a") == [1])
    }

    @Test("a body larger than the whole memory is admitted alone")
    func tooLong() {
        var line = BodyQueue(limit: 10)
        #expect(line.offered(.max, by: "a") == .granted)
        #expect(line.offered(1, by: "b") == .waits(1))
        #expect(line.released(.max, by: "a") == [1])
        #expect(line.used == 1)
    }

    @Test("a body that gives up leaves the queue, and those after it may pass")
    func gaveUp() {
        var line = BodyQueue(limit: 10)
        #expect(line.offered(5, by: "a") == .granted)
        #expect(line.offered(9, by: "b") == .waits(1))
        #expect(line.offered(5, by: "c") == .waits(2))
        let (wasWaiting, admitted) = line.gaveUp(1)
        #expect(wasWaiting && admitted == [2])
        #expect(line.gaveUp(1).wasWaiting == false)
        #expect(line.gaveUp(2).wasWaiting == false)
    }

    @Test("the queue has a maximum length")
    func full() {
        var line = BodyQueue(limit: 10, maxWaiting: 2)
        #expect(line.offered(10, by: "a") == .granted)
        #expect(line.offered(10, by: "b") == .waits(1))
        #expect(line.offered(10, by: "c") == .waits(2))
        #expect(line.offered(10, by: "d") == .refused)
        #expect(line.count == 2)
        #expect(line.released(10, by: "a") == [1])
        #expect(line.offered(10, by: "d") == .waits(4))
    }

    @Test("in any sequence of events, the used memory is what was granted and not released")
    func walk() {
        var line = BodyQueue(limit: 100, maxWaiting: 8)
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
                switch line.offered(body.0, by: body.1) {
                case .granted: granted[next] = body
                case .waits(let number):
                    #expect(number == next)
                    offered[number] = body
                case .refused: break
                }
                next += 1
            case 1:
                guard let (number, body) = granted.min(by: { $0.key < $1.key }) else { continue }
                granted[number] = nil
                admitted = line.released(body.0, by: body.1)
            default:
                guard let number = offered.keys.max() else { continue }
                let (wasWaiting, others) = line.gaveUp(number)
                #expect(wasWaiting)
                offered[number] = nil
                admitted = others
            }
            for number in admitted {
                granted[number] = offered.removeValue(forKey: number)
            }
            #expect(line.used == granted.values.reduce(0) { $0 + $1.0 })
            #expect(line.count == offered.count)
        }
    }

    @Test("a body that gets no memory in time is rejected, and leaves the memory to others")
    func timeout() async throws {
        var limits = AdmissionLimits()
        limits.unpackedBytes = 10
        let budget = BodyBudget(limits, clock: SystemClock()) { _ in }
        try await budget.unpacking(10, by: "a") {
            await #expect(throws: IntakeError.self) {
                try await budget.unpacking(5, by: "b") {}
            }
            // The memory for arriving bodies is separate.
            let abandon: @Sendable () -> Void = {}
            try await budget.arrival(of: "b", from: nil, abandon: abandon) { try await $0.charge(5) }
        }
        #expect(budget.used(for: .unpacked) == 0 && budget.waiting(for: .unpacked) == 0)
        #expect(budget.used(for: .arriving) == 0)
        try await budget.unpacking(5, by: "b") {}
    }

    @Test("a waiting body is admitted as soon as there is memory")
    func comes() async throws {
        var limits = AdmissionLimits()
        limits.unpackedBytes = 10
        let budget = BodyBudget(limits, clock: SystemClock(), sleep: Self.untilCancelled)
        let gate = AsyncStream.makeStream(of: Void.self)
        let holds = AsyncStream.makeStream(of: Void.self)
        async let first: Void = budget.unpacking(10, by: "a") {
            holds.continuation.yield()
            for await _ in gate.stream { break }
        }
        for await _ in holds.stream { break }
        async let second: Int = budget.unpacking(10, by: "b") { 7 }
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
