// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents

@Suite("Launches of which nobody can tell yet whom they are for")
struct PendingLaunchTests {
    @Test(
        "A person's launch is a cold start once the app is in front, and everything a first start brings comes with it"
    )
    func opened() {
        var app = TestApp()
        app.start(in: .background, isPending: true)
        #expect(app.events.isEmpty)
        #expect(app.behavior.isPending)
        app.pass(.seconds(1))
        app.change(.didFinishLaunching, .willEnterForeground)
        #expect(app.events.isEmpty)
        app.change(.didBecomeActive)
        #expect(app.names == [CapturedName.firstOpen, CapturedName.appStart, CapturedName.sessionStart])
        let start = app.events[1].attributes
        #expect(start[CapturedKey.startKind] == "cold")
        #expect(start[CapturedKey.isFirstTime] == true)
        #expect(start[CapturedKey.isFirstStart] == true)
        #expect(start[CapturedKey.resumedFromBackground] == false)
        #expect(!app.behavior.isPending)
        #expect(!app.isInBackground)
    }

    @Test(
        "A process that nobody opened leaves nothing: no start, no session, no exit when it ends, none recovered later"
    )
    func neverOpened() {
        var app = TestApp()
        app.open()
        app.leave()
        app.kill()
        app.clear()
        app.pass(.seconds(3600))
        app.start(in: .background, isPending: true)
        app.pass(.seconds(7200))
        app.beat()
        app.kill()
        app.pass(.seconds(60))
        app.start(in: .background, isPending: true)
        app.change(.willTerminate)
        app.kill()
        #expect(app.events.isEmpty)
        app.open()
        #expect(app.names == [CapturedName.appStart, CapturedName.sessionStart])
        #expect(app.events[1].session?.number == 2)
    }

    @Test("The exit of a killed process is told at the next one's start, whoever that is for")
    func recovered() {
        var app = TestApp()
        app.open()
        app.pass(.seconds(10))
        app.beat()
        app.kill()
        app.clear()
        app.start(in: .background, isPending: true)
        #expect(app.names == [CapturedName.appEnd])
        #expect(app.events[0].attributes[CapturedKey.isRecovered] == true)
        app.kill()
        app.clear()
        app.start(in: .background, isPending: true)
        #expect(app.events.isEmpty)
    }

    @Test(
        "A launch that time has decided is a passive start of when the process began, and opening the app then a hot one"
    )
    func decided() {
        var app = TestApp()
        let began = app.device.now
        app.start(in: .background, isPending: true)
        app.pass(.seconds(5))
        app.timeOut(began: began)
        #expect(app.names == [CapturedName.appStart])
        #expect(app.events[0].attributes[CapturedKey.startKind] == "passive")
        #expect(app.events[0].at == began)
        app.timeOut(began: began)
        #expect(app.events.count == 1)
        app.pass(.seconds(60))
        app.comeBack()
        #expect(
            app.names == [
                CapturedName.appStart, CapturedName.firstOpen, CapturedName.appStart, CapturedName.sessionStart,
            ]
        )
        #expect(app.events[2].attributes[CapturedKey.startKind] == "hot")
    }

    @Test("Time decides nothing once the app was in front")
    func decidedLate() {
        var app = TestApp()
        app.start(in: .background, isPending: true)
        app.change(.didBecomeActive)
        let count = app.events.count
        app.timeOut(began: app.device.now)
        #expect(app.events.count == count)
    }

    @Test("News of a version waits for a start that is told, over processes that nobody saw")
    func updates() {
        var app = TestApp()
        app.open()
        app.leave()
        app.kill()
        app.appVersion = "2.0"
        app.clear()
        app.start(in: .background, isPending: true)
        app.kill()
        app.start(in: .background, isPending: true)
        #expect(app.events.isEmpty)
        app.comeBack()
        #expect(app.names.contains(CapturedName.appUpdate))
    }

    @Test("Screens that were shown before the app was in front are shown then, each once")
    func screens() {
        var app = TestApp()
        app.start(in: .background, isPending: true)
        app.show("Home")
        #expect(app.events.isEmpty)
        app.pass(.seconds(3600))
        app.change(.didBecomeActive)
        #expect(app.names.filter { $0 == CapturedName.screenView }.count == 1)
        #expect(app.events.last?.screen?.name == "Home")
    }

    @Test("What is recorded meanwhile belongs to the session that is not over, and to none that is")
    func sessions() {
        var app = TestApp()
        app.open()
        let session = app.session
        app.leave()
        app.kill()
        app.pass(.seconds(60))
        app.start(in: .background, isPending: true)
        #expect(app.session == session)
        app.kill()
        app.pass(.seconds(86_400))
        app.start(in: .background, isPending: true)
        #expect(app.session == nil)
    }

    @Test("Going to the background and being suspended ends no pending launch")
    func suspended() {
        var app = TestApp()
        app.start(in: .background, isPending: true)
        app.change(.willEnterForeground, .didEnterBackground, .willSuspend, .willEnterForeground)
        #expect(app.events.isEmpty)
        app.change(.didBecomeActive)
        #expect(app.events[1].attributes[CapturedKey.startKind] == "cold")
    }
}
