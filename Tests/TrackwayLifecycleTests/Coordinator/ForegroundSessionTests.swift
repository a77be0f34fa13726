// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Session limits of an app that stays in the foreground")
struct ForegroundSessionTests {
    /// The user's activity after a pause.
    enum Activity: CaseIterable, Sendable {
        case event, screen, window

        func apply(to app: inout TestApp) {
            switch self {
            case .event: app.userActs()
            case .screen: app.show("B")
            case .window: app.change(.didBecomeActive)
            }
        }
    }

    private static func opened(_ capture: CaptureOptions = .standard) -> TestApp {
        var app = TestApp()
        app.settings.idleTimeout = .seconds(600)
        app.settings.capture = capture
        app.open()
        app.show("A")
        app.pass(.seconds(5))
        app.userActs()
        app.clear()
        return app
    }

    @Test(arguments: Activity.allCases)
    func `activity after the idle timeout first ends the session at the last activity, then starts the next one`(
        _ activity: Activity
    ) throws {
        var app = Self.opened()
        let last = app.device.now
        app.pass(.seconds(90_000))
        #expect(app.behavior.endsSession(at: app.device.now, after: nil))
        #expect(!app.behavior.endsSession(at: app.device.now, after: app.device.now.advanced(by: .seconds(-1))))
        if activity == .window { app.change(.willResignActive) }
        app.clear()
        activity.apply(to: &app)
        let renewal = [
            "save", CapturedName.userEngagement, "context", CapturedName.sessionStart, "context",
            CapturedName.screenView,
        ]
        #expect(app.orders == renewal + (activity == .screen ? ["context", CapturedName.screenView, "save"] : []))
        let engagement = app.events[0]
        #expect(engagement.attributes == [CapturedKey.engagementTime: 5000])
        #expect(engagement.at == last)
        #expect(engagement.session?.number == 1 && engagement.screen?.name == "A")
        #expect(app.events[1].session?.number == 2 && app.events[1].screen == nil)
        #expect(app.events[2].attributes[CapturedKey.screenName] == "A")
        #expect(app.events[2].attributes[CapturedKey.entrances] == 1)
        #expect(app.events[2].attributes[CapturedKey.engagementTime] == nil)
        #expect(app.events.dropFirst().allSatisfy { $0.session?.number == 2 && $0.at == app.device.now })
        app.clear()
        app.pass(.seconds(599))
        app.userActs()
        #expect(app.orders == [])
    }

    @Test
    func `activity within the idle timeout and losing focus do not change the session`() {
        var app = Self.opened()
        app.pass(.seconds(599))
        app.userActs()
        app.pass(.seconds(700))
        app.change(.willResignActive)
        #expect(app.events == [])
        app.leave()
        #expect(app.names == [CapturedName.userEngagement, CapturedName.appEnd])
    }

    @Test
    func `the maximum length ends a session in use, with its full engagement time`() {
        var app = TestApp()
        app.settings.maximumSessionLength = .seconds(86_400)
        app.open()
        app.show("A")
        app.clear()
        app.pass(.seconds(86_399))
        app.userActs()
        #expect(app.events == [])
        app.pass(.seconds(1))
        app.userActs()
        #expect(app.names == [CapturedName.userEngagement, CapturedName.sessionStart, CapturedName.screenView])
        #expect(app.events[0].attributes == [CapturedKey.engagementTime: 86_400_000])
        #expect(app.events.map { $0.session?.number } == [1, 2, 2])
    }

    @Test(
        arguments: [
            (.standard.subtracting(.engagement), [CapturedName.sessionStart, CapturedName.screenView]),
            (.standard.subtracting(.sessions), [CapturedName.userEngagement, CapturedName.screenView]),
            (.sessions, [CapturedName.sessionStart]),
        ] as [(CaptureOptions, [String])]
    )
    func `only captured kinds are recorded, but sessions are always counted`(
        _ capture: CaptureOptions,
        _ names: [String]
    ) {
        var app = Self.opened(capture)
        app.pass(.seconds(600))
        app.userActs()
        #expect(app.names == names)
        app.choose(LifecycleSettings(idleTimeout: .seconds(600)))
        #expect(app.behavior.session?.number == 2)
    }

    @Test
    func
        `an exit after the idle timeout belongs to the old session, without idle time, and the return starts a new one`()
    {
        var app = Self.opened()
        app.pass(.seconds(3_600))
        app.leave()
        #expect(app.names == [CapturedName.userEngagement, CapturedName.appEnd])
        #expect(app.events[0].attributes == [CapturedKey.engagementTime: 5000])
        #expect(app.events[1].attributes == [CapturedKey.foregroundDuration: 3_605_000])
        #expect(app.events.allSatisfy { $0.session?.number == 1 })
        app.clear()
        app.pass(.seconds(10))
        app.comeBack()
        #expect(app.names == [CapturedName.appStart, CapturedName.sessionStart, CapturedName.screenView])
        #expect(app.events.allSatisfy { $0.session?.number == 2 })
    }

    @Test
    func `a process killed while idle was last used at its last activity, which the journal may know more precisely`() {
        for isNoted in [false, true] {
            var app = Self.opened()
            app.heartbeat()
            app.pass(.seconds(300))
            let noted = app.device.now
            app.pass(.seconds(600))
            app.heartbeat()
            app.kill()
            if isNoted { app.behavior.noteActivity(at: noted) }
            app.pass(.seconds(60))
            app.start()
            let engagement = app.events.first { $0.name == CapturedName.userEngagement }
            #expect(engagement?.attributes[CapturedKey.engagementTime] == (isNoted ? 305_000 : 5000))
            #expect(engagement?.attributes[CapturedKey.isRecovered] == true)
            // It was idle before it was killed, so the session is over.
            #expect(app.events.last?.session?.number == 2)
        }
    }

    @Test
    func `nothing in the background counts as activity`() {
        var app = Self.opened()
        app.leave()
        app.clear()
        app.pass(.seconds(1_000))
        app.userActs()
        app.behavior.noteActivity(at: app.device.now)
        #expect(!app.behavior.endsSession(at: app.device.now, after: nil))
        #expect(app.orders == [])
        app.comeBack()
        #expect(app.events.last?.session?.number == 1)
    }
}
