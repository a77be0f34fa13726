// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDelivery
internal import TrackwayTesting

@Suite("Splitting a batch")
struct BatchSplitterTests {
    /// Plays a back-end that refuses every part with a guilty event in it.
    private func play(count: Int, guilty: Set<Int>) -> (requests: Int, deadLetters: [Int], passed: [Int]) {
        var parts = BatchSplitter(count: count)
        var requests = 0
        var deadLetters: [Int] = []
        var passed: [Int] = []
        while let front = parts.front {
            requests += 1
            if front.allSatisfy({ !guilty.contains($0) }) {
                passed += front
                parts.frontPassed()
            } else if !parts.halveFront(guiltKnown: true) {
                deadLetters += front
                parts.frontBecameDeadLetter(rejoining: true)
            }
        }
        return (requests, deadLetters, passed)
    }

    @Test("one guilty event among any number is found alone, in few requests", arguments: [1, 2, 3, 10, 100, 1_000])
    func oneGuilty(count: Int) {
        for guilty in Set([0, 1, count / 3, count / 2, count - 2, count - 1]) where (0..<count).contains(guilty) {
            let result = play(count: count, guilty: [guilty])
            #expect(result.deadLetters == [guilty])
            #expect(result.passed == (0..<count).filter { $0 != guilty })
            // The whole, down the halves, the event itself, and the rest in one.
            let depth = count <= 1 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount
            #expect(result.requests <= depth + 3, "\(guilty) of \(count)")
        }
    }

    @Test("several guilty events are all found, in order, and nothing else", arguments: 0..<40 as Range<UInt64>)
    func severalGuilty(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int(random.next() % 300)
        let guilty = Set((0..<count).filter { _ in random.next() % 20 == 0 })
        let result = play(count: count, guilty: guilty)
        #expect(result.deadLetters == guilty.sorted())
        #expect(result.passed == (0..<count).filter { !guilty.contains($0) })
    }

    @Test("a batch without events is one empty part")
    func empty() {
        var parts = BatchSplitter(count: 0)
        #expect(parts.front == 0..<0)
        let halved = parts.halveFront(guiltKnown: true)
        #expect(!halved)
        parts.frontPassed()
        #expect(parts.front == nil)
    }

    @Test("a half whose guilt is known is halved without being sent, unless other events explain the refusal")
    func knownGuilt() {
        var parts = BatchSplitter(count: 8)
        parts.halveFront(guiltKnown: true)
        var explained = parts
        parts.frontPassed()
        #expect(parts.front == 4..<6)
        explained.frontPassed(refusedSome: true)
        #expect(explained.front == 4..<8)
    }

    @Test("a half is under no suspicion once the half before it explains the refusal")
    func explained() {
        var parts = BatchSplitter(count: 8)
        parts.halveFront(guiltKnown: true)
        // 0..<4 is refused too, then found to be guilty at 1.
        parts.halveFront(guiltKnown: true)
        parts.halveFront(guiltKnown: true)
        parts.frontPassed()
        #expect(parts.front == 1..<2)
        parts.frontBecameDeadLetter(rejoining: false)
        #expect(parts.front == 2..<4)
        parts.frontPassed()
        #expect(parts.front == 4..<8)
    }

    @Test("a half that was refused for size carries no guilt")
    func size() {
        var parts = BatchSplitter(count: 8)
        parts.halveFront(guiltKnown: false)
        parts.frontPassed()
        #expect(parts.front == 4..<8)
    }
}
