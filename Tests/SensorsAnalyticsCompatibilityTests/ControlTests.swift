// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayCore
import TrackwayDestinationKit
import TrackwayTesting

@Suite("Screens, server address and the enabled state")
struct ControlTests {
    @Test
    func `a screen recorded by a call has its URL and the previous screen's, regardless of the mask`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        #expect(sdk.getLastScreenUrl() == nil)
        sdk.trackViewScreen("shop://home", withProperties: ["$title": "Home"])
        sdk.trackViewScreen("shop://cart", withProperties: ["$screen_name": "Cart", "items": 3])
        let events = try await fixture.received()
        #expect(events.map(\.event) == ["$AppViewScreen", "$AppViewScreen"])
        #expect(events.map { $0["$url"]?.string } == ["shop://home", "shop://cart"])
        #expect(events.map { $0["$referrer"]?.string } == [nil, "shop://home"])
        #expect(events.map { $0["$screen_name"]?.string } == ["shop://home", "Cart"])
        #expect(events.map { $0["$lib_method"]?.string } == ["code", "code"])
        #expect(events.first?["$title"]?.string == "Home")
        #expect(events.last?["items"] == .integer(3))
        #expect(sdk.getCurrentScreenUrl() == "shop://cart")
    }

    @Test
    func `events, including pending ones, go to the app's server with its cookie`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.track("waiting")
        sdk.setServerUrl("https://other.test/sa?project=other")
        sdk.setCookie("a=b c", withEncode: true)
        _ = try await fixture.received()
        let request = try #require(fixture.device.network.requests.last)
        #expect(request.url == "https://other.test/sa?project=other")
        #expect(request.headers["cookie"] == "a%3Db%20c")
        #expect(sdk.serverUrl() == "https://other.test/sa?project=other")
    }

    @Test
    func `debug modes send events one by one to the debug address, and only DebugOnly requests a dry run`() async throws
    {
        for (mode, dryRun) in [(SensorsAnalyticsDebugMode.only, "true" as String?), (.andTrack, nil)] {
            let fixture = try await SensorsFixture.launched(debugMode: mode)
            try fixture.sdk.track("a")
            try fixture.sdk.track("b")
            // Each event is sent as soon as it is recorded.
            await fixture.device.network.untilRequested(2)
            #expect(try await fixture.eventSummaries() == ["a", "b"])
            let requests = fixture.device.network.requests
            #expect(
                requests.map(\.url) == [
                    "https://sa.test/debug?project=production", "https://sa.test/debug?project=production",
                ]
            )
            #expect(requests.map { $0.headers["dry-run"] } == [dryRun, dryRun])
            try fixture.sdk.setDebugMode(.off)
            try fixture.sdk.track("c")
            #expect(try await fixture.eventSummaries() == ["a", "b", "c"])
            #expect(fixture.device.network.requests.last?.url == SensorsFixture.serverURL)
        }
    }

    @Test
    func `disabling the SDK records an event, sends pending events and stops recording until it is enabled`()
        async throws
    {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.track("before")
        sdk.disable()
        sdk.disable()
        sdk.track("never")
        sdk.login("nobody")
        sdk.enable()
        sdk.track("after")
        #expect(try await fixture.eventSummaries() == ["before", "$AppDataTrackingClose", "after"])
    }

    @Test(arguments: [301, 302, 401, 403, 404, 408, 429, 500, 503])
    func `no event is lost to an error response, regardless of its status`(_ status: Int) async throws {
        let fixture = try await SensorsFixture.launched()
        fixture.device.network.always(.respond(WireResponse(status: status)))
        try fixture.sdk.track("precious")
        _ = await fixture.device.analytics?.flush(timeout: .zero)
        let ledger = try #require(fixture.device.analytics?.ledger().destinations["sensors-analytics"])
        #expect(ledger.pending == 1)
        #expect(ledger.droppedTotal == 0)
    }

    @Test
    func `discarding pending events drops and counts them, and the SDK continues`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.track("unwanted")
        await fixture.device.analytics?.discardPendingEvents(for: "sensors-analytics")
        sdk.track("wanted")
        #expect(try await fixture.eventSummaries() == ["wanted"])
        let ledger = try #require(fixture.device.analytics?.ledger().destinations["sensors-analytics"])
        #expect(ledger.droppedTotal == 1)
        #expect(ledger.isBalanced)
    }

    @Test
    func `an invalid address keeps events until it is corrected`() async throws {
        let fixture = SensorsFixture([], { $0.serverURL = "" })
        try await fixture.device.launch()
        try fixture.sdk.track("kept")
        _ = await fixture.device.analytics?.flush(timeout: .zero)
        #expect(fixture.device.network.requests.isEmpty)
        try fixture.sdk.setServerUrl(SensorsFixture.serverURL)
        #expect(try await fixture.eventSummaries() == ["kept"])
    }
}
