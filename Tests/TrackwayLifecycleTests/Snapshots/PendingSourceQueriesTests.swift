// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Queries to a snapshot's sources")
struct PendingSourceQueriesTests {
    @Test
    func `a source is queried once at a time, and snapshots that need it in the meantime share the answer`() {
        let device = TestDevice()
        var queries = PendingSourceQueries()
        let first = queries.request([.appState, .location], at: device.now)
        #expect(first.query == [.appState, .location])
        #expect(first.await == [.appState, .location])
        let second = queries.request([.appState, .motion], at: device.now)
        #expect(second.query == [.motion])
        #expect(second.await == [.appState, .motion])
        queries.sourceAnswered(.appState)
        #expect(queries.request([.appState], at: device.now).query == [.appState])
    }

    @Test(arguments: [(1_999, false), (2_000, true), (2_001, true)])
    func `a source that takes too long counts as silent, and is neither awaited nor queried until it answers`(
        milliseconds: Int,
        isSilent: Bool
    ) {
        var device = TestDevice()
        var queries = PendingSourceQueries()
        _ = queries.request([.heading], at: device.now)
        #expect(queries.due == device.now.monotonic.advanced(by: .seconds(2)))
        device.pass(.milliseconds(milliseconds))
        let timedOut = queries.timerFired(at: device.now)
        #expect(timedOut == (isSilent ? [.heading] : []))
        let again = queries.request([.heading], at: device.now)
        #expect(again.query == [])
        #expect(again.await == (isSilent ? [] : [.heading]))
        let more = queries.timerFired(at: device.now)
        #expect(more == [], "reported once")
        queries.sourceAnswered(.heading)
        #expect(queries.due == nil)
        #expect(queries.request([.heading], at: device.now).query == [.heading])
    }

    @Test
    func `time while the process was suspended does not count against a source`() {
        var device = TestDevice()
        var queries = PendingSourceQueries()
        _ = queries.request([.appState], at: device.now)
        device.pass(.seconds(3600))
        queries.processResumed(at: device.now)
        #expect(queries.timerFired(at: device.now) == [])
        device.pass(.seconds(2))
        #expect(queries.timerFired(at: device.now) == [.appState])
    }
}
