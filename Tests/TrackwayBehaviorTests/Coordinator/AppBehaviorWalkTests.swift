// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents

@Suite("Long random walks of app behavior")
struct AppBehaviorWalkTests {
    @Test(
        "recorded events match the simulated app over 100,000 random steps",
        arguments: [1] as [UInt64]
    )
    func walk(seed: UInt64) throws {
        var life = RandomAppSteps(seed: seed)
        var app = TestApp()
        var witness = AppEventChecker()
        for step in 0..<100_000 {
            let next = life.next()
            let before = app.events.count
            if step % 101 == 0 { app.behavior = try kept(app.behavior) }
            app.live(next)
            do {
                try witness.check(app.events[before...], after: next, app: app)
            } catch {
                Issue.record("seed \(seed), step \(step): \(next): \(app.events[before...].map(\.name))")
                throw error
            }
        }
        // The walk proves nothing about events that it does not cover.
        for name in [
            CapturedName.appStart, CapturedName.appEnd, CapturedName.sessionStart, CapturedName.screenView,
            CapturedName.userEngagement,
        ] { #expect(witness.counts[name, default: 0] > 500, "\(name)") }
    }

    @Test("app behavior saved and restored before each of 3,000 steps continues unchanged")
    func keptAtEveryStep() throws {
        var life = RandomAppSteps(seed: 11, changesCapture: true)
        var app = TestApp()
        var twin = TestApp()
        for step in 0..<3_000 {
            let next = life.next()
            twin.behavior = try kept(twin.behavior)
            app.live(next)
            twin.live(next)
            try #require(app.orders == twin.orders, "step \(step): \(next)")
            try #require(app.events == twin.events, "step \(step): \(next)")
            try #require(app.behavior == twin.behavior, "step \(step): \(next)")
            app.clear()
            twin.clear()
        }
    }

    @Test("an app killed between actions never reuses a session number and records first open only once")
    func killedInTheMiddle() throws {
        var life = RandomAppSteps(seed: 21, changesCapture: true)
        var app = TestApp()
        var number: Int64 = 0
        var openings = 0
        var kills = 0
        for step in 0..<30_000 {
            let next = life.next()
            if life.happens(oneIn: 4) { app.ordersLeft = life.orders() }
            app.live(next)
            if app.ordersLeft == 0 {
                // Everything after the last performed action never happened.
                kills += 1
                app.kill()
                app.start(in: .inactive)
            }
            app.ordersLeft = nil
            for event in app.events {
                switch event.name {
                case CapturedName.sessionStart:
                    let session = try #require(event.session)
                    try #require(session.number > number, "step \(step): \(next)")
                    number = session.number
                case CapturedName.firstOpen: openings += 1
                default: break
                }
                try #require((event.attributes[CapturedKey.foregroundDuration]?.integer ?? 0) >= 0)
            }
            app.clear()
        }
        #expect(openings <= 1)
        #expect(number > 500)
        #expect(kills > 500)
    }
}
