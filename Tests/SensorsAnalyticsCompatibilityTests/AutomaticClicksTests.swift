// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayTesting
import TrackwayUIKit

@Suite("Automatic screens and clicks")
struct AutomaticClicksTests {
    private func sdk(_ types: SensorsAnalyticsAutoTrackEventType, isOff: Bool = false) throws -> SensorsAnalyticsSDK {
        let options = SAConfigOptions(serverURL: SensorsFixture.serverURL, launchOptions: nil)
        options.autoTrackEventType = types
        options.enableRemoteConfig = false
        options.disableSDK = isOff
        let memory = try InMemoryAnalytics(options.configuration(debugMode: .off))
        return SensorsAnalyticsSDK(memory.analytics, options)
    }

    @Test
    func `the mask selects which kinds are captured`() throws {
        #expect(
            try sdk([.eventTypeAppStart, .eventTypeAppEnd]).automaticCapture.features == AutomaticCapture.Features()
        )
        #expect(try sdk(.eventTypeAppClick).automaticCapture.features == AutomaticCapture.Features(clicks: true))
        #expect(try sdk(.eventTypeAppViewScreen).automaticCapture.features == AutomaticCapture.Features(screens: true))
        let both = AutomaticCapture.Features(screens: true, clicks: true)
        #expect(try sdk([.eventTypeAppClick, .eventTypeAppViewScreen]).automaticCapture.features == both)
    }

    @Test
    func `disabling the SDK stops automatic capture, and enabling it resumes capture`() throws {
        let sdk = try sdk(.eventTypeAppClick, isOff: true)
        #expect(sdk.automaticCapture.features == AutomaticCapture.Features())
        sdk.enable()
        #expect(sdk.automaticCapture.features == AutomaticCapture.Features(clicks: true))
        sdk.disable()
        #expect(sdk.automaticCapture.features == AutomaticCapture.Features())
    }
}
