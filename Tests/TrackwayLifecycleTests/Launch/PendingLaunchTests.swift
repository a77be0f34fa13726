// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Launches whose reason is not known yet")
struct PendingLaunchTests {
    @Test
    func `a launch by the user becomes a cold start in the foreground, with all events of a first start`() {
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

    @Test
    func `a process that was never opened records no start, session or exit, and none is recovered later`() {
        var app = TestApp()
        app.open()
        app.leave()
        app.kill()
        app.clear()
        app.pass(.seconds(3600))
        app.start(in: .background, isPending: true)
        app.pass(.seconds(7200))
        app.heartbeat()
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

    @Test
    func `a killed process's exit is recorded at the next process start, for any launch reason`() {
        var app = TestApp()
        app.open()
        app.pass(.seconds(10))
        app.heartbeat()
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

    @Test
    func
        `a launch that timed out is a passive start at the process's start time, and opening the app then is a hot one`()
    {
        var app = TestApp()
        let began = app.device.now
        app.start(in: .background, isPending: true)
        app.pass(.seconds(5))
        app.launchTimedOut(began: began)
        #expect(app.names == [CapturedName.appStart])
        #expect(app.events[0].attributes[CapturedKey.startKind] == "passive")
        #expect(app.events[0].at == began)
        app.launchTimedOut(began: began)
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

    @Test
    func `the timeout has no effect once the app was in the foreground`() {
        var app = TestApp()
        app.start(in: .background, isPending: true)
        app.change(.didBecomeActive)
        let count = app.events.count
        app.launchTimedOut(began: app.device.now)
        #expect(app.events.count == count)
    }

    @Test
    func `a version update waits for a recorded start, across processes that the user never saw`() {
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

    @Test
    func `screens shown before the app enters the foreground are recorded when it does, each once`() {
        var app = TestApp()
        app.start(in: .background, isPending: true)
        app.show("Home")
        #expect(app.events.isEmpty)
        app.pass(.seconds(3600))
        app.change(.didBecomeActive)
        #expect(app.names.filter { $0 == CapturedName.screenView }.count == 1)
        #expect(app.events.last?.screen?.name == "Home")
    }

    @Test
    func `events recorded during a pending launch belong to the last session only if that session is not over`() {
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

    @Test
    func `entering the background and suspension do not end a pending launch`() {
        var app = TestApp()
        app.start(in: .background, isPending: true)
        app.change(.willEnterForeground, .didEnterBackground, .willSuspend, .willEnterForeground)
        #expect(app.events.isEmpty)
        app.change(.didBecomeActive)
        #expect(app.events[1].attributes[CapturedKey.startKind] == "cold")
    }
}
