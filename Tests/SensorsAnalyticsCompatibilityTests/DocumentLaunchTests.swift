// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

/// Sections 2 and 3 of the document, which define what counts as a start.
@Suite("The document: launch")
struct DocumentLaunchTests {
    @Test
    func `a cold start is recorded once, and the very first one is marked as the first`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        #expect(try await fixture.eventSummaries() == ["$AppStart first"])
        try fixture.device.kill()
        try await fixture.device.launch()
        #expect(
            try await fixture.eventSummaries() == ["$AppStart first", "$AppEnd 0.0s recovered", "$AppStart"],
            "the killed process's exit is recorded at the next start"
        )
    }

    @Test
    func `a cold start has the documented properties and is recorded automatically`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        let start = try #require(try await fixture.received().first)
        #expect(start.type == "track")
        #expect(start.event == SA_EVENT_NAME_APP_START)
        #expect(start[SA_EVENT_PROPERTY_APP_FIRST_START] == .boolean(true))
        #expect(start[SA_EVENT_PROPERTY_RESUME_FROM_BACKGROUND] == .boolean(false))
        #expect(start["$lib_method"]?.string == "autoTrack")
        #expect(start.json["lib"]?["$lib_method"]?.string == "autoTrack")
    }

    @Test
    func `super properties set right after the start are included in it`() async throws {
        let fixture = SensorsFixture(setUp: { $0.registerSuperProperties(["key": "value"]) })
        try await fixture.device.launch()
        let start = try #require(try await fixture.received().first)
        #expect(start.summary == "$AppStart first")
        #expect(start["key"]?.string == "value")
    }

    @Test
    func `the start event includes a dynamic super property that is set right after the start`() async throws {
        let fixture = SensorsFixture(setUp: { $0.registerDynamicSuperProperties { ["level": 3] } })
        try await fixture.device.launch()
        #expect(try await fixture.received().first?["level"] == .integer(3))
    }

    @Test
    func `initializing after the launch announcement neither loses nor duplicates the start`() async throws {
        let fixture = SensorsFixture(setUp: { $0.registerSuperProperties(["key": "value"]) })
        try await fixture.device.launch(initialising: .late(.seconds(3)))
        fixture.device.wait(.seconds(1))
        let received = try await fixture.received()
        #expect(received.map(\.summary) == ["$AppStart first"])
        #expect(received.first?["key"]?.string == "value")
    }

    @Test
    func `initializing on another thread loses neither the start nor super properties`() async throws {
        let fixture = SensorsFixture(setUp: { $0.registerSuperProperties(["key": "value"]) })
        try await fixture.device.launch(initialising: .onAnotherThread)
        fixture.device.wait(.seconds(1))
        let received = try await fixture.received()
        #expect(received.map(\.summary) == ["$AppStart first"])
        #expect(received.first?["key"]?.string == "value")
    }

    @Test
    func `requesting the start event with a call, as the document shows first, records it once`() async throws {
        let fixture = SensorsFixture(setUp: { sdk in
            sdk.registerSuperProperties(["key": "value"])
            sdk.autoTrackAppStart()
            sdk.autoTrackAppStart()
        })
        try await fixture.device.launch()
        let received = try await fixture.received()
        #expect(received.map(\.summary) == ["$AppStart first"])
        #expect(received.first?["key"]?.string == "value")
    }

    @Test
    func `a hot start returns from the background and is never the first`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(10))
        try await fixture.device.goHome()
        fixture.device.wait(.seconds(60))
        try await fixture.device.open()
        #expect(try await fixture.eventSummaries() == ["$AppStart first", "$AppEnd 10.0s", "$AppStart resumed"])
    }

    @Test
    func `becoming active after an interruption is not a start`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        try fixture.device.interrupt()
        fixture.device.wait(.seconds(5))
        try fixture.device.endInterruption()
        try fixture.device.openSwitcher()
        try fixture.device.returnFromSwitcher()
        #expect(try await fixture.eventSummaries() == ["$AppStart first"])
    }

    @Test
    func `a start in the background is a passive start`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launchInBackground()
        fixture.device.wait(.seconds(1))
        let start = try #require(try await fixture.received().first)
        #expect(start.summary == "$AppStartPassively first")
        #expect(start.event == SA_EVENT_NAME_APP_START_PASSIVELY)
        #expect(start[SA_EVENT_PROPERTY_RESUME_FROM_BACKGROUND] == .boolean(false))
    }

    @Test
    func `opening an app that started in the background is a separate start that begins its duration`() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launchInBackground()
        fixture.device.wait(.seconds(100))
        try await fixture.device.open()
        fixture.device.wait(.seconds(7))
        try await fixture.device.goHome()
        #expect(
            try await fixture.eventSummaries() == ["$AppStartPassively first", "$AppStart resumed", "$AppEnd 7.0s"]
        )
    }

    @Test
    func `a page shown in the background is recorded only when the user opens the app`() async throws {
        let fixture = SensorsFixture([.eventTypeAppStart, .eventTypeAppViewScreen])
        try await fixture.device.launchInBackground()
        try fixture.device.show("Home")
        fixture.device.wait(.seconds(1))
        #expect(try await fixture.eventSummaries() == ["$AppStartPassively first"])
        try await fixture.device.open()
        #expect(
            try await fixture.eventSummaries() == [
                "$AppStartPassively first", "$AppStart resumed", "$AppViewScreen Home",
            ]
        )
    }

    @Test(
        arguments: [
            ([], [], []),
            ([.eventTypeAppStart], ["$AppStart first", "$AppStart resumed"], [.eventTypeAppStart]),
            ([.eventTypeAppEnd], ["$AppEnd 10.0s"], [.eventTypeAppEnd]),
            (
                [.eventTypeAppStart, .eventTypeAppEnd], ["$AppStart first", "$AppEnd 10.0s", "$AppStart resumed"],
                [.eventTypeAppStart, .eventTypeAppEnd]
            ),
        ] as [(SensorsAnalyticsAutoTrackEventType, [String], SensorsAnalyticsAutoTrackEventType)]
    )
    func `only events in the mask are recorded without a call`(
        _ types: SensorsAnalyticsAutoTrackEventType,
        _ expected: [String],
        _ tracked: SensorsAnalyticsAutoTrackEventType
    ) async throws {
        let fixture = SensorsFixture(types)
        try await fixture.device.launch()
        fixture.device.wait(.seconds(10))
        try await fixture.device.goHome()
        try await fixture.device.open()
        #expect(try await fixture.eventSummaries() == expected)
        let sdk = try fixture.sdk
        for type in [SensorsAnalyticsAutoTrackEventType.eventTypeAppStart, .eventTypeAppEnd, .eventTypeAppViewScreen] {
            #expect(sdk.isAutoTrackEventTypeIgnored(type) == !tracked.contains(type))
        }
        #expect(sdk.isAutoTrackEnabled() == !tracked.isEmpty)
    }

    @Test
    func `the first start ever is remembered even if starts were not recorded`() async throws {
        let ignoring = Locked(true)
        let fixture = SensorsFixture(
            [],
            { options in if !ignoring.withLock({ $0 }) { options.autoTrackEventType = [.eventTypeAppStart] } }
        )
        try await fixture.device.launch()
        #expect(try await fixture.eventSummaries() == [])
        ignoring.withLock { $0 = false }
        try fixture.device.kill()
        try await fixture.device.launch()
        #expect(try await fixture.eventSummaries() == ["$AppStart"])
    }
}
