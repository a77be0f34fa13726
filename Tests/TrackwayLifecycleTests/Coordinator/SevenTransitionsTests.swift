// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

/// The app state transitions numbered in section 2 of the Sensors Analytics document.
@Suite("The seven transitions of the running state")
struct SevenTransitionsTests {
    private func running() -> TestApp {
        var app = TestApp()
        app.open()
        app.clear()
        app.pass(.seconds(12))
        return app
    }

    private func suspended() -> TestApp {
        var app = running()
        app.leave()
        app.change(.willSuspend)
        app.clear()
        return app
    }

    @Test
    func `1. Cold start: not running, inactive, active`() {
        var app = TestApp()
        app.start(in: .inactive)
        app.change(.didFinishLaunching, .didBecomeActive)
        let starts = app.events.filter { $0.name == CapturedName.appStart }
        #expect(starts.count == 1)
        #expect(starts.first?.attributes[CapturedKey.startKind] == "cold")
        #expect(starts.first?.attributes[CapturedKey.isFirstStart] == true)
        #expect(starts.first?.attributes[CapturedKey.resumedFromBackground] == false)
        #expect(app.behavior.appState == .active)

        // After a kill, the next start is cold again, but not the first.
        app.leave()
        app.kill()
        app.clear()
        app.open()
        #expect(app.names == [CapturedName.appStart])
        #expect(app.events[0].attributes[CapturedKey.startKind] == "cold")
        #expect(app.events[0].attributes[CapturedKey.isFirstStart] == false)
    }

    @Test
    func `2. Home screen: active, inactive, background, suspended, and killed immediately if the app cannot run there`()
    {
        var app = running()
        app.change(.willResignActive)
        #expect(app.names == [])
        app.change(.didEnterBackground)
        #expect(app.names == [CapturedName.appEnd])
        #expect(app.events[0].attributes == [CapturedKey.foregroundDuration: 12_000])
        app.change(.willSuspend)
        #expect(app.behavior.appState == .suspended)
        app.change(.willTerminate)
        #expect(app.names == [CapturedName.appEnd])
        #expect(app.behavior.appState == .notRunning)
    }

    @Test
    func `3. App switcher and back: active, inactive, active; neither exit nor start`() {
        var app = running()
        app.change(.willResignActive)
        #expect(app.behavior.appState == .inactive)
        app.pass(.seconds(3))
        app.change(.didBecomeActive)
        #expect(app.behavior.appState == .active)
        #expect(app.names == [])
        app.leave()
        #expect(app.events.last?.attributes == [CapturedKey.foregroundDuration: 15_000])
    }

    @Test
    func `4. App switcher and home screen: one exit, including the time in the switcher`() {
        var app = running()
        app.change(.willResignActive)
        app.pass(.seconds(3))
        app.change(.didEnterBackground, .willSuspend)
        #expect(app.names == [CapturedName.appEnd])
        #expect(app.events[0].attributes == [CapturedKey.foregroundDuration: 15_000])
    }

    @Test
    func `5. App switcher and kill: one exit, recorded at its time; the next start recovers nothing`() {
        var app = running()
        app.change(.willResignActive, .didEnterBackground, .willTerminate)
        #expect(app.names == [CapturedName.appEnd])
        app.kill()
        app.clear()
        app.pass(.seconds(60))
        app.open()
        #expect(app.names == [CapturedName.appStart])
    }

    @Test
    func `6. Hot start: suspended, background, inactive, active`() {
        var app = suspended()
        app.pass(.seconds(600))
        app.change(.willEnterForeground)
        #expect(app.behavior.appState == .background)
        #expect(app.names == [])
        app.change(.didBecomeActive)
        #expect(app.names == [CapturedName.appStart])
        #expect(app.events[0].attributes[CapturedKey.startKind] == "hot")
        #expect(app.events[0].attributes[CapturedKey.resumedFromBackground] == true)
        #expect(app.events[0].attributes[CapturedKey.isFirstTime] == false)
    }

    @Test
    func `7. Killed while suspended: nothing is recorded, and the next start recovers nothing`() {
        var app = suspended()
        app.kill()
        app.pass(.seconds(600))
        app.open()
        #expect(app.names == [CapturedName.appStart])
        #expect(app.events[0].attributes[CapturedKey.startKind] == "cold")
        #expect(app.events[0].attributes[CapturedKey.isFirstTime] == true)
    }
}
