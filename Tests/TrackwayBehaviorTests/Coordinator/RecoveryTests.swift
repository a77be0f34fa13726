// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents

@Suite("What a killed process leaves to tell")
struct RecoveryTests {
    private func killed(heartbeats: Int, screen: Bool = true) -> TestApp {
        var app = TestApp()
        app.open()
        if screen { app.show("Home", uniqueID: "1") }
        for _ in 0..<heartbeats {
            app.pass(.seconds(30))
            app.beat()
        }
        app.pass(.seconds(20))
        app.kill()
        app.clear()
        return app
    }

    @Test(
        "Engagement and exit come first at the next start, as of the last sign of life, under their own session and screen"
    )
    func recovered() {
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

    @Test("After a restart of the device it is the same, whatever the clock says", arguments: [-7200, 0, 7200])
    func acrossBoots(clockSetBy seconds: Int) {
        var app = killed(heartbeats: 1)
        app.device.restart()
        app.device.wall = app.device.wall.advanced(by: .seconds(seconds))
        app.open()
        #expect(app.events[1].attributes == [CapturedKey.foregroundDuration: 30_000, CapturedKey.isRecovered: true])
        // A clock that went back or far ahead says too little about the time away for the session to go on.
        #expect(app.events[2].session?.number == (seconds == 0 ? 1 : 2))
    }

    @Test("A kill is recovered by a start in the background too, once")
    func recoveredUnseen() {
        var app = killed(heartbeats: 1, screen: false)
        app.start(in: .background)
        #expect(app.names == [CapturedName.appEnd, CapturedName.appStart])
        app.kill()
        app.clear()
        app.open()
        #expect(app.names == [CapturedName.appStart])
    }

    @Test("A kill in the same session: it goes on, counted from the last sign of life")
    func sessionGoesOn() {
        for (away, number) in [(1799, 1), (1800, 2)] as [(Int, Int64)] {
            var app = killed(heartbeats: 1)
            app.pass(.seconds(away - 20))
            app.open()
            #expect(app.events.last?.session?.number == number)
        }
    }

    @Test("A session is counted from any sign of life", arguments: ["change", "screen", "settings", "heartbeat"])
    func signsOfLife(sign: String) {
        var app = TestApp()
        app.open()
        app.pass(.seconds(1000))
        switch sign {
        case "change": app.change(.willResignActive)
        case "screen": app.show("A")
        case "settings": app.choose(BehaviorSettings(capture: .standard.subtracting(.engagement)))
        default: app.beat()
        }
        app.kill()
        app.pass(.seconds(1799))
        app.clear()
        app.open()
        #expect(app.events.last?.session?.number == 1)
        #expect(app.events.first?.attributes[CapturedKey.foregroundDuration] == 1_000_000)
    }

    @Test("What is not captured is not recovered either")
    func notCaptured() {
        var app = killed(heartbeats: 1)
        app.settings.capture = [.sessions]
        app.start()
        #expect(app.names == [])
        #expect(app.orders == ["foreground", "save", "context"])
    }

    @Test("A process killed before the second half minute has used its screen for no time that counts")
    func killedSoon() {
        var app = killed(heartbeats: 0)
        app.open()
        #expect(app.names == [CapturedName.appEnd, CapturedName.appStart])
        #expect(app.events[0].attributes == [CapturedKey.foregroundDuration: 0, CapturedKey.isRecovered: true])
    }
}
