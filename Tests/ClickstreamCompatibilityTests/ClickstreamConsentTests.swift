// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import ClickstreamCompatibility

@Suite("Consent with Clickstream calls")
struct ClickstreamConsentTests {
    private let app = ClickstreamApp()

    private func started() throws -> (core: ClickstreamCore, analytics: Analytics) {
        let core = app.core()
        try core.start(
            ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect")
                .withCompressEvents(false)
        )
        return (core, try #require(app.analytics))
    }

    @Test
    func `the module sends without a decision, as its document says, and reports nothing`() async throws {
        let (core, analytics) = try started()
        #expect(analytics.consent == .granted)
        core.record("early", [:], [])
        #expect(try await app.sent("early").count == 1)
        #expect(!app.diagnostics.contains { $0.code == .consentNotChosen })
    }

    @Test
    func `a refusal stops the module's calls, and a later consent allows them again`() async throws {
        let (core, analytics) = try started()
        analytics.setConsent(.denied)
        core.record("refused", [:], [])
        core.addUserAttributes(["age": 21])
        await analytics.delivery.control.waitUntilIdle()
        #expect(try await app.sent().isEmpty)
        analytics.setConsent(.granted)
        core.record("allowed", [:], [])
        // The format has no event for decisions.
        #expect(try await app.sent().map(\.name).filter { !$0.hasPrefix("_") || $0 == "_consent" } == ["allowed"])
        #expect(analytics.consentLog.map(\.decision) == [.denied, .granted])
    }

    @Test
    func `disabling and enabling the module does not change a refusal`() async throws {
        let (core, analytics) = try started()
        analytics.setConsent(.denied)
        core.disable()
        core.enable()
        core.record("refused", [:], [])
        #expect(try await app.sent().isEmpty)
        #expect(analytics.consent == .denied)
    }
}
