// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Consent of users who share a device")
struct ConsentUserTests {
    private static func pending(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.privacy.consent = .pending
        change(&configuration)
        return configuration
    }

    @Test
    func `events recorded before sign-in belong to the user and are sent when the user consents`() async throws {
        let memory = try InMemoryAnalytics(Self.pending())
        memory.analytics.record("before")
        memory.analytics.identify("ann")
        memory.analytics.record("after")
        memory.analytics.setConsent(.granted, category: nil, scope: .person)
        try await memory.waitUntilSettled("collector")
        #expect(memory.delivered == ["before", "after"])
        #expect(memory.analytics.ledger().isBalanced)
    }

    @Test
    func `anonymous events that are kept separate are dropped as undecided when the user consents`() async throws {
        let memory = try InMemoryAnalytics(Self.pending { $0.privacy.anonymousEventPolicy = .keepSeparate })
        memory.analytics.record("before")
        memory.analytics.identify("ann")
        memory.analytics.record("after")
        memory.analytics.setConsent(.granted, category: nil, scope: .person)
        try await memory.waitUntilSettled("collector")
        #expect(memory.delivered == ["after"])
        #expect(memory.analytics.ledger().destinations["collector"]?.dropped[.consentUndecided] == 1)
    }

    @Test(arguments: [AnonymousEventPolicy.mergeIntoUser, .keepSeparate])
    func `anonymous events are marked if the app keeps them separate from the next user's`(
        _ policy: AnonymousEventPolicy
    ) async throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.privacy.anonymousEventPolicy = policy
        let memory = try InMemoryAnalytics(configuration)
        memory.analytics.record("before")
        memory.analytics.identify("ann")
        memory.analytics.record("signed_in")
        memory.analytics.signOut()
        memory.analytics.record("after")
        try await memory.waitUntilSettled("collector")
        let isSeparate = Dictionary(
            memory.transport.delivered.map { ($0.event.name, $0.context["user"]?["separate"]?.boolean ?? false) }
        ) { first, _ in first }
        let expected = policy == .keepSeparate
        #expect(isSeparate["before"] == expected && isSeparate["after"] == expected)
        #expect(isSeparate["signed_in"] == false)
    }

    @Test
    func `events of a former user who consented are sent while the current user is undecided, even after a kill`()
        async throws
    {
        let memory = try InMemoryAnalytics(Self.pending())
        memory.transport.hold()
        memory.analytics.identify("ann")
        memory.analytics.setConsent(.granted, category: nil, scope: .person)
        memory.analytics.record("of_ann")
        memory.analytics.identify("bob")
        memory.analytics.record("of_bob")
        #expect(memory.analytics.consent == .pending)
        let next = try InMemoryAnalytics(Self.pending(), storage: memory.storageAfterKill(), clock: memory.clock)
        try await Deadline.wait(while: !next.delivered.contains("of_ann")) { next.clock.advanceToNextSleeper() }
        #expect(!next.delivered.contains("of_bob"))
        #expect(next.analytics.record("more_of_bob").durability == .kernel)
        next.analytics.setConsent(.granted, category: nil, scope: .person)
        try await next.waitUntilSettled("collector")
        // Two processes recorded these events, and their relative order is not guaranteed.
        #expect(next.delivered.sorted() == ["more_of_bob", "of_ann", "of_bob"])
        memory.transport.release()
    }

    @Test
    func `a former user's missing decision does not hold back events of users who consented`() async throws {
        let memory = try InMemoryAnalytics(Self.pending())
        memory.analytics.identify("ann")
        memory.analytics.record("of_ann")
        memory.analytics.identify("bob")
        memory.analytics.record("of_bob")
        memory.analytics.setConsent(.granted, category: nil, scope: .person)
        try await memory.waitUntilSettled("collector")
        #expect(memory.delivered == ["of_bob"])
        let dropped = try #require(memory.analytics.ledger().destinations["collector"]?.dropped)
        #expect(Set(dropped.keys) == [.consentUndecided])
        #expect(memory.analytics.ledger().isBalanced)
    }

    @Test
    func `denied consent stops recording and sending for that user only`() async throws {
        let memory = try InMemoryAnalytics()
        memory.transport.always(.status(503))
        memory.analytics.record("of_nobody")
        memory.analytics.identify("ann")
        memory.analytics.record("of_ann")
        memory.analytics.setConsent(.denied, category: nil, scope: .person)
        #expect(memory.analytics.record("refused").dropped == .consentDenied)
        memory.analytics.identify("bob")
        memory.analytics.identify("ann")
        #expect(memory.analytics.record("refused_again").dropped == .consentDenied)
        memory.analytics.signOut()
        memory.analytics.record("of_somebody")
        memory.analytics.identify("bob")
        memory.analytics.record("of_bob")
        memory.transport.always(.accept)
        try await memory.waitUntilSettled("collector")
        // Events recorded before the sign-in belong to ann, so they are not delivered.
        #expect(memory.delivered == ["of_somebody", "of_bob"])
        #expect(memory.analytics.ledger().destinations["collector"]?.dropped[.consentDenied] ?? 0 >= 2)
        #expect(memory.analytics.ledger().isBalanced)
    }
}

extension InMemoryAnalytics {
    /// The delivered events of the app, in order.
    fileprivate var delivered: [String] { transport.delivered.map(\.event.name).filter { !$0.hasPrefix("_") } }

    /// Waits until a destination has no pending events.
    fileprivate func waitUntilSettled(_ destination: DestinationID) async throws {
        try await Deadline.wait(while: analytics.ledger().destinations[destination]?.pending != 0) {
            _ = await analytics.flush(timeout: .zero)
            clock.advanceToNextSleeper()
        }
    }
}
