// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents

@Suite("An app's behaviour on long random walks")
struct AppBehaviorWalkTests {
    @Test(
        "Whatever happens in 100,000 steps, what is recorded is what happened",
        arguments: [1] as [UInt64]
    )
    func walk(seed: UInt64) throws {
        var life = RandomLife(seed: seed)
        var app = TestApp()
        var witness = LifeWitness()
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
        // A walk that never comes by something proves nothing about it.
        for name in [
            CapturedName.appStart, CapturedName.appEnd, CapturedName.sessionStart, CapturedName.screenView,
            CapturedName.userEngagement,
        ] { #expect(witness.counts[name, default: 0] > 500, "\(name)") }
    }

    @Test("Kept and read back before every one of 3,000 steps, an app's behaviour goes on as if nothing had been")
    func keptAtEveryStep() throws {
        var life = RandomLife(seed: 11, changesCapture: true)
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

    @Test("Killed in the middle of its orders, an app gives no number twice and opens for the first time once")
    func killedInTheMiddle() throws {
        var life = RandomLife(seed: 21, changesCapture: true)
        var app = TestApp()
        var number: Int64 = 0
        var openings = 0
        var kills = 0
        for step in 0..<30_000 {
            let next = life.next()
            if life.happens(oneIn: 4) { app.ordersLeft = life.orders() }
            app.live(next)
            if app.ordersLeft == 0 {
                // Everything after the last order that was carried out never happened.
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
