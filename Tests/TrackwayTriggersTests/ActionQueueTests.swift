// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayTesting

@testable internal import TrackwayTriggers

@Suite("What waits for an executor")
struct ActionQueueTests {
    @Test("one turn is ordered for all that come before it begins")
    func oneTurn() {
        var queue = ActionQueue<Int>()
        #expect(queue.triggered(1) == .ordersTurn)
        #expect(queue.triggered(2) == .waits)
        #expect(queue.turnBegan() == [1, 2])
        #expect(queue.turnEnded() == false)
        #expect(queue.triggered(3) == .ordersTurn)
    }

    @Test("what comes during a turn waits for the next one")
    func duringTurn() {
        var queue = ActionQueue<Int>()
        _ = queue.triggered(1)
        #expect(queue.turnBegan() == [1])
        #expect(queue.triggered(2) == .waits)
        #expect(queue.turnEnded() == true)
        #expect(queue.turnBegan() == [2])
        #expect(queue.turnEnded() == false)
    }

    @Test("turns that nobody ordered do nothing")
    func strayTurns() {
        var queue = ActionQueue<Int>()
        #expect(queue.turnBegan() == [])
        #expect(queue.turnEnded() == false)
        _ = queue.triggered(1)
        #expect(queue.turnEnded() == false)
        #expect(queue.turnBegan() == [1])
        #expect(queue.turnBegan() == [])
    }

    @Test("more than the bound is refused and counted")
    func bound() {
        var queue = ActionQueue<Int>(bound: 2)
        _ = queue.triggered(1)
        _ = queue.triggered(2)
        #expect(queue.triggered(3) == .refused)
        #expect(queue.refused == 1)
        #expect(queue.turnBegan() == [1, 2])
        #expect(queue.triggered(4) == .waits)
    }

    @Test(
        "however turns and triggers mix, everything comes once and in order, and a turn is ordered while anything waits"
    )
    func walk() {
        var chance = SeededGenerator(seed: 13)
        var queue = ActionQueue<Int>()
        var (next, done, ordered, inTurn) = (0, [Int](), 0, false)
        for _ in 0..<20_000 {
            switch chance.next(below: 3) {
            case 0:
                if queue.triggered(next) == .ordersTurn { ordered += 1 }
                next += 1
            case 1 where ordered > 0 && !inTurn:
                ordered -= 1
                inTurn = true
                done += queue.turnBegan()
            case 2 where inTurn:
                inTurn = false
                if queue.turnEnded() { ordered += 1 }
            default: break
            }
            #expect(ordered <= 1)
            #expect(done.count == next || ordered == 1 || inTurn)
        }
        #expect(done == Array(0..<done.count))
        #expect(done.count > 5000)
    }
}
