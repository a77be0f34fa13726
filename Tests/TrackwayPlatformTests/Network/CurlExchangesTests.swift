// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayTesting

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

    @Test
    func `the first exchange starts the thread, and further ones wake it`() {
        var exchanges = CurlExchangeStateMachine()
        let (one, two) = (exchanges.register(), exchanges.register())
        #expect(exchanges.start(one, until: at(100), at: at(0)) == [.startThread])
        #expect(exchanges.start(two, until: at(50), at: at(0)) == [.wake])
        let turn = exchanges.nextTurn(at: at(1))
        #expect(turn.begins == [one, two])
        #expect(turn.wakeTime == at(50))
        #expect(exchanges.nextTurn(at: at(2)).begins == [])
        #expect(exchanges.finish(one) == true)
        #expect(exchanges.finish(one) == false)
    }

    @Test
    func `only the exchange past its deadline fails and is abandoned`() {
        var exchanges = CurlExchangeStateMachine()
        let (one, two) = (exchanges.register(), exchanges.register())
        _ = exchanges.start(one, until: at(10), at: at(0))
        _ = exchanges.start(two, until: at(50), at: at(0))
        _ = exchanges.nextTurn(at: at(1))
        let turn = exchanges.nextTurn(at: at(10))
        #expect(failures(turn.actions) == [one: .timedOut])
        #expect(turn.abandoned == [one])
        #expect(turn.wakeTime == at(50))
        #expect(exchanges.finish(one) == false)
        #expect(exchanges.finish(two) == true)
    }

    @Test
    func `a cancellation before the request takes effect`() {
        var exchanges = CurlExchangeStateMachine()
        let id = exchanges.register()
        #expect(exchanges.cancel(id) == [])
        #expect(failures(exchanges.start(id, until: at(10), at: at(0))) == [id: .cancelled])
        #expect(exchanges.nextTurn(at: at(1)).begins == [])
    }

    @Test
    func `a cancellation after the end has no effect`() {
        var exchanges = CurlExchangeStateMachine()
        let id = exchanges.register()
        _ = exchanges.start(id, until: at(10), at: at(0))
        _ = exchanges.nextTurn(at: at(1))
        #expect(exchanges.finish(id) == true)
        #expect(exchanges.cancel(id) == [])
        #expect(exchanges.nextTurn(at: at(2)).abandoned == [])
    }

    @Test
    func `an idle thread ends after its timeout, and the next exchange starts another`() {
        var exchanges = CurlExchangeStateMachine(timeout: .milliseconds(100))
        let id = exchanges.register()
        _ = exchanges.start(id, until: at(10), at: at(0))
        _ = exchanges.nextTurn(at: at(1))
        _ = exchanges.finish(id)
        #expect(exchanges.nextTurn(at: at(5)).wakeTime == at(105))
        #expect(exchanges.nextTurn(at: at(50)).wakeTime == at(105))
        #expect(exchanges.nextTurn(at: at(105)).ends)
        let next = exchanges.register()
        #expect(exchanges.start(next, until: at(500), at: at(200)) == [.startThread])
    }

    @Test
    func `a failed thread start fails every requested exchange and no other`() {
        var exchanges = CurlExchangeStateMachine()
        let (one, two, three) = (exchanges.register(), exchanges.register(), exchanges.register())
        _ = exchanges.start(one, until: at(10), at: at(0))
        _ = exchanges.start(two, until: at(10), at: at(0))
        #expect(failures(exchanges.threadFailed(TransportError(.other, "none"))) == [one: .other, two: .other])
        #expect(exchanges.start(three, until: at(10), at: at(0)) == [.startThread])
    }

    @Test
    func `closing the transport ends its thread and fails running and later exchanges`() {
        var exchanges = CurlExchangeStateMachine()
        #expect(exchanges.close() == [])
        let id = exchanges.register()
        #expect(failures(exchanges.start(id, until: at(10), at: at(0))) == [id: .cancelled])

        var working = CurlExchangeStateMachine()
        let one = working.register()
        _ = working.start(one, until: at(10), at: at(0))
        _ = working.nextTurn(at: at(1))
        #expect(working.close() == [.wake])
        let turn = working.nextTurn(at: at(2))
        #expect(turn.ends)
        #expect(turn.abandoned == [one])
        #expect(failures(turn.actions) == [one: .cancelled])
    }

    @Test(arguments: 0..<UInt64(TestScale.count(6, full: 20)))
    func `in any order of calls, every exchange starts at most once and ends exactly once`(_ seed: UInt64) {
        var generator = SplitMix(seed: seed)
        var exchanges = CurlExchangeStateMachine(timeout: .milliseconds(30))
        var now: Int64 = 0
        var registered: [CurlExchangeStateMachine.ID] = []
        var started: Set<CurlExchangeStateMachine.ID> = []
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
                    #expect(started.contains(id))
                    ended[id, default: 0] += 1
                }
            }
        }
        for _ in 0..<5_000 {
            now += Int64(generator.next() % 5)
            switch generator.next() % 8 {
            case 0: registered.append(exchanges.register())
            case 1, 2:
                guard let id = registered.popLast() else { continue }
                started.insert(id)
                note(exchanges.start(id, until: at(now + Int64(generator.next() % 40)), at: at(now)))
            case 3:
                let known = Array(started) + registered
                guard !known.isEmpty else { continue }
                note(exchanges.cancel(known.sorted()[Int(generator.next() % UInt64(known.count))]))
            case 4:
                guard let id = begun.sorted().first else { continue }
                begun.remove(id)
                if exchanges.finish(id) { ended[id, default: 0] += 1 }
            case 5 where generator.next() % 50 == 0:
                guard hasThread else { continue }
                note(exchanges.threadFailed(TransportError(.other)))
                hasThread = false
                begun = []
            default:
                guard hasThread else { continue }
                let turn = exchanges.nextTurn(at: at(now))
                note(turn.actions)
                for id in turn.abandoned { begun.remove(id) }
                for id in turn.begins { #expect(begun.insert(id).inserted == true) }
                if turn.ends { hasThread = false }
            }
        }
        if hasThread {
            now += 100
            note(exchanges.nextTurn(at: at(now)).actions)
        }
        #expect(started.allSatisfy { ended[$0] == 1 })
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
