// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting
internal import TrackwayWire

@testable import TrackwayPlatform

@Suite("Exchange state machine")
struct CurlExchangesTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private func failures(_ actions: [CurlExchangeStateMachine.Action]) -> [CurlExchangeStateMachine.ID: TransportError
        .Code]
    {
        var failures: [CurlExchangeStateMachine.ID: TransportError.Code] = [:]
        for case .fail(let id, let error) in actions { failures[id] = error.code }
        return failures
    }

    @Test("the first exchange starts the thread, and further ones wake it")
    func starts() {
        var exchanges = CurlExchangeStateMachine()
        let (one, two) = (exchanges.announced(), exchanges.announced())
        #expect(exchanges.asked(one, until: at(100), at: at(0)) == [.startThread])
        #expect(exchanges.asked(two, until: at(50), at: at(0)) == [.wake])
        let turn = exchanges.turn(at: at(1))
        #expect(turn.begins == [one, two])
        #expect(turn.looksAgain == at(50))
        #expect(exchanges.turn(at: at(2)).begins == [])
        #expect(exchanges.ended(one) == true)
        #expect(exchanges.ended(one) == false)
    }

    @Test("only the exchange past its deadline fails and is abandoned")
    func late() {
        var exchanges = CurlExchangeStateMachine()
        let (one, two) = (exchanges.announced(), exchanges.announced())
        _ = exchanges.asked(one, until: at(10), at: at(0))
        _ = exchanges.asked(two, until: at(50), at: at(0))
        _ = exchanges.turn(at: at(1))
        let turn = exchanges.turn(at: at(10))
        #expect(failures(turn.actions) == [one: .timedOut])
        #expect(turn.abandoned == [one])
        #expect(turn.looksAgain == at(50))
        #expect(exchanges.ended(one) == false)
        #expect(exchanges.ended(two) == true)
    }

    @Test("a cancellation before the request takes effect")
    func early() {
        var exchanges = CurlExchangeStateMachine()
        let id = exchanges.announced()
        #expect(exchanges.cancelled(id) == [])
        #expect(failures(exchanges.asked(id, until: at(10), at: at(0))) == [id: .cancelled])
        #expect(exchanges.turn(at: at(1)).begins == [])
    }

    @Test("a cancellation after the end has no effect")
    func tooLate() {
        var exchanges = CurlExchangeStateMachine()
        let id = exchanges.announced()
        _ = exchanges.asked(id, until: at(10), at: at(0))
        _ = exchanges.turn(at: at(1))
        #expect(exchanges.ended(id) == true)
        #expect(exchanges.cancelled(id) == [])
        #expect(exchanges.turn(at: at(2)).abandoned == [])
    }

    @Test("an idle thread ends after its timeout, and the next exchange starts another")
    func idle() {
        var exchanges = CurlExchangeStateMachine(timeout: .milliseconds(100))
        let id = exchanges.announced()
        _ = exchanges.asked(id, until: at(10), at: at(0))
        _ = exchanges.turn(at: at(1))
        _ = exchanges.ended(id)
        #expect(exchanges.turn(at: at(5)).looksAgain == at(105))
        #expect(exchanges.turn(at: at(50)).looksAgain == at(105))
        #expect(exchanges.turn(at: at(105)).ends)
        let next = exchanges.announced()
        #expect(exchanges.asked(next, until: at(500), at: at(200)) == [.startThread])
    }

    @Test("a failed thread start fails every requested exchange and no other")
    func noThread() {
        var exchanges = CurlExchangeStateMachine()
        let (one, two, three) = (exchanges.announced(), exchanges.announced(), exchanges.announced())
        _ = exchanges.asked(one, until: at(10), at: at(0))
        _ = exchanges.asked(two, until: at(10), at: at(0))
        #expect(failures(exchanges.threadFailed(TransportError(.other, "none"))) == [one: .other, two: .other])
        #expect(exchanges.asked(three, until: at(10), at: at(0)) == [.startThread])
    }

    @Test("closing the transport ends its thread and fails running and later exchanges")
    func closed() {
        var exchanges = CurlExchangeStateMachine()
        #expect(exchanges.closed() == [])
        let id = exchanges.announced()
        #expect(failures(exchanges.asked(id, until: at(10), at: at(0))) == [id: .cancelled])

        var working = CurlExchangeStateMachine()
        let one = working.announced()
        _ = working.asked(one, until: at(10), at: at(0))
        _ = working.turn(at: at(1))
        #expect(working.closed() == [.wake])
        let turn = working.turn(at: at(2))
        #expect(turn.ends)
        #expect(turn.abandoned == [one])
        #expect(failures(turn.actions) == [one: .cancelled])
    }

    @Test(
        "in any order of calls every exchange starts at most once and ends exactly once",
        arguments: 0..<UInt64(TestScale.count(6, full: 20))
    )
    func walk(_ seed: UInt64) {
        var chance = SplitMix(seed: seed)
        var exchanges = CurlExchangeStateMachine(timeout: .milliseconds(30))
        var now: Int64 = 0
        var announced: [CurlExchangeStateMachine.ID] = []
        var asked: Set<CurlExchangeStateMachine.ID> = []
        var begun: Set<CurlExchangeStateMachine.ID> = []
        var ended: [CurlExchangeStateMachine.ID: Int] = [:]
        var hasThread = false
        func note(_ actions: [CurlExchangeStateMachine.Action]) {
            for action in actions {
                switch action {
                case .startThread:
                    #expect(!hasThread)
                    hasThread = true
                case .wake: break
                case .fail(let id, _):
                    #expect(asked.contains(id))
                    ended[id, default: 0] += 1
                }
            }
        }
        for _ in 0..<5_000 {
            now += Int64(chance.next() % 5)
            switch chance.next() % 8 {
            case 0: announced.append(exchanges.announced())
            case 1, 2:
                guard let id = announced.popLast() else { continue }
                asked.insert(id)
                note(exchanges.asked(id, until: at(now + Int64(chance.next() % 40)), at: at(now)))
            case 3:
                let known = Array(asked) + announced
                guard !known.isEmpty else { continue }
                note(exchanges.cancelled(known.sorted()[Int(chance.next() % UInt64(known.count))]))
            case 4:
                guard let id = begun.sorted().first else { continue }
                begun.remove(id)
                if exchanges.ended(id) { ended[id, default: 0] += 1 }
            case 5 where chance.next() % 50 == 0:
                guard hasThread else { continue }
                note(exchanges.threadFailed(TransportError(.other)))
                hasThread = false
                begun = []
            default:
                guard hasThread else { continue }
                let turn = exchanges.turn(at: at(now))
                note(turn.actions)
                for id in turn.abandoned { begun.remove(id) }
                for id in turn.begins { #expect(begun.insert(id).inserted == true) }
                if turn.ends { hasThread = false }
            }
        }
        if hasThread {
            now += 100
            note(exchanges.turn(at: at(now)).actions)
        }
        #expect(asked.allSatisfy { ended[$0] == 1 })
    }

    /// A deterministic random number generator.
    private struct SplitMix {
        var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }
}
