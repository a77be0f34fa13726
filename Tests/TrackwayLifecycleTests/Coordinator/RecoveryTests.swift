// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Recovery after a killed process")
struct RecoveryTests {
    private func killed(heartbeats: Int, screen: Bool = true) -> TestApp {
        var app = TestApp()
        app.open()
        if screen { app.show("Home", uniqueID: "1") }
        for _ in 0..<heartbeats {
            app.pass(.seconds(30))
            app.heartbeat()
        }
        app.pass(.seconds(20))
        app.kill()
        app.clear()
        return app
    }

    @Test
    func `engagement and exit come first at the next start, dated to the last activity, with their session and screen`()
    {
        var app = killed(heartbeats: 2)
        let last = app.device.now.advanced(by: .seconds(-20))
        app.pass(.seconds(3600))
        app.open()
        #expect(
            app.names == [
                CapturedName.userEngagement, CapturedName.appEnd, CapturedName.appStart, CapturedName.sessionStart,
            ]
        )
        #expect(app.events[0].attributes == [CapturedKey.engagementTime: 60_000, CapturedKey.isRecovered: true])
        #expect(app.events[1].attributes == [CapturedKey.foregroundDuration: 60_000, CapturedKey.isRecovered: true])
        #expect(app.events.prefix(2).allSatisfy { $0.at == last })
        #expect(app.events.map(\.session?.number) == [1, 1, 2, 2])
        #expect(app.events.map(\.screen?.name) == ["Home", "Home", nil, nil])
        #expect(
            app.orders.prefix(5) == ["context", CapturedName.userEngagement, CapturedName.appEnd, "foreground", "save"]
        )
    }

    @Test(arguments: [-7200, 0, 7200])
    func `the exit is also recovered after a device restart, regardless of the wall clock`(clockSetBy seconds: Int) {
        var app = killed(heartbeats: 1)
        app.device.restart()
        app.device.wall = app.device.wall.advanced(by: .seconds(seconds))
        app.open()
        #expect(app.events[1].attributes == [CapturedKey.foregroundDuration: 30_000, CapturedKey.isRecovered: true])
        // After a clock jump back or far ahead, the time away is too uncertain to continue the session.
        #expect(app.events[2].session?.number == (seconds == 0 ? 1 : 2))
    }

    @Test
    func `a background start also recovers the exit of a killed process, once`() {
        var app = killed(heartbeats: 1, screen: false)
        app.start(in: .background)
        #expect(app.names == [CapturedName.appEnd, CapturedName.appStart])
        app.kill()
        app.clear()
        app.open()
        #expect(app.names == [CapturedName.appStart])
    }

    @Test
    func `after a kill, the session timeout counts from the last activity`() {
        for (away, number) in [(1799, 1), (1800, 2)] as [(Int, Int64)] {
            var app = killed(heartbeats: 1)
            app.pass(.seconds(away - 20))
            app.open()
            #expect(app.events.last?.session?.number == number)
        }
    }

    @Test(arguments: ["change", "screen", "settings", "heartbeat"])
    func `the session timeout counts from any kind of activity`(sign: String) {
        var app = TestApp()
        app.open()
        app.pass(.seconds(1000))
        switch sign {
        case "change": app.change(.willResignActive)
        case "screen": app.show("A")
        case "settings": app.choose(LifecycleSettings(capture: .standard.subtracting(.engagement)))
        default: app.heartbeat()
        }
        app.kill()
        app.pass(.seconds(1799))
        app.clear()
        app.open()
        #expect(app.events.last?.session?.number == 1)
        #expect(app.events.first?.attributes[CapturedKey.foregroundDuration] == 1_000_000)
    }

    @Test
    func `events that are not captured are not recovered either`() {
        var app = killed(heartbeats: 1)
        app.settings.capture = [.sessions]
        app.start()
        #expect(app.names == [])
        #expect(app.orders == ["foreground", "save", "context"])
    }

    @Test
    func `a process killed within the first half minute has no engagement time that counts`() {
        var app = killed(heartbeats: 0)
        app.open()
        #expect(app.names == [CapturedName.appEnd, CapturedName.appStart])
        #expect(app.events[0].attributes == [CapturedKey.foregroundDuration: 0, CapturedKey.isRecovered: true])
    }
}
