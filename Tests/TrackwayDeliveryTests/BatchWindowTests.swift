// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDelivery

@Suite("The size of the next batch")
struct BatchWindowTests {
    @Test("a timeout halves the batch size, down to one event, and success grows it again")
    func timeouts() {
        var window = BatchWindow(limit: 100)
        window.timedOut(at: 100)
        #expect(window.current == 50)
        for _ in 0..<10 { window.timedOut(at: window.current) }
        #expect(window.current == 1)
        var steps = 0
        while window.current < 100, steps < 50 {
            window.passed(at: window.current)
            steps += 1
        }
        #expect(window.current == 100)
        #expect(steps <= 13)
    }

    @Test("the success of a batch smaller than the window does not grow it")
    func smallBatches() {
        var window = BatchWindow(limit: 100)
        window.timedOut(at: 100)
        window.passed(at: 3)
        #expect(window.current == 50)
    }

    @Test("a limit learned from rejections is permanent")
    func learned() {
        var window = BatchWindow(limit: 100)
        window.learned(fits: 25)
        window.passed(at: 25)
        window.passed(at: 25)
        #expect(window.current == 25)
        window.learned(fits: 60)
        #expect(window.ceiling == 25)
    }
}
