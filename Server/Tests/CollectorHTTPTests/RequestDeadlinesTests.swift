// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import Testing

@testable import CollectorHTTP

struct RequestDeadlinesTests {
    private static func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private func deadlines() -> RequestDeadlines {
        var deadlines = RequestDeadlines(headers: .seconds(10), body: .seconds(30), idle: .seconds(75))
        deadlines.connected(at: Self.at(0))
        return deadlines
    }

    @Test
    func `the deadline for headers counts from the start of the connection`() {
        var deadlines = deadlines()
        #expect(deadlines.timerFired(at: Self.at(9)) == .checkAgain(Self.at(10)))
        #expect(deadlines.timerFired(at: Self.at(10)) == .close)
    }

    @Test
    func `the deadline for a body counts from its head, and the sender gets an error`() {
        var deadlines = deadlines()
        deadlines.headReceived(at: Self.at(5))
        #expect(deadlines.timerFired(at: Self.at(34)) == .checkAgain(Self.at(35)))
        #expect(deadlines.timerFired(at: Self.at(35)) == .failBody)
        #expect(deadlines.timerFired(at: Self.at(500)) == .noDeadline)
        deadlines.responseSent(at: Self.at(500), isLast: false)
        #expect(deadlines.timerFired(at: Self.at(501)) == .checkAgain(Self.at(502)))
        #expect(deadlines.timerFired(at: Self.at(502)) == .close)
    }

    @Test
    func `the collector's own work has no deadline`() {
        var deadlines = deadlines()
        deadlines.headReceived(at: Self.at(1))
        deadlines.bodyReceived(at: Self.at(2))
        #expect(deadlines.timerFired(at: Self.at(1_000)) == .noDeadline)
        deadlines.responseSent(at: Self.at(1_000), isLast: false)
        #expect(deadlines.timerFired(at: Self.at(1_074)) == .checkAgain(Self.at(1_075)))
        #expect(deadlines.timerFired(at: Self.at(1_075)) == .close)
    }

    @Test
    func `a body that is still arriving after the response keeps its deadline, then the connection ends`() {
        var deadlines = deadlines()
        deadlines.headReceived(at: Self.at(1))
        deadlines.responseSent(at: Self.at(2), isLast: false)
        #expect(deadlines.timerFired(at: Self.at(30)) == .checkAgain(Self.at(31)))
        #expect(deadlines.timerFired(at: Self.at(31)) == .close)
    }

    @Test
    func `after the last response, the sender has time to read it`() {
        var deadlines = deadlines()
        deadlines.headReceived(at: Self.at(1))
        deadlines.responseSent(at: Self.at(2), isLast: true)
        deadlines.bodyReceived(at: Self.at(3))
        #expect(deadlines.timerFired(at: Self.at(3)) == .checkAgain(Self.at(4)))
        #expect(deadlines.timerFired(at: Self.at(4)) == .close)
    }

    @Test
    func `with pipelined requests, the connection is idle only after the last response`() {
        var deadlines = deadlines()
        for _ in 0..<2 {
            deadlines.headReceived(at: Self.at(1))
            deadlines.bodyReceived(at: Self.at(1))
        }
        deadlines.responseSent(at: Self.at(2), isLast: false)
        #expect(deadlines.timerFired(at: Self.at(500)) == .noDeadline)
        deadlines.responseSent(at: Self.at(600), isLast: false)
        #expect(deadlines.timerFired(at: Self.at(675)) == .close)
    }
}
