// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import TrackwayEvents
import TrackwayTesting

/// Section 2 of the document, transition by transition, and section 4: what counts as an exit.
@Suite("The document: transitions and exit")
struct DocumentTransitionTests {
    @Test("1: not running, inactive, active")
    func first() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        #expect(try await fixture.story() == ["$AppStart first"])
    }

    @Test("2: back to the home screen, with the time the app was used")
    func second() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.milliseconds(94_877))
        try await fixture.device.goHome()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 94.877s"])
    }

    @Test("2: an app that does not run in the background ends there, with one exit")
    func secondWithoutBackground() async throws {
        let fixture = SensorsFixture(runsInBackground: false)
        try await fixture.device.launch()
        fixture.device.wait(.seconds(5))
        try await fixture.device.goHome()
        try await fixture.device.launch()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 5.0s", "$AppStart"])
    }

    @Test("3: into the switcher and straight back: nothing")
    func third() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        try fixture.device.openSwitcher()
        fixture.device.wait(.seconds(2))
        try fixture.device.returnFromSwitcher()
        #expect(try await fixture.story() == ["$AppStart first"])
    }

    @Test("4: into the switcher and on to the home screen")
    func fourth() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(3))
        try fixture.device.openSwitcher()
        fixture.device.wait(.seconds(1))
        try await fixture.device.goHomeFromSwitcher()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 4.0s"])
    }

    @Test("5: into the switcher, and thrown out: one exit, not told again at the next start")
    func fifth() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(3))
        try fixture.device.openSwitcher()
        try await fixture.device.killFromSwitcher()
        try await fixture.device.launch()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 3.0s", "$AppStart"])
    }

    @Test("6: the suspended app runs again")
    func sixth() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        try await fixture.device.goHome()
        fixture.device.wait(.seconds(3_600))
        try await fixture.device.open()
        fixture.device.wait(.seconds(2))
        try await fixture.device.goHome()
        #expect(
            try await fixture.story() == ["$AppStart first", "$AppEnd 0.0s", "$AppStart resumed", "$AppEnd 2.0s"],
            "time in the background is in no exit"
        )
    }

    @Test("7: the suspended app is killed: nothing more, and the next start is cold")
    func seventh() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(1))
        try await fixture.device.goHome()
        fixture.device.wait(.seconds(10))
        try fixture.device.kill()
        try await fixture.device.launch()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 1.0s", "$AppStart"])
    }

    @Test("locking while going home announces the background twice; the exit is told once, with its time")
    func doubleBackground() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(8))
        try await fixture.device.lockWhileGoingHome()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 8.0s"])
    }

    @Test("an exit is recorded by itself, and carries the super properties")
    func exitProperties() async throws {
        let fixture = SensorsFixture(setUp: { $0.registerSuperProperties(["channel": "store"]) })
        try await fixture.device.launch()
        fixture.device.wait(.seconds(1))
        try await fixture.device.goHome()
        let exit = try #require(try await fixture.received().last)
        #expect(exit.event == SA_EVENT_NAME_APP_END)
        #expect(exit[SA_EVENT_PROPERTY_EVENT_DURATION] == .double(1))
        #expect(exit["$lib_method"]?.string == "autoTrack")
        #expect(exit["channel"]?.string == "store")
    }

    @Test("the exit reaches the back-end in the moment the system gives, without anybody asking")
    func exitIsSent() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(1))
        try await fixture.device.goHome()
        let stories = try SensorsRecord.all(in: fixture.device.network.requests).map(\.story)
        #expect(stories == ["$AppStart first", "$AppEnd 1.0s"])
    }

    @Test("an exit that a kill took is told at the next start, marked, with the best known time")
    func recovered() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(20))
        try fixture.device.interrupt()
        fixture.device.wait(.seconds(5))
        try fixture.device.kill()
        fixture.device.wait(.seconds(600))
        try await fixture.device.launch()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 20.0s recovered", "$AppStart"])
    }
}
