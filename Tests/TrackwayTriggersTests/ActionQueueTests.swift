// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayTesting

@testable internal import TrackwayTriggers

@Suite("Action queue")
struct ActionQueueTests {
    @Test("one turn is requested for all actions that arrive before it begins")
    func oneTurn() {
        var queue = ActionQueue<Int>()
        #expect(queue.triggered(1) == .ordersTurn)
        #expect(queue.triggered(2) == .waits)
        #expect(queue.beginTurn() == [1, 2])
        #expect(queue.endTurn() == false)
        #expect(queue.triggered(3) == .ordersTurn)
    }

    @Test("an action that arrives during a turn waits for the next one")
    func duringTurn() {
        var queue = ActionQueue<Int>()
        _ = queue.triggered(1)
        #expect(queue.beginTurn() == [1])
        #expect(queue.triggered(2) == .waits)
        #expect(queue.endTurn() == true)
        #expect(queue.beginTurn() == [2])
        #expect(queue.endTurn() == false)
    }

    @Test("a turn that was not requested does nothing")
    func strayTurns() {
        var queue = ActionQueue<Int>()
        #expect(queue.beginTurn() == [])
        #expect(queue.endTurn() == false)
        _ = queue.triggered(1)
        #expect(queue.endTurn() == false)
        #expect(queue.beginTurn() == [1])
        #expect(queue.beginTurn() == [])
    }

    @Test("actions beyond the bound are rejected and counted")
    func bound() {
        var queue = ActionQueue<Int>(bound: 2)
        _ = queue.triggered(1)
        _ = queue.triggered(2)
        #expect(queue.triggered(3) == .refused)
        #expect(queue.refused == 1)
        #expect(queue.beginTurn() == [1, 2])
        #expect(queue.triggered(4) == .waits)
    }

    @Test(
        "in any order each action runs once and in sequence, and a turn is requested while actions wait"
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
                done += queue.beginTurn()
            case 2 where inTurn:
                inTurn = false
                if queue.endTurn() { ordered += 1 }
            default: break
            }
            #expect(ordered <= 1)
            #expect(done.count == next || ordered == 1 || inTurn)
        }
        #expect(done == Array(0..<done.count))
        #expect(done.count > 5000)
    }
}
