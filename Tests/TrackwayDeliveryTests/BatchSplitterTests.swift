// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDelivery
internal import TrackwayTesting

@Suite("Splitting a batch")
struct BatchSplitterTests {
    /// Simulates a back end that rejects every part with a poison event.
    private func deliver(count: Int, guilty: Set<Int>) -> (requests: Int, deadLetters: [Int], passed: [Int]) {
        var parts = BatchSplitter(count: count)
        var requests = 0
        var deadLetters: [Int] = []
        var passed: [Int] = []
        while let front = parts.front {
            requests += 1
            if front.allSatisfy({ !guilty.contains($0) }) {
                passed += front
                parts.frontAccepted()
            } else if !parts.halveFront(hasOffendingEvent: true) {
                deadLetters += front
                parts.frontBecameDeadLetter(rejoining: true)
            }
        }
        return (requests, deadLetters, passed)
    }

    @Test(arguments: [1, 2, 3, 10, 100, 1_000])
    func `a single poison event in a batch of any size is isolated in few requests`(count: Int) {
        for guilty in Set([0, 1, count / 3, count / 2, count - 2, count - 1]) where (0..<count).contains(guilty) {
            let result = deliver(count: count, guilty: [guilty])
            #expect(result.deadLetters == [guilty])
            #expect(result.passed == (0..<count).filter { $0 != guilty })
            // The whole batch, the halves down to the event, the event itself, and the rest in one request.
            let depth = count <= 1 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount
            #expect(result.requests <= depth + 3, "\(guilty) of \(count)")
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `exactly the poison events are found, in order`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int(random.next() % 300)
        let guilty = Set((0..<count).filter { _ in random.next() % 20 == 0 })
        let result = deliver(count: count, guilty: guilty)
        #expect(result.deadLetters == guilty.sorted())
        #expect(result.passed == (0..<count).filter { !guilty.contains($0) })
    }

    @Test
    func `a batch without events is one empty part`() {
        var parts = BatchSplitter(count: 0)
        #expect(parts.front == 0..<0)
        let halved = parts.halveFront(hasOffendingEvent: true)
        #expect(!halved)
        parts.frontAccepted()
        #expect(parts.front == nil)
    }

    @Test
    func `a half known to contain poison is split without being sent, unless other events explain the rejection`() {
        var parts = BatchSplitter(count: 8)
        parts.halveFront(hasOffendingEvent: true)
        var explained = parts
        parts.frontAccepted()
        #expect(parts.front == 4..<6)
        explained.frontAccepted(refusedSome: true)
        #expect(explained.front == 4..<8)
    }

    @Test
    func `a half is not suspect once the half before it explains the rejection`() {
        var parts = BatchSplitter(count: 8)
        parts.halveFront(hasOffendingEvent: true)
        // 0..<4 is rejected too; then event 1 turns out to be the poison event.
        parts.halveFront(hasOffendingEvent: true)
        parts.halveFront(hasOffendingEvent: true)
        parts.frontAccepted()
        #expect(parts.front == 1..<2)
        parts.frontBecameDeadLetter(rejoining: false)
        #expect(parts.front == 2..<4)
        parts.frontAccepted()
        #expect(parts.front == 4..<8)
    }

    @Test
    func `a half of a batch rejected for its size is not suspect`() {
        var parts = BatchSplitter(count: 8)
        parts.halveFront(hasOffendingEvent: false)
        parts.frontAccepted()
        #expect(parts.front == 4..<8)
    }
}
