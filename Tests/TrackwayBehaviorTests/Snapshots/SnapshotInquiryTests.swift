// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents

@Suite("Queries to a snapshot's sources")
struct SnapshotInquiryTests {
    @Test("a source is queried once at a time, and snapshots that need it in the meantime share the answer")
    func shared() {
        let device = TestDevice()
        var inquiry = PendingSourceQueries()
        let first = inquiry.needs([.appState, .location], at: device.now)
        #expect(first.ask == [.appState, .location])
        #expect(first.await == [.appState, .location])
        let second = inquiry.needs([.appState, .motion], at: device.now)
        #expect(second.ask == [.motion])
        #expect(second.await == [.appState, .motion])
        inquiry.answered(.appState)
        #expect(inquiry.needs([.appState], at: device.now).ask == [.appState])
    }

    @Test(
        "a source that takes too long counts as silent, and is neither awaited nor queried until it answers",
        arguments: [(1_999, false), (2_000, true), (2_001, true)]
    )
    func silent(milliseconds: Int, isSilent: Bool) {
        var device = TestDevice()
        var inquiry = PendingSourceQueries()
        _ = inquiry.needs([.heading], at: device.now)
        #expect(inquiry.due == device.now.monotonic.advanced(by: .seconds(2)))
        device.pass(.milliseconds(milliseconds))
        let fallen = inquiry.timeCame(at: device.now)
        #expect(fallen == (isSilent ? [.heading] : []))
        let again = inquiry.needs([.heading], at: device.now)
        #expect(again.ask == [])
        #expect(again.await == (isSilent ? [] : [.heading]))
        let more = inquiry.timeCame(at: device.now)
        #expect(more == [], "reported once")
        inquiry.answered(.heading)
        #expect(inquiry.due == nil)
        #expect(inquiry.needs([.heading], at: device.now).ask == [.heading])
    }

    @Test("time while the process was suspended does not count against a source")
    func resumed() {
        var device = TestDevice()
        var inquiry = PendingSourceQueries()
        _ = inquiry.needs([.appState], at: device.now)
        device.pass(.seconds(3600))
        inquiry.resumed(at: device.now)
        #expect(inquiry.timeCame(at: device.now) == [])
        device.pass(.seconds(2))
        #expect(inquiry.timeCame(at: device.now) == [.appState])
    }
}
