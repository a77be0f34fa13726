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
    /// A stage whose back-end sends this configuration; "" for none.
    private static func stage(
        _ configuration: String,
        _ types: SensorsAnalyticsAutoTrackEventType = [.eventTypeAppStart, .eventTypeAppEnd]
    ) -> SensorsStage {
        let stage = SensorsStage(types, { $0.enableRemoteConfig = true })
        stage.answer(configuration)
        return stage
    }

    private static func configuration(_ version: String, effect: Int = 1, _ members: String) -> String {
        #"{"v":"\#(version)","configs":{"effect_mode":\#(effect)\#(members.isEmpty ? "" : ",")\#(members)}}"#
    }

    @Test("it is asked for at the start, beside the address of the events")
    func asks() async throws {
        let stage = Self.stage("")
        try await stage.device.launch()
        await stage.device.network.untilRequested(1)
        let request = try #require(stage.questions.first)
        #expect(request.url == "https://sa.test/config/iOS.conf?v=&nv=&app_id=\(stage.appID)&project=production")
        #expect(request.method == "GET")
    }

    @Test("blocked events are not recorded from then on, the change is told, and the next start knows")
    func blocks() async throws {
        let stage = Self.stage(Self.configuration("12", #""event_blacklist":["Scroll"]"#), [])
        try await stage.device.launch()
        try await stage.untilTold()
        try stage.sdk.track("Scroll")
        try stage.sdk.track("Tap")
        let received = try await stage.received()
        #expect(received.map(\.event) == ["$AppRemoteConfigChanged", "Tap"])
        let told = try #require(received.first?["$app_remote_config"]?.string)
        #expect(told.contains(#""v":"12""#))
        #expect(told.contains("Scroll"))
        try stage.device.kill()
        try await stage.device.launch()
        try stage.sdk.track("Scroll")
        #expect(try await stage.received().map(\.event) == ["$AppRemoteConfigChanged", "Tap"])
    }

    @Test("what is for the next start waits for it")
    func nextStart() async throws {
        let stage = Self.stage(Self.configuration("2", effect: 0, #""event_blacklist":["Scroll"]"#), [])
        try await stage.device.launch()
        try await stage.untilTold()
        try stage.sdk.track("Scroll")
        try await stage.device.goHome()
        try await stage.device.open()
        try stage.sdk.track("Scroll")
        try stage.device.kill()
        try await stage.device.launch()
        try stage.sdk.track("Scroll")
        #expect(try await stage.received().map(\.event) == ["$AppRemoteConfigChanged", "Scroll", "Scroll"])
    }

    @Test("the mask of captured kinds takes the place of the app's")
    func mask() async throws {
        let stage = Self.stage(Self.configuration("3", #""autoTrackMode":2"#))
        try await stage.device.launch()
        try await stage.untilTold()
        #expect(try stage.sdk.isAutoTrackEventTypeIgnored(.eventTypeAppStart))
        #expect(try !stage.sdk.isAutoTrackEventTypeIgnored(.eventTypeAppEnd))
        try await stage.device.goHome()
        try await stage.device.open()
        try await stage.device.goHome()
        let received = try await stage.received().compactMap(\.event).filter { $0 != "$AppRemoteConfigChanged" }
        #expect(received == ["$AppStart", "$AppEnd", "$AppEnd"], "the first start came before the answer")
    }

    @Test("a back-end can switch recording off, and on again")
    func disables() async throws {
        let stage = Self.stage(Self.configuration("4", #""disableSDK":true"#), [])
        try await stage.device.launch()
        await stage.device.network.untilRequested(1)
        try await stage.until { $0.isDisabledByBackEnd }
        try stage.sdk.track("never")
        stage.answer(Self.configuration("5", ""))
        try await stage.device.goHome()
        stage.device.wait(.seconds(49 * 3_600))
        try await stage.device.open()
        try await stage.until { !$0.isDisabledByBackEnd }
        try stage.sdk.track("again")
        #expect(try await stage.received().map(\.event).contains("again"))
        #expect(try await !stage.received().map(\.event).contains("never"))
    }

    @Test("a page of something in between, or no answer, changes nothing", arguments: [200, 404, 503])
    func strangers(_ status: Int) async throws {
        let stage = Self.stage("", [])
        stage.device.network.always(
            .respond(WireResponse(status: status, headers: ["content-type": "text/html"], body: Array("<html>".utf8))),
            to: "iOS.conf"
        )
        try await stage.device.launch()
        await stage.device.network.untilRequested(1)
        try stage.sdk.track("Scroll")
        #expect(try await stage.received().map(\.event) == ["Scroll"])
    }

    @Test("nothing is asked before consent allows it")
    func consent() async throws {
        let stage = SensorsStage(
            [],
            { options in
                options.enableRemoteConfig = true
                options.configure = { $0.consent = .pending }
            }
        )
        stage.answer(Self.configuration("12", ""))
        try await stage.device.launch()
        try stage.sdk.track("kept")
        _ = await stage.device.analytics?.flush()
        #expect(stage.device.network.requests.isEmpty)
    }
}

extension SensorsStage {
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
    func until(_ condition: (SensorsStage) -> Bool) async throws {
        for _ in 0..<10_000_000 {
            if condition(self) { return }
            await Task.yield()
        }
        Issue.record("it never came about")
    }
}
