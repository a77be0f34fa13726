// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

@Suite("Consent with SAP Usage calls")
struct UsageConsentTests {
    private let app = UsageApp()

    private func configured() throws -> UsageStore {
        let store = try app.store(of: UsageApp.userID)
        app.usage.configure(with: store)
        app.usage.enableDataCollection()
        return store
    }

    @Test
    func `reports are stored without a decision, and nothing is reported`() throws {
        let store = try configured()
        app.usage.consentForUser(UsageApp.userID, given: true)
        app.usage.reporter().report(app.start())
        app.usage.reporter().report(.event("early"))
        #expect(app.events(store).contains { $0.contains("early") })
        #expect(!app.codes.contains("consent_not_chosen"))
    }

    @Test
    func `consent and its withdrawal reach the store's analytics, and add no reports`() throws {
        let store = try configured()
        app.usage.consentForUser(UsageApp.userID, given: true)
        let analytics = store.core.analytics
        #expect(analytics.consent == .granted)
        app.usage.reporter().report(app.start())
        app.usage.consentForUser(UsageApp.userID, given: false)
        #expect(analytics.consent == .denied && analytics.consentLog.last?.decision == .denied)
        app.usage.reporter().report(.event("refused"))
        #expect(app.events(store).isEmpty)
        app.usage.consentForUser(UsageApp.userID, given: true)
        #expect(analytics.consent == .granted && analytics.consentLog.last?.decision == .granted)
        #expect(app.events(store).isEmpty)
    }
}
