// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClickstreamCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

// The static calls use one shared instance, so these tests and the document's samples run one after another.
extension DocumentSampleTests {
    @Suite("Testing an app that uses the static calls")
    struct TestEnvironment {
        private static var configuration: ClickstreamConfiguration {
            ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect")
        }

        @Test
        func `a test provides the clock, network and disk, and the next process reads the state of the previous one`()
            async throws
        {
            let environment = InMemoryEnvironment()
            ClickstreamAnalytics.startOver { $0.run(in: environment) }
            defer { ClickstreamAnalytics.startOver() }
            #expect(ClickstreamAnalytics.analytics == nil)
            try ClickstreamAnalytics.initSDK(Self.configuration)
            environment.clock.advance(by: .seconds(5))
            let now = environment.clock.now().wall
            ClickstreamAnalytics.recordEvent("checkout", ["value": 99.9])
            let recorded = try #require(environment.recorded.first { $0.event.name == "checkout" })
            #expect(recorded.event.time == now)
            ClickstreamAnalytics.setUserId("carl")
            ClickstreamAnalytics.flushEvents()
            await environment.transport.untilRequested(1)
            #expect(environment.transport.requests.allSatisfy { $0.url.hasPrefix("https://example.com/collect?") })
            try ClickstreamAnalytics.initSDK(Self.configuration)
            #expect(environment.diagnostics.map(\.code).contains(.initializedTwice))

            let next = environment.nextProcess()
            ClickstreamAnalytics.startOver { $0.run(in: next) }
            ClickstreamAnalytics.recordEvent("too early")
            #expect(throws: ClickstreamError.self) { try ClickstreamAnalytics.getClickstreamConfiguration() }
            try ClickstreamAnalytics.initSDK(Self.configuration)
            #expect(next.diagnostics.map(\.code).contains(.calledBeforeInitialization))
            #expect(ClickstreamAnalytics.analytics?.userID == "carl")
            #expect(next.recorded.contains { $0.event.name == "checkout" })
            #expect(!next.recorded.contains { $0.event.name == "too early" })
        }

        @Test
        func `the test's configuration changes are applied last at each start`() throws {
            let environment = InMemoryEnvironment()
            ClickstreamAnalytics.startOver {
                $0.run(in: environment)
                $0.sessions.timeout = .seconds(7)
                $0.appBuild = "381"
            }
            defer { ClickstreamAnalytics.startOver() }
            try ClickstreamAnalytics.initSDK(Self.configuration.withLogEvents(true).withSessionTimeoutDuration(9))
            ClickstreamAnalytics.recordEvent("checkout")
            #expect(environment.log.contains { $0.hasPrefix("EventRecorder") && $0.contains("checkout") })
            #expect(ClickstreamAnalytics.analytics?.recordedContext.app["build"] == "381")
        }

        @Test
        func `a simulated device runs the app's lifecycle`() async throws {
            let device = SimulatedDevice { onDevice in
                ClickstreamAnalytics.startOver(onDevice)
                do {
                    try ClickstreamAnalytics.initSDK(Self.configuration)
                } catch {
                    Issue.record(error)
                }
                return ClickstreamAnalytics.analytics
            }
            defer { ClickstreamAnalytics.startOver() }
            try await device.launch()
            ClickstreamAnalytics.recordEvent("checkout")
            device.wait(.seconds(20))
            try await device.goHome()
            try device.kill()
            try await device.launch()
            #expect(device.events(named: "checkout").count == 1)
            #expect(device.events(named: "_first_open").count == 1)
            #expect(device.events(named: "_app_start").count == 2)
        }
    }
}
