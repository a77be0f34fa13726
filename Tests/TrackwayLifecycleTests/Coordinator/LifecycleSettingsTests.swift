// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Capture settings")
struct LifecycleSettingsTests {
    @Test
    func
        `without capture, nothing is recorded automatically and events have no session, but named screens are recorded`()
    {
        var app = TestApp()
        app.settings.capture = []
        app.open()
        app.show("Found")
        app.show("Named", manual: true)
        app.pass(.seconds(5))
        app.leave()
        app.pass(.seconds(3600))
        app.comeBack()
        app.change(.willTerminate)
        #expect(app.names == [CapturedName.screenView, CapturedName.screenView])
        #expect(app.events.allSatisfy { $0.session == nil })
    }

    @Test(
        arguments: [
            (.launches, [CapturedName.firstOpen, CapturedName.appStart, CapturedName.appEnd]),
            (.sessions, [CapturedName.sessionStart]),
            (.screens, [CapturedName.screenView]),
            (.engagement, [CapturedName.userEngagement]),
            (.updates, [CapturedName.appUpdate, CapturedName.osUpdate]),
        ] as [(CaptureOptions, [String])]
    )
    func `with one kind disabled, all other kinds are recorded`(option: CaptureOptions, names: [String]) {
        func run(_ capture: CaptureOptions) -> [String] {
            var app = TestApp()
            app.settings.capture = capture
            app.open()
            app.show("A")
            app.pass(.seconds(5))
            app.leave()
            app.kill()
            app.pass(.seconds(5000))
            app.appVersion = "2"
            app.systemVersion = "2"
            app.open()
            return app.names
        }
        // Without screens, no engagement is recorded either.
        let gone = names + (option == .screens ? [CapturedName.userEngagement] : [])
        let whole = run(.standard)
        #expect(names.allSatisfy { whole.contains($0) })
        #expect(run(CaptureOptions.standard.subtracting(option)) == whole.filter { !gone.contains($0) })
    }

    @Test
    func `enabling sessions at run time records the current session once, and later events contain it`() {
        var app = TestApp()
        app.settings.capture.remove(.sessions)
        app.open()
        let began = app.device.wall.milliseconds
        app.clear()
        app.pass(.seconds(60))
        app.choose(LifecycleSettings())
        #expect(app.orders == ["save", "context", CapturedName.sessionStart])
        #expect(app.events[0].session?.number == 1)
        #expect(app.events[0].attributes[CapturedKey.sessionStart] == .integer(began))
        app.clear()
        app.choose(LifecycleSettings(capture: .standard.subtracting(.sessions)))
        #expect(app.orders == ["save", "context"])
        #expect(app.behavior.session == nil)
        app.clear()
        app.choose(LifecycleSettings())
        #expect(app.orders == ["save", "context"])
        app.clear()
        app.choose(LifecycleSettings())
        #expect(app.orders == [])
    }

    @Test
    func `sessions enabled in the background are recorded when the user returns`() {
        var app = TestApp()
        app.settings.capture.remove(.sessions)
        app.open()
        app.leave()
        app.choose(LifecycleSettings())
        app.clear()
        app.comeBack()
        #expect(app.names == [CapturedName.appStart, CapturedName.sessionStart])
        #expect(app.events.allSatisfy { $0.session?.number == 1 })
    }

    @Test
    func `a new timeout applies from the next return`() {
        var app = TestApp()
        app.open()
        app.leave()
        app.choose(LifecycleSettings(sessionTimeout: .seconds(10)))
        app.pass(.seconds(10))
        app.comeBack()
        #expect(app.events.last?.session?.number == 2)
    }

    @Test
    func `changing the user does not start a session, but the next session's id is based on the new user`() {
        var app = TestApp()
        app.open()
        let first = app.behavior.session
        #expect(app.behavior.uniqueIDChanged(to: "somebody-else-87654321") == [.save])
        #expect(app.behavior.uniqueIDChanged(to: "somebody-else-87654321") == [])
        #expect(app.behavior.session == first)
        app.leave()
        app.pass(.seconds(1800))
        app.comeBack()
        #expect(app.behavior.session?.id.hasPrefix("87654321-") == true)
    }

    @Test
    func `heartbeats are saved in the foreground and ignored in the background`() {
        var app = TestApp()
        app.heartbeat()
        app.open()
        app.clear()
        app.heartbeat()
        #expect(app.orders == ["save"])
        app.leave()
        app.clear()
        app.heartbeat()
        #expect(app.orders == [])
    }
}
