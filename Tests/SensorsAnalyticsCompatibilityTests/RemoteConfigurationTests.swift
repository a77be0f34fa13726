// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayEvents
import TrackwayTesting
import TrackwayWire

@Suite("The configuration from afar")
struct RemoteConfigurationTests {
    /// A fixture whose back-end sends this configuration; "" for none.
    private static func fixture(
        _ configuration: String,
        _ types: SensorsAnalyticsAutoTrackEventType = [.eventTypeAppStart, .eventTypeAppEnd]
    ) -> SensorsFixture {
        let fixture = SensorsFixture(types, { $0.enableRemoteConfig = true })
        fixture.answer(configuration)
        return fixture
    }

    private static func configuration(_ version: String, effect: Int = 1, _ members: String) -> String {
        #"{"v":"\#(version)","configs":{"effect_mode":\#(effect)\#(members.isEmpty ? "" : ",")\#(members)}}"#
    }

    @Test("it is asked for at the start, beside the address of the events")
    func asks() async throws {
        let fixture = Self.fixture("")
        try await fixture.device.launch()
        await fixture.device.network.untilRequested(1)
        let request = try #require(fixture.questions.first)
        #expect(request.url == "https://sa.test/config/iOS.conf?v=&nv=&app_id=\(fixture.appID)&project=production")
        #expect(request.method == "GET")
    }

    @Test("blocked events are not recorded from then on, the change is told, and the next start knows")
    func blocks() async throws {
        let fixture = Self.fixture(Self.configuration("12", #""event_blacklist":["Scroll"]"#), [])
        try await fixture.device.launch()
        try await fixture.untilTold()
        try fixture.sdk.track("Scroll")
        try fixture.sdk.track("Tap")
        let received = try await fixture.received()
        #expect(received.map(\.event) == ["$AppRemoteConfigChanged", "Tap"])
        let told = try #require(received.first?["$app_remote_config"]?.string)
        #expect(told.contains(#""v":"12""#))
        #expect(told.contains("Scroll"))
        try fixture.device.kill()
        try await fixture.device.launch()
        try fixture.sdk.track("Scroll")
        #expect(try await fixture.received().map(\.event) == ["$AppRemoteConfigChanged", "Tap"])
    }

    @Test("what is for the next start waits for it")
    func nextStart() async throws {
        let fixture = Self.fixture(Self.configuration("2", effect: 0, #""event_blacklist":["Scroll"]"#), [])
        try await fixture.device.launch()
        try await fixture.untilTold()
        try fixture.sdk.track("Scroll")
        try await fixture.device.goHome()
        try await fixture.device.open()
        try fixture.sdk.track("Scroll")
        try fixture.device.kill()
        try await fixture.device.launch()
        try fixture.sdk.track("Scroll")
        #expect(try await fixture.received().map(\.event) == ["$AppRemoteConfigChanged", "Scroll", "Scroll"])
    }

    @Test("the mask of captured kinds takes the place of the app's")
    func mask() async throws {
        let fixture = Self.fixture(Self.configuration("3", #""autoTrackMode":2"#))
        try await fixture.device.launch()
        try await fixture.untilTold()
        #expect(try fixture.sdk.isAutoTrackEventTypeIgnored(.eventTypeAppStart))
        #expect(try !fixture.sdk.isAutoTrackEventTypeIgnored(.eventTypeAppEnd))
        try await fixture.device.goHome()
        try await fixture.device.open()
        try await fixture.device.goHome()
        let received = try await fixture.received().compactMap(\.event).filter { $0 != "$AppRemoteConfigChanged" }
        #expect(received == ["$AppStart", "$AppEnd", "$AppEnd"], "the first start came before the answer")
    }

    @Test("a back-end can switch recording off, and on again")
    func disables() async throws {
        let fixture = Self.fixture(Self.configuration("4", #""disableSDK":true"#), [])
        try await fixture.device.launch()
        await fixture.device.network.untilRequested(1)
        try await fixture.until { $0.isDisabledByBackEnd }
        try fixture.sdk.track("never")
        fixture.answer(Self.configuration("5", ""))
        try await fixture.device.goHome()
        fixture.device.wait(.seconds(49 * 3_600))
        try await fixture.device.open()
        try await fixture.until { !$0.isDisabledByBackEnd }
        try fixture.sdk.track("again")
        #expect(try await fixture.received().map(\.event).contains("again"))
        #expect(try await !fixture.received().map(\.event).contains("never"))
    }

    @Test("a page of something in between, or no answer, changes nothing", arguments: [200, 404, 503])
    func strangers(_ status: Int) async throws {
        let fixture = Self.fixture("", [])
        fixture.device.network.always(
            .respond(WireResponse(status: status, headers: ["content-type": "text/html"], body: Array("<html>".utf8))),
            to: "iOS.conf"
        )
        try await fixture.device.launch()
        await fixture.device.network.untilRequested(1)
        try fixture.sdk.track("Scroll")
        #expect(try await fixture.received().map(\.event) == ["Scroll"])
    }

    @Test("nothing is asked before consent allows it")
    func consent() async throws {
        let fixture = SensorsFixture(
            [],
            { options in
                options.enableRemoteConfig = true
                options.configure = { $0.consent = .pending }
            }
        )
        fixture.answer(Self.configuration("12", ""))
        try await fixture.device.launch()
        try fixture.sdk.track("kept")
        _ = await fixture.device.analytics?.flush()
        #expect(fixture.device.network.requests.isEmpty)
    }
}

extension SensorsFixture {
    /// Lets the back-end send this configuration.
    func answer(_ configuration: String) {
        let answer = WireResponse(
            status: configuration.isEmpty ? 304 : 200,
            headers: ["content-type": "application/json"],
            body: Array(configuration.utf8)
        )
        device.network.always(.respond(answer), to: "iOS.conf")
    }

    /// The requests for a configuration.
    var questions: [WireRequest] { device.network.requests.filter { $0.method == "GET" } }

    /// Who asks.
    var appID: String { device.analytics?.recordedContext.app["id"]?.string ?? "" }

    /// Returns when the change of the configuration was recorded.
    func untilTold() async throws {
        try await until { !$0.device.events(named: "$AppRemoteConfigChanged").isEmpty }
    }

    /// Whether the back-end wants nothing to be recorded.
    var isDisabledByBackEnd: Bool { (try? sdk.isDisabledRemotely) ?? false }

    /// Lets other tasks work until something is so.
    func until(_ condition: (SensorsFixture) -> Bool) async throws {
        for _ in 0..<10_000_000 {
            if condition(self) { return }
            await Task.yield()
        }
        Issue.record("it never came about")
    }
}
