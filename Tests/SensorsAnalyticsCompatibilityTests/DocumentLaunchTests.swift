// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayEvents
import TrackwayTesting

/// Sections 2 and 3 of the document, which define what counts as a start.
@Suite("The document: launch")
struct DocumentLaunchTests {
    @Test("a cold start is recorded once, and the first one ever is marked as the first")
    func coldStart() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        #expect(try await fixture.story() == ["$AppStart first"])
        try fixture.device.kill()
        try await fixture.device.launch()
        #expect(
            try await fixture.story() == ["$AppStart first", "$AppEnd 0.0s recovered", "$AppStart"],
            "the killed process's exit is recorded at the next start"
        )
    }

    @Test("a cold start has the documented properties and is recorded automatically")
    func coldStartProperties() async throws {
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

    @Test("super properties set right after the start are included in it")
    func superPropertiesFirst() async throws {
        let fixture = SensorsFixture(setUp: { $0.registerSuperProperties(["key": "value"]) })
        try await fixture.device.launch()
        let start = try #require(try await fixture.received().first)
        #expect(start.story == "$AppStart first")
        #expect(start["key"]?.string == "value")
    }

    @Test("a dynamic super property set right after the start is included in it")
    func dynamicSuperPropertiesFirst() async throws {
        let fixture = SensorsFixture(setUp: { $0.registerDynamicSuperProperties { ["level": 3] } })
        try await fixture.device.launch()
        #expect(try await fixture.received().first?["level"] == .integer(3))
    }

    @Test("initializing after the launch announcement neither loses nor duplicates the start")
    func lateInitialisation() async throws {
        let fixture = SensorsFixture(setUp: { $0.registerSuperProperties(["key": "value"]) })
        try await fixture.device.launch(initialising: .late(.seconds(3)))
        fixture.device.wait(.seconds(1))
        let received = try await fixture.received()
        #expect(received.map(\.story) == ["$AppStart first"])
        #expect(received.first?["key"]?.string == "value")
    }

    @Test("initializing on another thread loses neither the start nor super properties")
    func subThreadInitialisation() async throws {
        let fixture = SensorsFixture(setUp: { $0.registerSuperProperties(["key": "value"]) })
        try await fixture.device.launch(initialising: .onAnotherThread)
        fixture.device.wait(.seconds(1))
        let received = try await fixture.received()
        #expect(received.map(\.story) == ["$AppStart first"])
        #expect(received.first?["key"]?.string == "value")
    }

    @Test("requesting the start by a call, as the document shows first, records it once")
    func byHand() async throws {
        let fixture = SensorsFixture(setUp: { sdk in
            sdk.registerSuperProperties(["key": "value"])
            sdk.autoTrackAppStart()
            sdk.autoTrackAppStart()
        })
        try await fixture.device.launch()
        let received = try await fixture.received()
        #expect(received.map(\.story) == ["$AppStart first"])
        #expect(received.first?["key"]?.string == "value")
    }

    @Test("a hot start returns from the background and is never the first")
    func hotStart() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        fixture.device.wait(.seconds(10))
        try await fixture.device.goHome()
        fixture.device.wait(.seconds(60))
        try await fixture.device.open()
        #expect(try await fixture.story() == ["$AppStart first", "$AppEnd 10.0s", "$AppStart resumed"])
    }

    @Test("becoming active after an interruption is not a start")
    func interruption() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launch()
        try fixture.device.interrupt()
        fixture.device.wait(.seconds(5))
        try fixture.device.endInterruption()
        try fixture.device.openSwitcher()
        try fixture.device.returnFromSwitcher()
        #expect(try await fixture.story() == ["$AppStart first"])
    }

    @Test("a start in the background is a passive start")
    func passiveStart() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launchInBackground()
        fixture.device.wait(.seconds(1))
        let start = try #require(try await fixture.received().first)
        #expect(start.story == "$AppStartPassively first")
        #expect(start.event == SA_EVENT_NAME_APP_START_PASSIVELY)
        #expect(start[SA_EVENT_PROPERTY_RESUME_FROM_BACKGROUND] == .boolean(false))
    }

    @Test("opening an app that started in the background is a separate start, from which its time counts")
    func passiveThenOpen() async throws {
        let fixture = SensorsFixture()
        try await fixture.device.launchInBackground()
        fixture.device.wait(.seconds(100))
        try await fixture.device.open()
        fixture.device.wait(.seconds(7))
        try await fixture.device.goHome()
        #expect(try await fixture.story() == ["$AppStartPassively first", "$AppStart resumed", "$AppEnd 7.0s"])
    }

    @Test("a page shown in the background is recorded only when the user opens the app")
    func passivePages() async throws {
        let fixture = SensorsFixture([.eventTypeAppStart, .eventTypeAppViewScreen])
        try await fixture.device.launchInBackground()
        try fixture.device.show("Home")
        fixture.device.wait(.seconds(1))
        #expect(try await fixture.story() == ["$AppStartPassively first"])
        try await fixture.device.open()
        #expect(try await fixture.story() == ["$AppStartPassively first", "$AppStart resumed", "$AppViewScreen Home"])
    }

    @Test(
        "only events in the mask are recorded without a call",
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
    func ignoredTypes(
        _ types: SensorsAnalyticsAutoTrackEventType,
        _ expected: [String],
        _ tracked: SensorsAnalyticsAutoTrackEventType
    ) async throws {
        let fixture = SensorsFixture(types)
        try await fixture.device.launch()
        fixture.device.wait(.seconds(10))
        try await fixture.device.goHome()
        try await fixture.device.open()
        #expect(try await fixture.story() == expected)
        let sdk = try fixture.sdk
        for type in [SensorsAnalyticsAutoTrackEventType.eventTypeAppStart, .eventTypeAppEnd, .eventTypeAppViewScreen] {
            #expect(sdk.isAutoTrackEventTypeIgnored(type) == !tracked.contains(type))
        }
        #expect(sdk.isAutoTrackEnabled() == !tracked.isEmpty)
    }

    @Test("the first start ever is remembered even if starts were not recorded")
    func firstStartIgnored() async throws {
        let ignoring = Locked(true)
        let fixture = SensorsFixture(
            [],
            { options in if !ignoring.withLock({ $0 }) { options.autoTrackEventType = [.eventTypeAppStart] } }
        )
        try await fixture.device.launch()
        #expect(try await fixture.story() == [])
        ignoring.withLock { $0 = false }
        try fixture.device.kill()
        try await fixture.device.launch()
        #expect(try await fixture.story() == ["$AppStart"])
    }
}
