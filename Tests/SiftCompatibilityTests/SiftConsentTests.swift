// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Consent with Sift calls")
struct SiftConsentTests {
    private let app = SiftApp()

    @Test
    func `the module sends without a decision, as its document says, and reports nothing`() async throws {
        let sift = try await app.launchWithAccount()
        #expect(sift.analytics?.consent == .granted)
        sift.addEventQueue("q", config: SiftQueueConfig())
        #expect(sift.append(SiftEvent(type: "early"), toQueue: "q"))
        await sift.deliverAll()
        #expect(try app.types == ["early"])
        #expect(!app.diagnostics.contains { $0.code == .consentNotChosen })
    }

    @Test
    func `a refusal stops appending and uploading, and a later consent allows them again`() async throws {
        let sift = try await app.launchWithAccount()
        let analytics = try #require(sift.analytics)
        sift.addEventQueue("q", config: SiftQueueConfig(uploadWhenMoreThan: -1))
        #expect(sift.append(SiftEvent(type: "early"), toQueue: "q"))
        analytics.setConsent(.denied)
        #expect(!sift.append(SiftEvent(type: "refused"), toQueue: "q"))
        sift.resume()
        await sift.deliverAll()
        #expect(app.network.requests.isEmpty)
        analytics.setConsent(.granted)
        #expect(sift.append(SiftEvent(type: "allowed"), toQueue: "q"))
        #expect(sift.upload(true))
        await sift.deliverAll()
        // Events recorded before the refusal stay withdrawn, and this format has no event for decisions.
        #expect(try app.types == ["allowed"])
    }
}
