// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Consent with Sensors Analytics calls")
struct SensorsConsentTests {
    @Test
    func `the module sends without a decision, as its document says, and reports nothing`() async throws {
        let fixture = try await SensorsFixture.launched()
        #expect(fixture.device.analytics?.consent == .granted)
        try fixture.sdk.track("Tap")
        #expect(try await fixture.received().map(\.event) == ["Tap"])
        #expect(!fixture.device.diagnostics.contains { $0.code == .consentNotChosen })
    }

    @Test
    func `a refusal stops the module's calls, and a later consent allows them again`() async throws {
        let fixture = try await SensorsFixture.launched()
        let analytics = try #require(fixture.device.analytics)
        analytics.setConsent(.denied)
        try fixture.sdk.track("Refused")
        try fixture.sdk.login("ann")
        await analytics.delivery.control.waitUntilIdle()
        #expect(try await fixture.received().isEmpty)
        analytics.setConsent(.granted)
        try fixture.sdk.track("Allowed")
        #expect(try await fixture.received().map(\.event) == ["Allowed"])
    }

    @Test
    func `disableSDK and enableSDK change no decision`() async throws {
        let fixture = try await SensorsFixture.launched()
        let analytics = try #require(fixture.device.analytics)
        try fixture.sdk.disable()
        #expect(analytics.consent == .granted && analytics.consentLog.isEmpty)
        try fixture.sdk.track("Disabled")
        try fixture.sdk.enable()
        try fixture.sdk.track("Enabled")
        #expect(try await fixture.received().map(\.event) == ["$AppDataTrackingClose", "Enabled"])
        analytics.setConsent(.denied)
        try fixture.sdk.disable()
        try fixture.sdk.enable()
        try fixture.sdk.track("Refused")
        #expect(try await fixture.received().count == 2)
        #expect(analytics.consent == .denied)
    }
}
