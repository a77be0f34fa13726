// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Duplicate suppression")
struct DuplicateSuppressionTests {
    @Test(
        arguments: [(0, false), (1, false), (3_599_999, false), (3_600_000, true), (3_600_001, true)] as [(Int, Bool)]
    )
    func `the same content is accepted again once the window has passed`(milliseconds: Int, isTaken: Bool) throws {
        var device = TestDevice()
        var memory = DuplicateSuppression<[String: String]>()
        expect(memory.accept(["a": "1"], within: .seconds(3600), at: device.now), is: true)
        device.pass(.milliseconds(milliseconds))
        memory = try reloaded(memory)
        expect(memory.accept(["a": "1"], within: .seconds(3600), at: device.now), is: isTaken)
    }

    @Test(arguments: [0, -1])
    func `without a window, no event is a repeat`(seconds: Int) {
        let device = TestDevice()
        var memory = DuplicateSuppression<String>()
        for _ in 0..<3 {
            expect(memory.accept("same", within: .seconds(seconds), at: device.now), is: true)
        }
    }

    @Test
    func `only the last accepted event is compared, so alternating content is new each time`() {
        let device = TestDevice()
        var memory = DuplicateSuppression<String>()
        let taken = ["a", "a", "b", "b", "a"].map { memory.accept($0, within: .seconds(3600), at: device.now) }
        #expect(taken == [true, false, true, false, true])
    }

    @Test
    func `repeats do not restart the window, so unchanged content is accepted once an hour`() {
        var device = TestDevice()
        var memory = DuplicateSuppression<String>()
        var taken = 0
        for _ in 0..<(24 * 60) {
            if memory.accept("same", within: .seconds(3600), at: device.now) { taken += 1 }
            device.pass(.seconds(60))
        }
        #expect(taken == 24)
    }

    @Test
    func `setting the clock does not affect repeats, but after a restart with an earlier clock nothing is a repeat`() {
        var device = TestDevice()
        var memory = DuplicateSuppression<String>()
        expect(memory.accept("same", within: .seconds(3600), at: device.now), is: true)
        for seconds in [-86_400, 172_800, -86_400] {
            device.wall = device.wall.advanced(by: .seconds(seconds))
            expect(memory.accept("same", within: .seconds(3600), at: device.now), is: false)
        }
        device.restart(takes: .seconds(60))
        expect(memory.accept("same", within: .seconds(3600), at: device.now), is: false)
        device.restart(takes: .seconds(-120))
        expect(memory.accept("same", within: .seconds(3600), at: device.now), is: true)
    }
}
