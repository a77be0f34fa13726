// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayEvents
import TrackwayTesting

/// Sections 2 and 3 of the document: what counts as a start.
@Suite("The document: launch")
struct DocumentLaunchTests {
    @Test("a cold start is told once, the first one ever as the first")
    func coldStart() async throws {
        let stage = SensorsStage()
        try await stage.device.launch()
        #expect(try await stage.story() == ["$AppStart first"])
        try stage.device.kill()
        try await stage.device.launch()
        #expect(
            try await stage.story() == ["$AppStart first", "$AppEnd 0.0s recovered", "$AppStart"],
            "the killed run's exit is told at the next start"
        )
    }

    @Test("a cold start carries what the document says, recorded by itself")
    func coldStartProperties() async throws {
        let stage = SensorsStage()
        try await stage.device.launch()
        let start = try #require(try await stage.received().first)
        #expect(start.type == "track")
        #expect(start.event == SA_EVENT_NAME_APP_START)
        #expect(start[SA_EVENT_PROPERTY_APP_FIRST_START] == .boolean(true))
        #expect(start[SA_EVENT_PROPERTY_RESUME_FROM_BACKGROUND] == .boolean(false))
        #expect(start["$lib_method"]?.string == "autoTrack")
        #expect(start.json["lib"]?["$lib_method"]?.string == "autoTrack")
    }

    @Test("super properties set right after the start are in it")
    func superPropertiesFirst() async throws {
        let stage = SensorsStage(setUp: { $0.registerSuperProperties(["key": "value"]) })
        try await stage.device.launch()
        let start = try #require(try await stage.received().first)
        #expect(start.story == "$AppStart first")
        #expect(start["key"]?.string == "value")
    }

    @Test("a dynamic super property set right after the start is in it")
    func dynamicSuperPropertiesFirst() async throws {
        let stage = SensorsStage(setUp: { $0.registerDynamicSuperProperties { ["level": 3] } })
        try await stage.device.launch()
        #expect(try await stage.received().first?["level"] == .integer(3))
    }

    @Test("initialising after the launch was announced loses no start, and doubles none")
    func lateInitialisation() async throws {
        let stage = SensorsStage(setUp: { $0.registerSuperProperties(["key": "value"]) })
        try await stage.device.launch(initialising: .late(.seconds(3)))
        stage.device.wait(.seconds(1))
        let received = try await stage.received()
        #expect(received.map(\.story) == ["$AppStart first"])
        #expect(received.first?["key"]?.string == "value")
    }

    @Test("initialising on another thread loses no start, and no super property")
    func subThreadInitialisation() async throws {
        let stage = SensorsStage(setUp: { $0.registerSuperProperties(["key": "value"]) })
        try await stage.device.launch(initialising: .onAnotherThread)
        stage.device.wait(.seconds(1))
        let received = try await stage.received()
        #expect(received.map(\.story) == ["$AppStart first"])
        #expect(received.first?["key"]?.string == "value")
    }

    @Test("asking for the start by hand, as the document first does, tells it once")
    func byHand() async throws {
        let stage = SensorsStage(setUp: { sdk in
            sdk.registerSuperProperties(["key": "value"])
            sdk.autoTrackAppStart()
            sdk.autoTrackAppStart()
        })
        try await stage.device.launch()
        let received = try await stage.received()
        #expect(received.map(\.story) == ["$AppStart first"])
        #expect(received.first?["key"]?.string == "value")
    }

    @Test("a hot start comes back from the background, and is never the first")
    func hotStart() async throws {
        let stage = SensorsStage()
        try await stage.device.launch()
        stage.device.wait(.seconds(10))
        try await stage.device.goHome()
        stage.device.wait(.seconds(60))
        try await stage.device.open()
        #expect(try await stage.story() == ["$AppStart first", "$AppEnd 10.0s", "$AppStart resumed"])
    }

    @Test("becoming active after an interruption is no start")
    func interruption() async throws {
        let stage = SensorsStage()
        try await stage.device.launch()
        try stage.device.interrupt()
        stage.device.wait(.seconds(5))
        try stage.device.endInterruption()
        try stage.device.openSwitcher()
        try stage.device.returnFromSwitcher()
        #expect(try await stage.story() == ["$AppStart first"])
    }

    @Test("a start in the background is a passive one")
    func passiveStart() async throws {
        let stage = SensorsStage()
        try await stage.device.launchInBackground()
        stage.device.wait(.seconds(1))
        let start = try #require(try await stage.received().first)
        #expect(start.story == "$AppStartPassively first")
        #expect(start.event == SA_EVENT_NAME_APP_START_PASSIVELY)
        #expect(start[SA_EVENT_PROPERTY_RESUME_FROM_BACKGROUND] == .boolean(false))
    }

    @Test("opening an app that was started in the background is a start of its own, and its time counts from there")
    func passiveThenOpen() async throws {
        let stage = SensorsStage()
        try await stage.device.launchInBackground()
        stage.device.wait(.seconds(100))
        try await stage.device.open()
        stage.device.wait(.seconds(7))
        try await stage.device.goHome()
        #expect(try await stage.story() == ["$AppStartPassively first", "$AppStart resumed", "$AppEnd 7.0s"])
    }

    @Test("a page shown in the background is told when the user opens the app, and not before")
    func passivePages() async throws {
        let stage = SensorsStage([.eventTypeAppStart, .eventTypeAppViewScreen])
        try await stage.device.launchInBackground()
        try stage.device.show("Home")
        stage.device.wait(.seconds(1))
        #expect(try await stage.story() == ["$AppStartPassively first"])
        try await stage.device.open()
        #expect(try await stage.story() == ["$AppStartPassively first", "$AppStart resumed", "$AppViewScreen Home"])
    }

    @Test(
        "only what the mask names is recorded without a call",
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
        let stage = SensorsStage(types)
        try await stage.device.launch()
        stage.device.wait(.seconds(10))
        try await stage.device.goHome()
        try await stage.device.open()
        #expect(try await stage.story() == expected)
        let sdk = try stage.sdk
        for type in [SensorsAnalyticsAutoTrackEventType.eventTypeAppStart, .eventTypeAppEnd, .eventTypeAppViewScreen] {
            #expect(sdk.isAutoTrackEventTypeIgnored(type) == !tracked.contains(type))
        }
        #expect(sdk.isAutoTrackEnabled() == !tracked.isEmpty)
    }

    @Test("the first start ever is remembered although its kind was ignored")
    func firstStartIgnored() async throws {
        let ignoring = Locked(true)
        let stage = SensorsStage(
            [],
            { options in if !ignoring.withLock({ $0 }) { options.autoTrackEventType = [.eventTypeAppStart] } }
        )
        try await stage.device.launch()
        #expect(try await stage.story() == [])
        ignoring.withLock { $0 = false }
        try stage.device.kill()
        try await stage.device.launch()
        #expect(try await stage.story() == ["$AppStart"])
    }
}
