// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import TrackwayCore
import TrackwayTesting

/// Section 2 of the document, transition by transition, and section 4 on exits.
@Suite("The document: transitions and exit")
struct DocumentTransitionTests {
    @Test
    func `1: a launch to inactive and active records a start`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        #expect(try await fixture.eventSummaries() == ["$AppStart first"])
    }

    @Test
    func `2: returning to the home screen records an exit with the time of use`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.milliseconds(94_877))
        try await fixture.device.goHome()
        #expect(try await fixture.eventSummaries() == ["$AppStart first", "$AppEnd 94.877s"])
    }

    @Test
    func `2: an app that does not run in the background ends with one exit`() async throws {
        let fixture = SensorsFixture(runsInBackground: false)
        try await fixture.device.launch()
        fixture.device.wait(.seconds(5))
        try await fixture.device.goHome()
        try await fixture.device.launch()
        #expect(try await fixture.eventSummaries() == ["$AppStart first", "$AppEnd 5.0s", "$AppStart"])
    }

    @Test
    func `3: opening the switcher and returning records nothing`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        try fixture.device.openSwitcher()
        fixture.device.wait(.seconds(2))
        try fixture.device.returnFromSwitcher()
        #expect(try await fixture.eventSummaries() == ["$AppStart first"])
    }

    @Test
    func `4: going to the home screen from the switcher records one exit`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(3))
        try fixture.device.openSwitcher()
        fixture.device.wait(.seconds(1))
        try await fixture.device.goHomeFromSwitcher()
        #expect(try await fixture.eventSummaries() == ["$AppStart first", "$AppEnd 4.0s"])
    }

    @Test
    func `5: a kill in the switcher is one exit, which is not repeated at the next start`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(3))
        try fixture.device.openSwitcher()
        try await fixture.device.killFromSwitcher()
        try await fixture.device.launch()
        #expect(try await fixture.eventSummaries() == ["$AppStart first", "$AppEnd 3.0s", "$AppStart"])
    }

    @Test
    func `6: a suspended app that runs again records a start and later an exit`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        try await fixture.device.goHome()
        fixture.device.wait(.seconds(3_600))
        try await fixture.device.open()
        fixture.device.wait(.seconds(2))
        try await fixture.device.goHome()
        #expect(
            try await fixture.eventSummaries() == [
                "$AppStart first", "$AppEnd 0.0s", "$AppStart resumed", "$AppEnd 2.0s",
            ],
            "exits exclude time in the background"
        )
    }

    @Test
    func `7: a kill while suspended records nothing, and the next start is cold`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(1))
        try await fixture.device.goHome()
        fixture.device.wait(.seconds(10))
        try fixture.device.kill()
        try await fixture.device.launch()
        #expect(try await fixture.eventSummaries() == ["$AppStart first", "$AppEnd 1.0s", "$AppStart"])
    }

    @Test
    func `locking while going home reports the background twice but records one exit with its time`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(8))
        try await fixture.device.lockWhileGoingHome()
        #expect(try await fixture.eventSummaries() == ["$AppStart first", "$AppEnd 8.0s"])
    }

    @Test
    func `an exit is recorded automatically and has the super properties`() async throws {
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

    @Test
    func `the exit is sent automatically before suspension`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(1))
        try await fixture.device.goHome()
        let summaries = try SensorsRecord.all(in: fixture.device.network.requests).map(\.summary)
        #expect(summaries == ["$AppStart first", "$AppEnd 1.0s"])
    }

    @Test
    func `an exit lost to a kill is recorded as recovered at the next start, with the best known time`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(20))
        try fixture.device.interrupt()
        fixture.device.wait(.seconds(5))
        try fixture.device.kill()
        fixture.device.wait(.seconds(600))
        try await fixture.device.launch()
        #expect(try await fixture.eventSummaries() == ["$AppStart first", "$AppEnd 20.0s recovered", "$AppStart"])
    }
}
