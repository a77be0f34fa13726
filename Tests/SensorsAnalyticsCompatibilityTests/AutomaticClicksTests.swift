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

    @Test("the mask selects which kinds are captured")
    func mask() throws {
        #expect(try sdk([.eventTypeAppStart, .eventTypeAppEnd]).automatic.wish == AutomaticCapture.Wish())
        #expect(try sdk(.eventTypeAppClick).automatic.wish == AutomaticCapture.Wish(clicks: true))
        #expect(try sdk(.eventTypeAppViewScreen).automatic.wish == AutomaticCapture.Wish(screens: true))
        let both = AutomaticCapture.Wish(screens: true, clicks: true)
        #expect(try sdk([.eventTypeAppClick, .eventTypeAppViewScreen]).automatic.wish == both)
    }

    @Test("disabling the SDK stops automatic capture, and enabling it resumes capture")
    func switched() throws {
        let sdk = try sdk(.eventTypeAppClick, isOff: true)
        #expect(sdk.automatic.wish == AutomaticCapture.Wish())
        sdk.enable()
        #expect(sdk.automatic.wish == AutomaticCapture.Wish(clicks: true))
        sdk.disable()
        #expect(sdk.automatic.wish == AutomaticCapture.Wish())
    }
}
