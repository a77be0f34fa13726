// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Consent updates")
struct ConsentUpdatesTests {
    @Test
    func `the sequence starts with the current consent and reports each change`() async throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.privacy.consent = .pending
        let memory = try InMemoryAnalytics(configuration)
        var updates = memory.analytics.consentUpdates.makeAsyncIterator()
        #expect(await updates.next() == .pending)
        memory.analytics.setConsent(.granted)
        #expect(await updates.next() == .granted)
        // Repeating the decision or deciding for another category changes nothing.
        memory.analytics.setConsent(.granted)
        memory.analytics.setConsent(.denied, category: "advertising")
        memory.analytics.setConsent(.denied)
        #expect(await updates.next() == .denied)
        memory.analytics.setConsent(nil)
        #expect(await updates.next() == .pending)
    }

    @Test
    func `a user's own decision applies while that user is signed in`() async throws {
        let memory = try InMemoryAnalytics()
        var updates = memory.analytics.consentUpdates.makeAsyncIterator()
        #expect(await updates.next() == .granted)
        memory.analytics.identify("carl")
        memory.analytics.setConsent(.denied, scope: .person)
        #expect(await updates.next() == .denied)
        memory.analytics.signOut()
        #expect(await updates.next() == .granted)
        memory.analytics.identify("carl")
        #expect(await updates.next() == .denied)
    }

    @Test
    func `a slow subscriber gets the latest consent, independently of other subscribers`() async throws {
        let memory = try InMemoryAnalytics()
        var (first, second) = (
            memory.analytics.consentUpdates.makeAsyncIterator(), memory.analytics.consentUpdates.makeAsyncIterator()
        )
        #expect(await second.next() == .granted)
        for consent in [Consent.denied, .pending, .denied, .pending] { memory.analytics.setConsent(consent) }
        #expect(await first.next() == .pending)
        #expect(await second.next() == .pending)
    }

    @Test
    func `the sequence ends when the instance is released`() async throws {
        var memory: InMemoryAnalytics? = try InMemoryAnalytics()
        var updates = try #require(memory).analytics.consentUpdates.makeAsyncIterator()
        #expect(await updates.next() == .granted)
        memory = nil
        #expect(await updates.next() == nil)
    }
}
