// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Long random walks of app behavior")
struct LifecycleStateMachineWalkTests {
    @Test(arguments: [1] as [UInt64])
    func `recorded events match the simulated app over 100,000 random steps`(seed: UInt64) throws {
        var steps = RandomAppSteps(seed: seed)
        var app = TestApp()
        var checker = AppEventChecker()
        for step in 0..<100_000 {
            let next = steps.next()
            let before = app.events.count
            if step % 101 == 0 { app.behavior = try reloaded(app.behavior) }
            app.live(next)
            do {
                try checker.check(app.events[before...], after: next, app: app)
            } catch {
                Issue.record("seed \(seed), step \(step): \(next): \(app.events[before...].map(\.name))")
                throw error
            }
        }
        // The walk proves nothing about events that it does not cover.
        for name in [
            CapturedName.appStart, CapturedName.appEnd, CapturedName.sessionStart, CapturedName.screenView,
            CapturedName.userEngagement,
        ] { #expect(checker.counts[name, default: 0] > 500, "\(name)") }
    }

    @Test
    func `app behavior saved and restored before each of 3,000 steps continues unchanged`() throws {
        var steps = RandomAppSteps(seed: 11, changesCapture: true)
        var app = TestApp()
        var copy = TestApp()
        for step in 0..<3_000 {
            let next = steps.next()
            copy.behavior = try reloaded(copy.behavior)
            app.live(next)
            copy.live(next)
            try #require(app.orders == copy.orders, "step \(step): \(next)")
            try #require(app.events == copy.events, "step \(step): \(next)")
            try #require(app.behavior == copy.behavior, "step \(step): \(next)")
            app.clear()
            copy.clear()
        }
    }

    @Test
    func `an app killed between actions never reuses a session number and records first open only once`() throws {
        var steps = RandomAppSteps(seed: 21, changesCapture: true)
        var app = TestApp()
        var number: Int64 = 0
        var openings = 0
        var kills = 0
        for step in 0..<30_000 {
            let next = steps.next()
            if steps.isOne(in: 4) { app.remainingActions = steps.orders() }
            app.live(next)
            if app.remainingActions == 0 {
                // Nothing after the last performed action happened.
                kills += 1
                app.kill()
                app.start(in: .inactive)
            }
            app.remainingActions = nil
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
