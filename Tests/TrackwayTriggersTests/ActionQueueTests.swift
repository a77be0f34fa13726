// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayTesting

@testable internal import TrackwayTriggers

@Suite("Action queue")
struct ActionQueueTests {
    @Test
    func `one turn is requested for all actions that arrive before it begins`() {
        var queue = ActionQueue<Int>()
        #expect(queue.add(1) == .turnNeeded)
        #expect(queue.add(2) == .pending)
        #expect(queue.beginTurn() == [1, 2])
        #expect(queue.endTurn() == false)
        #expect(queue.add(3) == .turnNeeded)
    }

    @Test
    func `an action that arrives during a turn waits for the next one`() {
        var queue = ActionQueue<Int>()
        _ = queue.add(1)
        #expect(queue.beginTurn() == [1])
        #expect(queue.add(2) == .pending)
        #expect(queue.endTurn() == true)
        #expect(queue.beginTurn() == [2])
        #expect(queue.endTurn() == false)
    }

    @Test
    func `a turn that was not requested does nothing`() {
        var queue = ActionQueue<Int>()
        #expect(queue.beginTurn() == [])
        #expect(queue.endTurn() == false)
        _ = queue.add(1)
        #expect(queue.endTurn() == false)
        #expect(queue.beginTurn() == [1])
        #expect(queue.beginTurn() == [])
    }

    @Test
    func `actions beyond the capacity are rejected and counted`() {
        var queue = ActionQueue<Int>(capacity: 2)
        _ = queue.add(1)
        _ = queue.add(2)
        #expect(queue.add(3) == .refused)
        #expect(queue.refusedCount == 1)
        #expect(queue.beginTurn() == [1, 2])
        #expect(queue.add(4) == .pending)
    }

    @Test
    func `in any order, each action runs once and in sequence, and a turn is requested while actions wait`() {
        var random = SeededGenerator(seed: 13)
        var queue = ActionQueue<Int>()
        var (next, done, ordered, inTurn) = (0, [Int](), 0, false)
        for _ in 0..<20_000 {
            switch random.next(below: 3) {
            case 0:
                if queue.add(next) == .turnNeeded { ordered += 1 }
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
