// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents
import TrackwayTesting

@Suite("Duplicate suppression")
struct DuplicateSuppressionTests {
    @Test(
        "the same content is accepted again once the window has passed",
        arguments: [(0, false), (1, false), (3_599_999, false), (3_600_000, true), (3_600_001, true)] as [(Int, Bool)]
    )
    func window(milliseconds: Int, isTaken: Bool) throws {
        var device = TestDevice()
        var memory = DuplicateSuppression<[String: String]>()
        expect(memory.takes(["a": "1"], within: .seconds(3600), at: device.now), is: true)
        device.pass(.milliseconds(milliseconds))
        memory = try kept(memory)
        expect(memory.takes(["a": "1"], within: .seconds(3600), at: device.now), is: isTaken)
    }

    @Test("without a window, no event is a repeat", arguments: [0, -1])
    func noWindow(seconds: Int) {
        let device = TestDevice()
        var memory = DuplicateSuppression<String>()
        for _ in 0..<3 {
            expect(memory.takes("same", within: .seconds(seconds), at: device.now), is: true)
        }
    }

    @Test("only the last accepted event is compared, so alternating content is new each time")
    func toAndFro() {
        let device = TestDevice()
        var memory = DuplicateSuppression<String>()
        let taken = ["a", "a", "b", "b", "a"].map { memory.takes($0, within: .seconds(3600), at: device.now) }
        #expect(taken == [true, false, true, false, true])
    }

    @Test("repeats do not restart the window, so unchanged content is accepted once an hour")
    func staying() {
        var device = TestDevice()
        var memory = DuplicateSuppression<String>()
        var taken = 0
        for _ in 0..<(24 * 60) {
            if memory.takes("same", within: .seconds(3600), at: device.now) { taken += 1 }
            device.pass(.seconds(60))
        }
        #expect(taken == 24)
    }

    @Test("setting the clock does not affect repeats, but after a restart with an earlier clock nothing is a repeat")
    func clocks() {
        var device = TestDevice()
        var memory = DuplicateSuppression<String>()
        expect(memory.takes("same", within: .seconds(3600), at: device.now), is: true)
        for seconds in [-86_400, 172_800, -86_400] {
            device.wall = device.wall.advanced(by: .seconds(seconds))
            expect(memory.takes("same", within: .seconds(3600), at: device.now), is: false)
        }
        device.restart(takes: .seconds(60))
        expect(memory.takes("same", within: .seconds(3600), at: device.now), is: false)
        device.restart(takes: .seconds(-120))
        expect(memory.takes("same", within: .seconds(3600), at: device.now), is: true)
    }
}
