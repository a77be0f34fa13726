// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import SensorsAnalyticsCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

/// The tests use the process's shared instance, so they run one after another.
@Suite("Testing an app that uses the shared instance", .serialized)
struct SensorsTestEnvironmentTests {
    private static func start(enableLog: Bool = false) {
        let options = SAConfigOptions(serverURL: SensorsFixture.serverURL, launchOptions: nil)
        options.autoTrackEventType = [.eventTypeAppStart, .eventTypeAppEnd]
        options.enableLog = enableLog
        options.configure = { $0.appBuild = "7" }
        SensorsAnalyticsSDK.start(configOptions: options)
    }

    @Test
    func `a test provides the clock, network and disk, and the next process reads the state of the previous one`()
        async throws
    {
        let environment = InMemoryEnvironment()
        SensorsAnalyticsSDK.startOver { $0.run(in: environment) }
        defer { SensorsAnalyticsSDK.startOver() }
        #expect(SensorsAnalyticsSDK.sharedInstance() == nil)
        Self.start()
        let sdk = try #require(SensorsAnalyticsSDK.sharedInstance())
        Self.start()
        #expect(SensorsAnalyticsSDK.sharedInstance() === sdk)
        environment.clock.advance(by: .seconds(5))
        let now = environment.clock.now().wall
        sdk.track("ViewProduct", withProperties: ["price": 38.5])
        let recorded = try #require(environment.recorded.first { $0.event.name == "ViewProduct" })
        #expect(recorded.event.time == now)
        sdk.login("carl")
        sdk.flush()
        // The SDK's own requests to the back end use the same network.
        await environment.transport.untilRequested(2)
        #expect(environment.transport.requests.allSatisfy { $0.url.hasPrefix("https://sa.test/") })

        let next = environment.nextProcess()
        SensorsAnalyticsSDK.startOver { $0.run(in: next) }
        #expect(SensorsAnalyticsSDK.sharedInstance() == nil)
        Self.start()
        let restarted = try #require(SensorsAnalyticsSDK.sharedInstance())
        #expect(restarted !== sdk)
        #expect(restarted.analytics.userID == "carl")
        #expect(next.recorded.contains { $0.event.name == "ViewProduct" })
    }

    @Test
    func `the test's configuration changes are applied last, and the log shows events at the test's time`() throws {
        let environment = InMemoryEnvironment()
        SensorsAnalyticsSDK.startOver {
            #expect($0.appBuild == "7")
            $0.run(in: environment)
            $0.appBuild = "381"
        }
        defer { SensorsAnalyticsSDK.startOver() }
        environment.clock.advance(by: .seconds(5))
        Self.start(enableLog: true)
        let sdk = try #require(SensorsAnalyticsSDK.sharedInstance())
        sdk.track("ViewProduct")
        #expect(sdk.analytics.recordedContext.app["build"] == "381")
        let line = try #require(environment.log.first { $0.contains("ViewProduct") })
        #expect(line.contains("\"_flush_time\":\(environment.clock.now().wall.milliseconds)"))
    }

    @Test
    func `a failed start is reported in the environment, and the next one may succeed`() throws {
        let environment = InMemoryEnvironment()
        SensorsAnalyticsSDK.startOver {
            $0.run(in: environment)
            $0.storage.maximumBytes = environment.diagnostics.isEmpty ? 0 : 1_000_000
        }
        defer { SensorsAnalyticsSDK.startOver() }
        Self.start()
        #expect(SensorsAnalyticsSDK.sharedInstance() == nil)
        #expect(environment.diagnostics.map(\.code) == [.notStarted])
        Self.start()
        #expect(SensorsAnalyticsSDK.sharedInstance() != nil)
    }

    @Test
    func `a simulated device runs the app's lifecycle`() async throws {
        let device = SimulatedDevice { onDevice in
            SensorsAnalyticsSDK.startOver(onDevice)
            Self.start()
            return SensorsAnalyticsSDK.sharedInstance()?.analytics
        }
        defer { SensorsAnalyticsSDK.startOver() }
        try await device.launch()
        SensorsAnalyticsSDK.sharedInstance()?.track("ViewProduct")
        device.wait(.seconds(20))
        try await device.goHome()
        try device.kill()
        try await device.launch()
        #expect(device.events(named: "ViewProduct").count == 1)
        #expect(device.events(named: "_app_start").count == 2)
        #expect(device.events(named: "_app_end").count == 1)
    }
}
