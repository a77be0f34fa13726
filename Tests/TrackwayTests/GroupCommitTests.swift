// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway

@Suite("Group commit")
struct GroupCommitTests {
    /// Represents a failed flush.
    struct Failure: Error, Hashable {}

    @Test
    func `a single caller gets its own flush`() {
        var machine = GroupCommit<Failure>()
        #expect(machine.requestFlush(for: 1).flushes == 1)
        #expect(machine.flushFinished(nil).finished == [1])
        #expect(machine.requestFlush(for: 2).flushes == 1)
    }

    @Test
    func `callers that arrive during a flush share the next one`() {
        var machine = GroupCommit<Failure>()
        _ = machine.requestFlush(for: 1)
        #expect(machine.requestFlush(for: 2).isEmpty)
        #expect(machine.requestFlush(for: 3).isEmpty)
        let first = machine.flushFinished(nil)
        #expect(first.finished == [1])
        #expect(first.flushes == 1)
        let second = machine.flushFinished(nil)
        #expect(second.finished == [2, 3])
        #expect(second.flushes == 0)
    }

    @Test
    func `a failure is reported to exactly the callers that the flush covered`() {
        var machine = GroupCommit<Failure>()
        _ = machine.requestFlush(for: 1)
        _ = machine.requestFlush(for: 2)
        #expect(machine.flushFinished(Failure()).failed == [1])
        #expect(machine.flushFinished(nil).finished == [2])
    }

    @Test(arguments: 0..<50)
    func `every caller is notified once, by a flush that began after its request`(seed: UInt64) {
        var random = LinearGenerator(seed: seed)
        var machine = GroupCommit<Failure>()
        var flushesBegun = 0
        var isFlushing = false
        var requestedAt: [UInt64: Int] = [:]
        var finished: Set<UInt64> = []
        func follow(_ actions: [GroupCommit<Failure>.Action], endedFlush: Int) {
            for action in actions {
                switch action {
                case .flush:
                    #expect(!isFlushing, "two flushes overlap")
                    flushesBegun += 1
                    isFlushing = true
                case .finish(let tickets, _):
                    for ticket in tickets {
                        #expect(finished.insert(ticket).inserted)
                        let isLater = requestedAt[ticket].map { endedFlush > $0 } ?? false
                        #expect(isLater, "covered by a flush that began before the request")
                    }
                }
            }
        }
        for ticket in 1...200 as ClosedRange<UInt64> {
            if random.next() % 3 == 0, isFlushing {
                isFlushing = false
                let ended = flushesBegun
                follow(machine.flushFinished(random.next() % 4 == 0 ? Failure() : nil), endedFlush: ended)
            }
            requestedAt[ticket] = flushesBegun
            follow(machine.requestFlush(for: ticket), endedFlush: 0)
        }
        while isFlushing {
            isFlushing = false
            follow(machine.flushFinished(nil), endedFlush: flushesBegun)
        }
        #expect(finished.count == 200)
    }
}

/// A small repeatable random number generator.
private struct LinearGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 2 &+ 1 }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}

extension [GroupCommit<GroupCommitTests.Failure>.Action] {
    fileprivate var flushes: Int { count { if case .flush = $0 { true } else { false } } }
    fileprivate var finished: [UInt64] {
        flatMap { if case .finish(let tickets, nil) = $0 { tickets } else { [UInt64]() } }
    }
    fileprivate var failed: [UInt64] {
        flatMap { if case .finish(let tickets, .some) = $0 { tickets } else { [UInt64]() } }
    }
}
