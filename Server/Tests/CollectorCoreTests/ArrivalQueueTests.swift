// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore

@Suite("Memory for arriving bodies")
struct ArrivalQueueTests {
    private static func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: seconds * 1_000) }
    private static func address(_ number: UInt32) -> AddressGroup { AddressGroup(.v4(0x0a00_0000 | number)) }

    /// Returns a queue with bodies that hold memory, numbered from 0.
    private static func queue(
        limit: Int,
        _ held: [(bytes: Int, sender: String, address: AddressGroup?)],
        at now: MonotonicTime = at(0)
    ) -> ArrivalQueue {
        var queue = ArrivalQueue(limit: limit)
        for body in held {
            let number = queue.begin(by: body.sender, from: body.address, at: now) ?? -1
            if body.bytes > 0 { #expect(queue.receive(body.bytes, of: number, at: now).verdict == .granted) }
        }
        return queue
    }

    private static let nothing: @Sendable () -> Void = {}

    private static func begin(
        _ queue: inout ArrivalQueue,
        by sender: String,
        from address: AddressGroup?,
        at now: MonotonicTime
    ) throws -> Int {
        let number = queue.begin(by: sender, from: address, at: now)
        return try #require(number)
    }

    @Test
    func `a body without data uses no memory, regardless of the number of bodies`() throws {
        var queue = ArrivalQueue(limit: 1_000)
        for _ in 0..<5_000 { #expect(queue.begin(by: "a", from: Self.address(1), at: Self.at(0)) != nil) }
        #expect(queue.used == 0)
        let honest = try Self.begin(&queue, by: "a", from: Self.address(2), at: Self.at(0))
        #expect(queue.receive(200, of: honest, at: Self.at(0)).verdict == .granted)
        #expect(queue.used == 200)
    }

    @Test(arguments: [
        (sender: "a", address: UInt32(1), bytes: 25, verdict: ArrivalQueue.Verdict.granted),
        (sender: "a", address: UInt32(1), bytes: 26, verdict: ArrivalQueue.Verdict.queued),
        (sender: "a", address: UInt32(2), bytes: 26, verdict: ArrivalQueue.Verdict.queued),
        (sender: "b", address: UInt32(1), bytes: 26, verdict: ArrivalQueue.Verdict.queued),
        (sender: "b", address: UInt32(2), bytes: 26, verdict: ArrivalQueue.Verdict.granted),
    ])
    func `a sender is limited to half of the memory and an address to a quarter, and others continue`(
        _ offer: (sender: String, address: UInt32, bytes: Int, verdict: ArrivalQueue.Verdict)
    ) throws {
        // Sender “a” holds 25 of its 50. In some cases, another sender holds 5 of the 25 for address 1.
        var queue = Self.queue(
            limit: 100,
            [(15, "a", Self.address(9)), (10, "a", nil), (0, "a", Self.address(1))]
        )
        if offer.address == 1, offer.bytes > 25 || offer.sender == "b" {
            let other = try Self.begin(&queue, by: "c", from: Self.address(1), at: Self.at(0))
            #expect(queue.receive(5, of: other, at: Self.at(0)).verdict == .granted)
        }
        let number = try Self.begin(&queue, by: offer.sender, from: Self.address(offer.address), at: Self.at(0))
        #expect(queue.receive(offer.bytes, of: number, at: Self.at(0)).verdict == offer.verdict)
        let stranger = try Self.begin(&queue, by: "d", from: Self.address(7), at: Self.at(0))
        #expect(queue.receive(5, of: stranger, at: Self.at(0)).verdict == .granted)
    }

    @Test
    func `a body that has its share to itself may exceed it`() throws {
        var queue = ArrivalQueue(limit: 10)
        let number = try Self.begin(&queue, by: "a", from: Self.address(1), at: Self.at(0))
        #expect(queue.receive(30, of: number, at: Self.at(0)).verdict == .granted)
        #expect(queue.receive(30, of: number, at: Self.at(0)).verdict == .granted)
        let other = try Self.begin(&queue, by: "b", from: nil, at: Self.at(0))
        #expect(queue.receive(1, of: other, at: Self.at(0)).verdict == .queued)
        #expect(queue.end(number, at: Self.at(0)).granted == [other])
        #expect(queue.used == 1)
    }

    @Test
    func `waiting bodies continue as soon as another body ends, the oldest first`() throws {
        var queue = Self.queue(limit: 100, [(40, "a", nil), (40, "b", nil), (0, "c", nil), (0, "d", nil)])
        #expect(queue.receive(30, of: 3, at: Self.at(0)).verdict == .queued)
        #expect(queue.receive(30, of: 2, at: Self.at(0)).verdict == .queued)
        #expect(queue.end(0, at: Self.at(0)).granted == [2, 3])
        #expect(queue.used == 100 && queue.count == 0)
    }

    @Test
    func `when every body is waiting for more, the newest is rejected, and the oldest always continues`() throws {
        var queue = Self.queue(limit: 100, [(40, "a", nil), (30, "b", nil), (30, "c", nil)])
        #expect(queue.receive(10, of: 2, at: Self.at(0)).verdict == .queued)
        #expect(queue.receive(10, of: 1, at: Self.at(0)).verdict == .queued)
        let (verdict, changes) = queue.receive(10, of: 0, at: Self.at(0))
        #expect(verdict == .granted)
        #expect(changes.refused == [2] && changes.granted == [1])
        #expect(queue.used == 90)
        #expect(queue.end(2, at: Self.at(0)) == ArrivalQueue.Changes())
    }

    @Test
    func `a body that holds memory without growing is abandoned for a waiting one, one at a time, the slowest first`()
        throws
    {
        var queue = Self.queue(limit: 100, [(50, "a", nil), (45, "b", nil)])
        #expect(queue.receive(5, of: 1, at: Self.at(1)).verdict == .granted)
        let honest = try Self.begin(&queue, by: "c", from: nil, at: Self.at(1))
        let (verdict, early) = queue.receive(10, of: honest, at: Self.at(1))
        #expect(verdict == .queued && early.abandoned.isEmpty)
        #expect(queue.checkStalls(at: Self.at(2)).abandoned == [0])
        #expect(queue.checkStalls(at: Self.at(3)).abandoned == [1])
        #expect(queue.checkStalls(at: Self.at(9)).abandoned.isEmpty)
        #expect(queue.end(0, at: Self.at(9)).granted == [honest])
    }

    @Test
    func `a body that stops waiting leaves the queue and frees its memory`() throws {
        var queue = Self.queue(limit: 100, [(50, "a", nil), (50, "b", nil), (0, "c", nil)])
        #expect(queue.receive(10, of: 2, at: Self.at(0)).verdict == .queued)
        #expect(queue.receive(10, of: 1, at: Self.at(0)).verdict == .queued)
        let (wasWaiting, changes) = queue.cancel(1, at: Self.at(0))
        #expect(wasWaiting && changes.granted == [2])
        #expect(queue.cancel(1, at: Self.at(0)).wasWaiting == false)
        #expect(queue.verdict(of: 1) == .refused && queue.verdict(of: 2) == .granted)
    }

    @Test(arguments: UInt64(1)...20)
    func `in any sequence of events, the memory in use equals what the bodies hold, and some body can always continue`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        var queue = ArrivalQueue(limit: 1_000)
        var held: [Int: Int] = [:]
        var wanted: [Int: Int] = [:]
        var now = Int64(0)
        func carryOut(_ changes: ArrivalQueue.Changes) {
            for number in changes.granted { held[number, default: 0] += wanted.removeValue(forKey: number) ?? 0 }
            for number in changes.refused {
                wanted[number] = nil
                held[number] = nil
            }
            for number in changes.abandoned {
                held[number] = nil
                carryOut(queue.end(number, at: Self.at(now)))
            }
        }
        for _ in 0..<2_000 {
            now += Int64.random(in: 0...1, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                let address = UInt32.random(in: 0...5, using: &generator)
                let sender = "s\(Int.random(in: 0...3, using: &generator))"
                let number = try Self.begin(
                    &queue,
                    by: sender,
                    from: address == 0 ? nil : Self.address(address),
                    at: Self.at(now)
                )
                held[number] = 0
            case 1, 2, 3:
                let free = held.keys.filter { wanted[$0] == nil }.sorted()
                guard let number = free.randomElement(using: &generator) else { continue }
                let bytes = Int.random(in: 1...120, using: &generator)
                wanted[number] = bytes
                let (verdict, changes) = queue.receive(bytes, of: number, at: Self.at(now))
                switch verdict {
                case .granted: held[number, default: 0] += wanted.removeValue(forKey: number) ?? 0
                case .refused:
                    wanted[number] = nil
                    held[number] = nil
                case .queued: break
                }
                carryOut(changes)
            case 4:
                guard let number = held.keys.filter({ wanted[$0] == nil }).min() else { continue }
                held[number] = nil
                carryOut(queue.end(number, at: Self.at(now)))
            default:
                guard let number = wanted.keys.max() else { continue }
                let (wasWaiting, changes) = queue.cancel(number, at: Self.at(now))
                #expect(wasWaiting)
                wanted[number] = nil
                held[number] = nil
                carryOut(changes)
            }
            #expect(queue.used == held.values.reduce(0, +))
            #expect(queue.count == wanted.count)
            // Not every body is waiting.
            #expect(wanted.isEmpty || held.contains { $0.value > 0 && wanted[$0.key] == nil })
        }
    }

    @Test
    func `a body waiting for memory continues when another ends, and an abandoned body's reader is notified`()
        async throws
    {
        var limits = AdmissionLimits()
        limits.arrivingBytes = 100
        let clock = ManualClock()
        let looks = AsyncStream.makeStream(of: Void.self)
        let budget = BodyBudget(limits, clock: clock) { _ in
            for await _ in looks.stream { break }
        }
        let abandoned = AsyncStream.makeStream(of: Void.self)
        let holds = AsyncStream.makeStream(of: Void.self)
        let abandon: @Sendable () -> Void = { abandoned.continuation.yield() }
        async let slow: Void = budget.withArrivingBody(of: "a", from: nil, abandon: abandon) { body in
            try await body.charge(100)
            holds.continuation.yield()
            for await _ in abandoned.stream { break }
        }
        for await _ in holds.stream { break }
        #expect(budget.used(for: .arriving) == 100)
        async let honest: Int = budget.withArrivingBody(of: "b", from: nil, abandon: Self.nothing) { body in
            try await body.charge(10)
            return 7
        }
        clock.advance(by: .seconds(2))
        looks.continuation.yield()
        #expect(try await honest == 7)
        try await slow
        #expect(budget.used(for: .arriving) == 0)
    }

    @Test
    func `a body that gets no memory in time is rejected with the busy error`() async throws {
        var limits = AdmissionLimits()
        limits.arrivingBytes = 100
        let budget = BodyBudget(limits, clock: ManualClock()) { _ in }
        try await budget.withArrivingBody(of: "a", from: nil, abandon: Self.nothing) { body in
            try await body.charge(100)
            let error = await #expect(throws: IntakeError.self) {
                try await budget.withArrivingBody(of: "b", from: nil, abandon: Self.nothing) { try await $0.charge(1) }
            }
            #expect(error?.code == .busy)
        }
        #expect(budget.used(for: .arriving) == 0 && budget.waiting(for: .arriving) == 0)
    }
}
