// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Long random walk of engagement")
struct EngagementMachineWalkTests {
    @Test
    func `engagement equals the visible time from one second on, regardless of the wall clock`() throws {
        var generator = SeededGenerator(seed: 61)
        var device = TestDevice()
        var machine = EngagementMachine()
        var inSight: Duration?
        var last: Duration?
        var engagements = 0
        for step in 0..<100_000 {
            if step < 1000 || step % 101 == 0 { machine = try reloaded(machine) }
            switch generator.next(below: 10) {
            case 0, 1, 2:
                let duration = Duration.milliseconds(generator.next(below: 2000))
                device.pass(duration)
                inSight = inSight.map { $0 + duration }
            case 3: device.wall = device.wall.advanced(by: .milliseconds(generator.next(below: 20_000) - 10_000))
            case 4, 5:
                machine.screenShown(at: device.now)
                inSight = .zero
                last = nil
            case 6:
                machine.screenResumed(at: device.now)
                inSight = .zero
            case 7:
                machine.screenCleared()
                inSight = nil
                last = nil
            default:
                let actions = machine.screenLeft(at: device.now)
                let counted = inSight.flatMap { $0 >= .seconds(1) ? $0 : nil }
                try #require(actions == (counted.map { [.engaged($0)] } ?? []), "step \(step)")
                inSight = nil
                last = counted ?? last
                engagements += actions.count
            }
            try #require(machine.lastEngagement == last, "step \(step)")
        }
        #expect(engagements > 500)
    }
}
