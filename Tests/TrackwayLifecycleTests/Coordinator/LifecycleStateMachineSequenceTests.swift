// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Order of recorded lifecycle events")
struct LifecycleStateMachineSequenceTests {
    @Test
    func `a new installation records first open, start and session, and nothing more when the launch is announced`() {
        var app = TestApp()
        app.start()
        #expect(app.names == [CapturedName.firstOpen, CapturedName.appStart, CapturedName.sessionStart])
        #expect(app.orders.prefix(3) == ["foreground", "save", "context"])
        #expect(Set(app.events.map(\.session?.number)) == [1])
        #expect(
            app.events[1].attributes == [
                CapturedKey.isFirstTime: true, CapturedKey.startKind: "cold", CapturedKey.isFirstStart: true,
                CapturedKey.resumedFromBackground: false,
            ]
        )
        app.change(.didFinishLaunching, .didBecomeActive)
        #expect(app.events.count == 3)
    }

    @Test
    func `entering the background records engagement and exit, saves and flushes, all within background time`() {
        var app = TestApp()
        app.open()
        app.show("Home")
        app.clear()
        app.pass(.milliseconds(1500))
        app.leave()
        #expect(
            app.orders == [
                "save", "background", "openWindow", CapturedName.userEngagement, CapturedName.appEnd, "save", "flush",
                "closeWindow",
            ]
        )
        #expect(app.events[0].attributes == [CapturedKey.engagementTime: 1500])
        #expect(app.events[1].attributes == [CapturedKey.foregroundDuration: 1500])
    }

    @Test
    func `a return before the timeout is a hot start in the same session and screen, without another view`() {
        var app = TestApp()
        app.open()
        app.show("Home")
        app.leave()
        app.pass(.seconds(1799))
        app.clear()
        app.comeBack()
        #expect(app.names == [CapturedName.appStart])
        #expect(
            app.events[0].attributes == [
                CapturedKey.isFirstTime: false, CapturedKey.startKind: "hot", CapturedKey.isFirstStart: false,
                CapturedKey.resumedFromBackground: true,
            ]
        )
        #expect(app.events[0].session?.number == 1)
        #expect(app.events[0].screen?.name == "Home")
    }

    @Test
    func `a return after the timeout starts a new session, whose first view is the current screen`() {
        var app = TestApp()
        app.open()
        app.show("Home", id: "Root/Home", uniqueID: "17")
        app.pass(.seconds(5))
        let shown = app.events.last?.at.wall
        app.leave()
        app.pass(.seconds(1800))
        app.clear()
        app.comeBack()
        #expect(app.names == [CapturedName.appStart, CapturedName.sessionStart, CapturedName.screenView])
        #expect(app.events.map(\.session?.number) == [2, 2, 2])
        #expect(app.events.map(\.screen?.name) == [nil, nil, "Home"])
        #expect(
            app.events[2].attributes == [
                CapturedKey.screenName: "Home", CapturedKey.screenID: "Root/Home", CapturedKey.screenUniqueID: "17",
                CapturedKey.entrances: 1,
                CapturedKey.previousTimestamp: shown?.milliseconds ?? 0,
            ]
        )
    }

    @Test(arguments: [(1799, 1), (1800, 2)])
    func `time away counts from the exit, not from earlier activity`(seconds: Int, number: Int64) {
        var app = TestApp()
        app.open()
        app.pass(.seconds(1000))
        app.change(.didEnterBackground)
        app.pass(.seconds(seconds))
        app.comeBack()
        #expect(app.events.last?.session?.number == number)
    }
}
