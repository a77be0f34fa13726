// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents

@Suite("Choosing what is captured")
struct BehaviorSettingsTests {
    @Test("With nothing captured nothing is recorded by itself, and no event has a session; screens named are recorded")
    func none() {
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
        "Without one kind everything else is recorded",
        arguments: [
            (.launches, [CapturedName.firstOpen, CapturedName.appStart, CapturedName.appEnd]),
            (.sessions, [CapturedName.sessionStart]),
            (.screens, [CapturedName.screenView]),
            (.engagement, [CapturedName.userEngagement]),
            (.updates, [CapturedName.appUpdate, CapturedName.osUpdate]),
        ] as [(CaptureOptions, [String])]
    )
    func withoutOne(option: CaptureOptions, names: [String]) {
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
        // Without screens there is nothing to be used either.
        let gone = names + (option == .screens ? [CapturedName.userEngagement] : [])
        let whole = run(.standard)
        #expect(names.allSatisfy { whole.contains($0) })
        #expect(run(CaptureOptions.standard.subtracting(option)) == whole.filter { !gone.contains($0) })
    }

    @Test("Sessions switched on under way: the running one is told once, and events carry it from then on")
    func sessionsOnAndOff() {
        var app = TestApp()
        app.settings.capture.remove(.sessions)
        app.open()
        let began = app.device.wall.milliseconds
        app.clear()
        app.pass(.seconds(60))
        app.choose(BehaviorSettings())
        #expect(app.orders == ["save", "context", CapturedName.sessionStart])
        #expect(app.events[0].session?.number == 1)
        #expect(app.events[0].attributes[CapturedKey.sessionStart] == .integer(began))
        app.clear()
        app.choose(BehaviorSettings(capture: .standard.subtracting(.sessions)))
        #expect(app.orders == ["save", "context"])
        #expect(app.behavior.session == nil)
        app.clear()
        app.choose(BehaviorSettings())
        #expect(app.orders == ["save", "context"])
        app.clear()
        app.choose(BehaviorSettings())
        #expect(app.orders == [])
    }

    @Test("Sessions switched on in the background are told when the user is back")
    func sessionsOnInTheBackground() {
        var app = TestApp()
        app.settings.capture.remove(.sessions)
        app.open()
        app.leave()
        app.choose(BehaviorSettings())
        app.clear()
        app.comeBack()
        #expect(app.names == [CapturedName.appStart, CapturedName.sessionStart])
        #expect(app.events.allSatisfy { $0.session?.number == 1 })
    }

    @Test("A new timeout counts from the next return on")
    func timeout() {
        var app = TestApp()
        app.open()
        app.leave()
        app.choose(BehaviorSettings(sessionTimeout: .seconds(10)))
        app.pass(.seconds(10))
        app.comeBack()
        #expect(app.events.last?.session?.number == 2)
    }

    @Test("Another user does not begin a session; the next one is named after them")
    func otherUser() {
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

    @Test("Heartbeats are kept in the foreground, and are nothing in the background")
    func heartbeats() {
        var app = TestApp()
        app.beat()
        app.open()
        app.clear()
        app.beat()
        #expect(app.orders == ["save"])
        app.leave()
        app.clear()
        app.beat()
        #expect(app.orders == [])
    }
}
