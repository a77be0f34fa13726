// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayCore
import TrackwayDestinationKit
import TrackwayTesting

@Suite("Remote configuration")
struct RemoteConfigurationTests {
    /// Returns a fixture whose back end sends this configuration; an empty one means none.
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

    @Test
    func `the configuration is requested at the start, next to the address of the events`() async throws {
        let fixture = Self.fixture("")
        try await fixture.device.launch()
        await fixture.device.network.untilRequested(1)
        let request = try #require(fixture.questions.first)
        #expect(request.url == "https://sa.test/config/iOS.conf?v=&nv=&app_id=\(fixture.appID)&project=production")
        #expect(request.method == "GET")
    }

    @Test
    func `blocked events are no longer recorded, the change is recorded, and the next start applies it`() async throws {
        let fixture = Self.fixture(Self.configuration("12", #""event_blacklist":["Scroll"]"#), [])
        try await fixture.device.launch()
        try await fixture.waitUntilChangeRecorded()
        try fixture.sdk.track("Scroll")
        try fixture.sdk.track("Tap")
        let received = try await fixture.received()
        #expect(received.map(\.event) == ["$AppRemoteConfigChanged", "Tap"])
        let changedConfiguration = try #require(received.first?["$app_remote_config"]?.string)
        #expect(changedConfiguration.contains(#""v":"12""#))
        #expect(changedConfiguration.contains("Scroll"))
        try fixture.device.kill()
        try await fixture.device.launch()
        try fixture.sdk.track("Scroll")
        #expect(try await fixture.received().map(\.event) == ["$AppRemoteConfigChanged", "Tap"])
    }

    @Test
    func `a configuration for the next start takes effect only then`() async throws {
        let fixture = Self.fixture(Self.configuration("2", effect: 0, #""event_blacklist":["Scroll"]"#), [])
        try await fixture.device.launch()
        try await fixture.waitUntilChangeRecorded()
        try fixture.sdk.track("Scroll")
        try await fixture.device.goHome()
        try await fixture.device.open()
        try fixture.sdk.track("Scroll")
        try fixture.device.kill()
        try await fixture.device.launch()
        try fixture.sdk.track("Scroll")
        #expect(try await fixture.received().map(\.event) == ["$AppRemoteConfigChanged", "Scroll", "Scroll"])
    }

    @Test
    func `the mask from the back end replaces the app's`() async throws {
        let fixture = Self.fixture(Self.configuration("3", #""autoTrackMode":2"#))
        // The first start precedes the response.
        fixture.device.network.hold()
        try await fixture.device.launch()
        await fixture.device.network.untilRequested(1)
        fixture.device.network.release()
        try await fixture.waitUntilChangeRecorded()
        #expect(try fixture.sdk.isAutoTrackEventTypeIgnored(.eventTypeAppStart))
        #expect(try !fixture.sdk.isAutoTrackEventTypeIgnored(.eventTypeAppEnd))
        try await fixture.device.goHome()
        try await fixture.device.open()
        try await fixture.device.goHome()
        let received = try await fixture.received().compactMap(\.event).filter { $0 != "$AppRemoteConfigChanged" }
        #expect(received == ["$AppStart", "$AppEnd", "$AppEnd"])
    }

    @Test
    func `a back end can disable and enable recording`() async throws {
        let fixture = Self.fixture(Self.configuration("4", #""disableSDK":true"#), [])
        try await fixture.device.launch()
        await fixture.device.network.untilRequested(1)
        try await fixture.wait { !$0.isRecording }
        try fixture.sdk.track("never")
        fixture.answer(Self.configuration("5", ""))
        try await fixture.device.goHome()
        fixture.device.wait(.seconds(49 * 3_600))
        try await fixture.device.open()
        try await fixture.wait { $0.isRecording }
        try fixture.sdk.track("again")
        #expect(try await fixture.received().map(\.event).contains("again"))
        #expect(try await !fixture.received().map(\.event).contains("never"))
    }

    @Test(arguments: [200, 404, 503])
    func `a web page or a missing response changes nothing`(_ status: Int) async throws {
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

    @Test
    func `nothing is requested before consent`() async throws {
        let fixture = SensorsFixture(
            [],
            { options in
                options.enableRemoteConfig = true
                options.configure = { $0.privacy.consent = .pending }
            }
        )
        fixture.answer(Self.configuration("12", ""))
        try await fixture.device.launch()
        try fixture.sdk.track("kept")
        _ = await fixture.device.analytics?.flush()
        #expect(fixture.device.network.requests.isEmpty)
    }
}

/// A response that arrives while the app starts.
///
/// The app has no lifecycle notifications.
@Suite("Early remote configuration")
struct EarlyConfigurationTests {
    /// The time at which the response arrives.
    enum Arrival: CaseIterable, Sendable {
        case beforeSuperProperties, afterSuperProperties, afterFirstEvent, afterLaunch
    }

    /// How a process ends during its launch.
    enum End: CaseIterable, Sendable {
        case kill, shutdown
    }

    private static func start(
        in environment: InMemoryEnvironment,
        debugMode: SensorsAnalyticsDebugMode = .off
    ) throws -> SensorsAnalyticsSDK {
        let options = SAConfigOptions(serverURL: SensorsFixture.serverURL, launchOptions: nil)
        options.autoTrackEventType = [.eventTypeAppStart]
        var configuration = options.configuration(debugMode: debugMode)
        configuration.run(in: environment)
        return SensorsAnalyticsSDK(try Analytics(configuration), options, debugMode: debugMode)
    }

    private static func environment(_ members: String) -> InMemoryEnvironment {
        let environment = InMemoryEnvironment()
        let configuration = #"{"v":"7","configs":{"effect_mode":1,\#(members)}}"#
        environment.transport.always(
            .respond(
                WireResponse(
                    status: 200,
                    headers: ["content-type": "application/json"],
                    body: Array(configuration.utf8)
                )
            ),
            to: "iOS.conf"
        )
        environment.transport.hold()
        return environment
    }

    private static func waitUntilApplied(_ sdk: SensorsAnalyticsSDK) async throws {
        try await Deadline.wait(while: !sdk.analytics.collectionPolicy.blockedEvents.contains("Scroll"))
    }

    /// Waits until the change is recorded and the configuration is saved.
    private static func waitUntilSaved(_ environment: InMemoryEnvironment) async throws {
        let file = InMemoryEnvironment.usualFolder + "/sensors-analytics-remote"
        try await Deadline.wait(while: environment.storage.contents(of: file) == nil)
        #expect(names(environment).contains(changed))
    }

    private static func names(_ environment: InMemoryEnvironment) -> [String] {
        environment.recorded.map(\.event.name).filter { $0 != "_first_open" && $0 != "_session_start" }
    }

    private static let changed = "$AppRemoteConfigChanged"

    @Test(arguments: Arrival.allCases)
    func `the start comes first and includes super properties set after the SDK's start call`(_ arrival: Arrival)
        async throws
    {
        let environment = Self.environment(#""event_blacklist":["Scroll"]"#)
        let sdk = try Self.start(in: environment)
        func arrive() async throws {
            environment.transport.release()
            try await Self.waitUntilApplied(sdk)
        }
        if arrival == .beforeSuperProperties { try await arrive() }
        #expect(Self.names(environment) == [])
        sdk.registerSuperProperties(["platform": "iOS"])
        if arrival == .afterSuperProperties { try await arrive() }
        #expect(Self.names(environment) == [])
        if arrival == .afterFirstEvent {
            sdk.track("Tap")
            try await arrive()
        }
        environment.clock.advance(by: .milliseconds(100))
        try await Deadline.wait(while: !Self.names(environment).contains("_app_start"))
        if arrival == .afterLaunch { try await arrive() }
        try await Deadline.wait(while: !Self.names(environment).contains(Self.changed))
        #expect(
            Self.names(environment) == ["_app_start"] + (arrival == .afterFirstEvent ? ["Tap"] : []) + [Self.changed]
        )
        #expect(environment.recorded.allSatisfy { $0.context["global"]?["platform"]?.string == "iOS" })
        let times = environment.recorded.map(\.event.time)
        #expect(times == times.sorted())
    }

    @Test(arguments: End.allCases)
    func `a process that ends during its launch loses no change`(_ end: End) async throws {
        let environment = Self.environment(#""event_blacklist":["Scroll"]"#)
        let sdk = try Self.start(in: environment)
        environment.transport.release()
        try await Self.waitUntilApplied(sdk)
        if end == .shutdown {
            await sdk.analytics.shutdown(timeout: .zero)
            try await Self.waitUntilSaved(environment)
        }
        let next = environment.nextProcess()
        next.clock.advance(by: .seconds(1))
        let restarted = try Self.start(in: next)
        restarted.registerSuperProperties(["platform": "iOS"])
        try await Self.waitUntilApplied(restarted)
        restarted.track("Tap")
        try await Deadline.wait(while: !Self.names(next).contains(Self.changed))
        #expect(Self.names(next).filter { $0 == Self.changed }.count == 1)
        let ownEvents = next.recorded.filter { $0.context["global"]?["platform"]?.string == "iOS" }.map(\.event.name)
        #expect(ownEvents.contains("_app_start"))
    }

    @Test
    func `a saved configuration that ends the debug mode does not trigger the start`() async throws {
        let environment = Self.environment(#""disableDebugMode":true,"event_blacklist":["Scroll"]"#)
        let sdk = try Self.start(in: environment, debugMode: .andTrack)
        environment.transport.release()
        try await Self.waitUntilApplied(sdk)
        sdk.track("Tap")
        try await Self.waitUntilSaved(environment)
        let next = environment.nextProcess()
        next.clock.advance(by: .seconds(1))
        let restarted = try Self.start(in: next, debugMode: .andTrack)
        restarted.registerSuperProperties(["platform": "iOS"])
        restarted.track("Tap")
        let starts = next.recorded.filter { $0.event.name == "_app_start" }
        #expect(starts.map { $0.context["global"]?["platform"]?.string } == [nil, "iOS"])
    }
}

extension SensorsFixture {
    /// Sets the configuration that the back end sends.
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

    /// The app's ID.
    var appID: String { device.analytics?.recordedContext.app["id"]?.string ?? "" }

    /// Waits until the configuration change is recorded and saved for the next start.
    func waitUntilChangeRecorded() async throws {
        try await wait {
            !$0.device.events(named: "$AppRemoteConfigChanged").isEmpty
                && $0.device.analytics?.delivery.environment.contents(of: "sensors-analytics-remote") != nil
        }
    }

    /// Whether events are recorded, tested by recording one.
    var isRecording: Bool {
        let before = device.events(named: "Probe").count
        try? sdk.track("Probe")  // Without an SDK, nothing is recorded.
        return device.events(named: "Probe").count > before
    }

    /// Waits until the condition holds while other tasks run.
    func wait(until condition: (SensorsFixture) -> Bool) async throws {
        try await Deadline.wait(while: !condition(self))
    }
}
