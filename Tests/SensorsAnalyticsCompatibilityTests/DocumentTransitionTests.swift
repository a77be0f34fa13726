// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import TrackwayEvents
import TrackwayTesting

/// Section 2 of the document, transition by transition, and section 4 on exits.
@Suite("The document: transitions and exit")
struct DocumentTransitionTests {
    @Test("1: a launch to inactive and active records a start")
    func first() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        #expect(try await fixture.story() == ["$AppStart first"])
    }

    @Test("2: returning to the home screen records an exit with the time of use")
    func second() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.milliseconds(94_877))
        try await fixture.device.goHome()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 94.877s"])
    }

    @Test("2: an app that does not run in the background ends with one exit")
    func secondWithoutBackground() async throws {
        let fixture = SensorsFixture(runsInBackground: false)
        try await fixture.device.launch()
        fixture.device.wait(.seconds(5))
        try await fixture.device.goHome()
        try await fixture.device.launch()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 5.0s", "$AppStart"])
    }

    @Test("3: opening the switcher and returning records nothing")
    func third() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        try fixture.device.openSwitcher()
        fixture.device.wait(.seconds(2))
        try fixture.device.returnFromSwitcher()
        #expect(try await fixture.story() == ["$AppStart first"])
    }

    @Test("4: going to the home screen from the switcher records one exit")
    func fourth() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(3))
        try fixture.device.openSwitcher()
        fixture.device.wait(.seconds(1))
        try await fixture.device.goHomeFromSwitcher()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 4.0s"])
    }

    @Test("5: a kill in the switcher is one exit, which is not repeated at the next start")
    func fifth() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(3))
        try fixture.device.openSwitcher()
        try await fixture.device.killFromSwitcher()
        try await fixture.device.launch()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 3.0s", "$AppStart"])
    }

    @Test("6: a suspended app that runs again records a start and later an exit")
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
            "exits exclude time in the background"
        )
    }

    @Test("7: a kill while suspended records nothing, and the next start is cold")
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

    @Test("locking while going home announces the background twice, but records one exit with its time")
    func doubleBackground() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(8))
        try await fixture.device.lockWhileGoingHome()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 8.0s"])
    }

    @Test("an exit is recorded automatically and has the super properties")
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

    @Test("the exit is sent automatically in the time before suspension")
    func exitIsSent() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(1))
        try await fixture.device.goHome()
        let stories = try SensorsRecord.all(in: fixture.device.network.requests).map(\.story)
        #expect(stories == ["$AppStart first", "$AppEnd 1.0s"])
    }

    @Test("an exit lost to a kill is recorded at the next start, marked, with the best known time")
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
