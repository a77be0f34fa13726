// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Known pitfalls of launch and exit")
struct PitfallTests {
    private func running() -> TestApp {
        var app = TestApp()
        app.open()
        app.clear()
        return app
    }

    @Test
    func `a repeated background notification does not record a second exit`() {
        var app = running()
        app.pass(.seconds(2))
        app.change(.willResignActive, .didEnterBackground)
        app.pass(.milliseconds(300))
        app.change(.didEnterBackground)
        #expect(app.names == [CapturedName.appEnd])
        #expect(app.events[0].attributes == [CapturedKey.foregroundDuration: 2000])
    }

    @Test
    func `a lock while going home, which enters the background twice, records one exit, and the return one start`() {
        var app = running()
        app.change(.willResignActive)
        app.change(.didEnterBackground)
        app.change(.didEnterBackground)
        app.change(.willSuspend)
        app.pass(.seconds(9))
        app.comeBack()
        app.change(.didBecomeActive)
        #expect(app.names == [CapturedName.appEnd, CapturedName.appStart])
    }

    @Test
    func `a lock without going home, which sends no willResignActive, also records one exit`() {
        var app = running()
        app.change(.didEnterBackground)
        #expect(app.names == [CapturedName.appEnd])
    }

    private static let notifications: [[LifecycleChange]] = [
        [], [.didFinishLaunching], [.didBecomeActive], [.didFinishLaunching, .didBecomeActive],
    ]

    @Test(
        arguments: notifications,
        notifications
    )
    func `late initialization records one start, whether the launch was reported before, after or not at all`(
        before: [LifecycleChange],
        after: [LifecycleChange]
    ) {
        for state in [AppState.inactive, .active] {
            var app = TestApp()
            for change in before { app.change(change) }
            app.start(in: state)
            for change in after { app.change(change) }
            #expect(app.names == [CapturedName.firstOpen, CapturedName.appStart, CapturedName.sessionStart])
            #expect(app.events[1].attributes[CapturedKey.startKind] == "cold")
        }
    }

    @Test
    func `initialization on another thread long after launch records one cold start, at the noted launch time`() {
        var app = TestApp()
        let noted = app.device.now
        app.start(in: .active)
        app.pass(.milliseconds(100))
        app.change(.didFinishLaunching, .didBecomeActive)
        #expect(app.names.filter { $0 == CapturedName.appStart }.count == 1)
        #expect(app.events.allSatisfy { $0.at == noted })
    }

    @Test
    func `repeated interruptions by calls, messages or the app switcher record no exit`() {
        var app = running()
        for _ in 1...5 { app.change(.willResignActive, .didBecomeActive) }
        #expect(app.names == [])
    }

    @Test
    func `opening an app after a passive start records a second start, marked as resumed and not as the first ever`() {
        var app = TestApp()
        app.start(in: .background)
        app.change(.didFinishLaunching)
        #expect(app.names == [CapturedName.appStart])
        #expect(
            app.events[0].attributes == [
                CapturedKey.isFirstTime: false, CapturedKey.startKind: "passive", CapturedKey.isFirstStart: true,
                CapturedKey.resumedFromBackground: false,
            ]
        )
        #expect(app.events[0].session == nil)
        #expect(app.isInBackground)
        app.clear()
        app.pass(.seconds(30))
        app.comeBack()
        #expect(app.names == [CapturedName.firstOpen, CapturedName.appStart, CapturedName.sessionStart])
        #expect(
            app.events[1].attributes == [
                CapturedKey.isFirstTime: true, CapturedKey.startKind: "hot", CapturedKey.isFirstStart: false,
                CapturedKey.resumedFromBackground: true,
            ]
        )
        #expect(!app.isInBackground)
        app.clear()
        app.pass(.seconds(4))
        app.leave()
        #expect(app.events.map(\.attributes) == [[CapturedKey.foregroundDuration: 4000]])
    }

    @Test
    func `a passive start without a later launch by the user has no exit, neither at its end nor later`() {
        var app = TestApp()
        app.start(in: .background)
        app.clear()
        app.pass(.seconds(30))
        app.change(.didEnterBackground, .willSuspend, .willTerminate)
        app.kill()
        app.start(in: .background)
        #expect(app.names == [CapturedName.appStart])
    }

    @Test
    func `screens of a passive start wait until the user opens the app, and none are lost`() {
        var app = TestApp()
        app.start(in: .background)
        app.show("Home", uniqueID: "1")
        app.pass(.seconds(2))
        app.show("Detail", uniqueID: "2")
        #expect(app.names == [CapturedName.appStart])
        #expect(app.behavior.screen == nil)
        app.clear()
        app.pass(.seconds(30))
        app.comeBack()
        #expect(
            app.names == [
                CapturedName.firstOpen, CapturedName.appStart, CapturedName.sessionStart, CapturedName.screenView,
                CapturedName.screenView,
            ]
        )
        #expect(app.events.allSatisfy { $0.at == app.device.now })
        #expect(app.events.suffix(2).map { $0.attributes[CapturedKey.entrances] } == [1, 0])
        #expect(app.events.last?.attributes[CapturedKey.previousScreenName] == "Home")
    }

    @Test
    func `a return that is aborted before the app is active records neither a start nor an exit`() {
        var app = running()
        app.leave()
        app.clear()
        app.change(.willEnterForeground, .didEnterBackground)
        #expect(app.names == [])
    }

    @Test
    func `a process that survives willTerminate records a new start when it is used`() {
        var app = running()
        app.pass(.seconds(1))
        app.change(.willTerminate, .willTerminate, .didEnterBackground)
        #expect(app.names == [CapturedName.appEnd])
        app.change(.didBecomeActive)
        #expect(app.names == [CapturedName.appEnd, CapturedName.appStart])
        #expect(app.events[1].attributes[CapturedKey.startKind] == "hot")
    }
}
