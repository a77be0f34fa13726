// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import Testing

@testable import CollectorHTTP

struct RequestDeadlinesTests {
    private static func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private func watch() -> RequestDeadlines {
        var watch = RequestDeadlines(headers: .seconds(10), body: .seconds(30), idle: .seconds(75))
        watch.connected(at: Self.at(0))
        return watch
    }

    @Test("the deadline for headers counts from the start of the connection")
    func headers() {
        var watch = watch()
        #expect(watch.expired(at: Self.at(9)) == .lookAgain(Self.at(10)))
        #expect(watch.expired(at: Self.at(10)) == .close)
    }

    @Test("the deadline for a body counts from its head, and the sender gets an error")
    func body() {
        var watch = watch()
        watch.headArrived(at: Self.at(5))
        #expect(watch.expired(at: Self.at(34)) == .lookAgain(Self.at(35)))
        #expect(watch.expired(at: Self.at(35)) == .failBody)
        #expect(watch.expired(at: Self.at(500)) == .rest)
        watch.answered(at: Self.at(500), isLast: false)
        #expect(watch.expired(at: Self.at(501)) == .lookAgain(Self.at(502)))
        #expect(watch.expired(at: Self.at(502)) == .close)
    }

    @Test("the collector's own work has no deadline")
    func working() {
        var watch = watch()
        watch.headArrived(at: Self.at(1))
        watch.bodyEnded(at: Self.at(2))
        #expect(watch.expired(at: Self.at(1_000)) == .rest)
        watch.answered(at: Self.at(1_000), isLast: false)
        #expect(watch.expired(at: Self.at(1_074)) == .lookAgain(Self.at(1_075)))
        #expect(watch.expired(at: Self.at(1_075)) == .close)
    }

    @Test("a body that is still arriving after the response keeps its deadline, then the connection ends")
    func answeredEarly() {
        var watch = watch()
        watch.headArrived(at: Self.at(1))
        watch.answered(at: Self.at(2), isLast: false)
        #expect(watch.expired(at: Self.at(30)) == .lookAgain(Self.at(31)))
        #expect(watch.expired(at: Self.at(31)) == .close)
    }

    @Test("after the last response the sender has a moment to read it")
    func last() {
        var watch = watch()
        watch.headArrived(at: Self.at(1))
        watch.answered(at: Self.at(2), isLast: true)
        watch.bodyEnded(at: Self.at(3))
        #expect(watch.expired(at: Self.at(3)) == .lookAgain(Self.at(4)))
        #expect(watch.expired(at: Self.at(4)) == .close)
    }

    @Test("with pipelined requests the connection is idle only after the last response")
    func pipelined() {
        var watch = watch()
        for _ in 0..<2 {
            watch.headArrived(at: Self.at(1))
            watch.bodyEnded(at: Self.at(1))
        }
        watch.answered(at: Self.at(2), isLast: false)
        #expect(watch.expired(at: Self.at(500)) == .rest)
        watch.answered(at: Self.at(600), isLast: false)
        #expect(watch.expired(at: Self.at(675)) == .close)
    }
}
