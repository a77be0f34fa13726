// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Long random walk of screens")
struct ScreenMachineWalkTests {
    @Test
    func `each view names the previous one and its time, a session has one entrance, and no screen repeats in a row`()
        throws
    {
        var generator = SeededGenerator(seed: 51)
        var device = TestDevice()
        var machine = ScreenMachine()
        var previous: RecordedContext.Screen?
        var lastView: Timestamp?
        var isEntranceDue = false
        var entrances = 0
        var views = 0
        for step in 0..<100_000 {
            if step < 1000 || step % 101 == 0 { machine = try reloaded(machine) }
            let isManual = generator.nextBool()
            let screen = RecordedContext.Screen(
                name: ["a", "b", "c"][generator.next(below: 3)],
                uniqueID: generator.next(below: 3) == 0 ? nil : ["1", "2"][generator.next(below: 2)]
            )
            let view = ScreenView(screen: screen, isManual: isManual)
            var actions: [ScreenMachine.Action] = []
            switch generator.next(below: 20) {
            case 0:
                machine.processStarted()
                previous = nil
            case 1:
                actions = machine.sessionBegan(at: device.now)
                isEntranceDue = true
                previous = nil
            case 2...4: machine.screenReportedInBackground(view, at: device.now)
            case 5: actions = machine.userArrived(at: device.now) { _ in true }
            case 6..<11: device.pass(.milliseconds(generator.next(below: 3000)))
            default:
                actions = machine.screenReported(view, shouldRecord: isManual || generator.nextBool(), at: device.now)
            }
            for case .view(let view) in actions {
                try #require(view.previous == previous, "step \(step)")
                try #require(view.previousTimestamp == lastView, "step \(step)")
                try #require(view.isEntrance == isEntranceDue, "step \(step)")
                try #require(
                    view.screen.name != previous?.name || view.screen.uniqueID != previous?.uniqueID,
                    "step \(step)"
                )
                entrances += view.isEntrance ? 1 : 0
                views += 1
                previous = view.screen
                lastView = device.wall
                isEntranceDue = false
            }
            try #require(machine.current == previous, "step \(step)")
        }
        #expect(entrances > 500)
        #expect(views > 10_000)
    }
}
