// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Engagement")
struct EngagementMachineTests {
    @Test(
        arguments: [(0, false), (1, false), (999, false), (1000, true), (1001, true), (100_000_000, true)]
            as [(Int64, Bool)]
    )
    func `a screen counts as used after at least one second`(milliseconds: Int64, counts: Bool) throws {
        var device = TestDevice()
        var machine = EngagementMachine()
        machine.screenShown(at: device.now)
        device.pass(.milliseconds(milliseconds))
        machine = try reloaded(machine)
        let actions = machine.screenLeft(at: device.now)
        #expect(actions == (counts ? [.engaged(.milliseconds(milliseconds))] : []))
        #expect(machine.lastEngagement == (counts ? .milliseconds(milliseconds) : nil))
        #expect(machine.screenLeft(at: device.now) == [])
    }

    @Test(arguments: 0...2)
    func `engagement is evaluated when the user leaves the screen, backgrounds the app or ends it`(how: Int) {
        var app = TestApp()
        app.open()
        app.show("A")
        app.pass(.seconds(3))
        app.clear()
        switch how {
        case 0: app.show("B")
        case 1: app.leave()
        default: app.change(.willTerminate)
        }
        #expect(app.names.first == CapturedName.userEngagement)
        #expect(app.events.first?.attributes == [CapturedKey.engagementTime: 3000])
        #expect(app.events.first?.screen?.name == "A")
    }

    @Test
    func `background time does not count, and the times before and after it are not added together`() {
        var app = TestApp()
        app.open()
        app.show("A")
        app.pass(.milliseconds(600))
        app.leave()
        app.pass(.seconds(600))
        app.comeBack()
        app.pass(.milliseconds(600))
        app.show("B")
        #expect(!app.names.contains(CapturedName.userEngagement))
        #expect(app.events.last?.attributes[CapturedKey.engagementTime] == nil)
    }

    @Test
    func `the next view contains the previous screen's latest engagement time, even from before the background`() {
        var app = TestApp()
        app.open()
        app.show("A")
        app.pass(.seconds(4))
        app.leave()
        app.comeBack()
        app.pass(.milliseconds(600))
        app.show("B")
        #expect(app.events.last?.attributes[CapturedKey.engagementTime] == 4000)
        app.pass(.milliseconds(600))
        app.show("C")
        #expect(app.events.last?.attributes[CapturedKey.engagementTime] == nil)
    }

    @Test
    func `without a screen, no engagement is recorded`() {
        var app = TestApp()
        app.open()
        app.pass(.seconds(50))
        app.leave()
        #expect(!app.names.contains(CapturedName.userEngagement))
    }

    @Test
    func `with engagement capture off, no event is recorded, but the next view still contains the time`() {
        var app = TestApp()
        app.settings.capture.remove(.engagement)
        app.open()
        app.show("A")
        app.pass(.seconds(4))
        app.show("B")
        #expect(!app.names.contains(CapturedName.userEngagement))
        #expect(app.events.last?.attributes[CapturedKey.engagementTime] == 4000)
    }

    @Test
    func `an interruption does not end a screen's engagement`() {
        var app = TestApp()
        app.open()
        app.show("A")
        app.pass(.milliseconds(600))
        app.change(.willResignActive)
        app.pass(.milliseconds(600))
        app.change(.didBecomeActive)
        app.show("B")
        #expect(app.events.last?.attributes[CapturedKey.engagementTime] == 1200)
    }

    @Test
    func `a clock that goes back measures no engagement`() {
        let device = TestDevice()
        var machine = EngagementMachine()
        machine.screenShown(at: device.now.advanced(by: .seconds(10)))
        #expect(machine.screenLeft(at: device.now) == [])
    }
}
