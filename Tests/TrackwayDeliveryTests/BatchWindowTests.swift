// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDelivery

@Suite("The size of the next batch")
struct BatchWindowTests {
    @Test
    func `a timeout halves the batch size, down to one event, and success grows it again`() {
        var window = BatchWindow(limit: 100)
        window.requestTimedOut(events: 100)
        #expect(window.current == 50)
        for _ in 0..<10 { window.requestTimedOut(events: window.current) }
        #expect(window.current == 1)
        var steps = 0
        while window.current < 100, steps < 50 {
            window.requestSucceeded(events: window.current)
            steps += 1
        }
        #expect(window.current == 100)
        #expect(steps <= 13)
    }

    @Test
    func `the success of a batch smaller than the window does not grow it`() {
        var window = BatchWindow(limit: 100)
        window.requestTimedOut(events: 100)
        window.requestSucceeded(events: 3)
        #expect(window.current == 50)
    }

    @Test
    func `a limit learned from rejections is permanent`() {
        var window = BatchWindow(limit: 100)
        window.lowerCeiling(to: 25)
        window.requestSucceeded(events: 25)
        window.requestSucceeded(events: 25)
        #expect(window.current == 25)
        window.lowerCeiling(to: 60)
        #expect(window.ceiling == 25)
    }
}
