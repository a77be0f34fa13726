// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayDestinationKit
import TrackwayTesting

@Suite("Consent by category")
struct ConsentCategoryTests {
    /// Two collectors: one for usage analytics, one for marketing.
    private static func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        var configuration = twoDestinations
        configuration.set("audit") { $0.consentCategory = .marketing }
        change(&configuration)
        return configuration
    }

    @Test
    func `a denied category's destination gets no new events, and other destinations get all of theirs`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration())
        memory.analytics.setConsent(.denied, category: .marketing)
        let receipt = memory.analytics.record("for_all")
        #expect(receipt.durability == .kernel)
        #expect(memory.events(named: "for_all").first?.route == ["collector"])
        #expect(memory.analytics.record("for_audit", to: ["audit"]).dropped == .consentDenied)
        memory.analytics.record("for_both", to: ["audit", "collector"])
        #expect(memory.events(named: "for_both").first?.route == ["collector"])
        _ = await memory.analytics.flush()
        #expect(memory.transport.delivered(to: "audit.test").isEmpty)
        #expect(memory.transport.delivered(to: "collector.test").map(\.event.name) == ["for_all", "for_both"])
        #expect(memory.analytics.consent == .granted)
        #expect(memory.analytics.consent(for: .marketing) == .denied)
        #expect(memory.analytics.ledger().isBalanced)
    }

    @Test
    func `pending events of a denied category are dropped and counted, and other categories lose nothing`() async throws
    {
        let memory = try InMemoryAnalytics(Self.configuration { $0.privacy.consent = .pending })
        memory.analytics.record("one")
        memory.analytics.record("two")
        memory.analytics.setConsent(.denied, category: .marketing)
        await memory.waitUntilStorageIsIdle()
        var ledger = memory.analytics.ledger()
        #expect(ledger.destinations["audit"]?.dropped == [.consentDenied: 2])
        // The decision is recorded, too.
        #expect(ledger.destinations["collector"]?.pending == 3)
        memory.analytics.setConsent(.granted, category: .analytics)
        try await memory.waitForPipeline(sending: true)
        _ = await memory.analytics.flush()
        ledger = memory.analytics.ledger()
        #expect(ledger.destinations["collector"]?.delivered == 4)
        #expect(ledger.destinations["audit"]?.delivered == 0)
        #expect(ledger.isBalanced)
    }

    @Test
    func `events of an undecided category wait while those of granted categories are sent`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration { $0.privacy.consent = .pending })
        memory.analytics.setConsent(.granted, category: .analytics)
        memory.analytics.record("event")
        try await memory.waitForPipeline(sending: true)
        let report = await memory.analytics.flush()
        // The decision and the event.
        #expect(report.destinations["collector"]?.delivered == 2)
        #expect(report.destinations["audit"]?.pending == 2)
        #expect(memory.transport.delivered(to: "audit.test").isEmpty)
        memory.analytics.setConsent(.granted)
        try await Deadline.wait(while: memory.transport.delivered(to: "audit.test").isEmpty) {
            _ = await memory.analytics.flush()
        }
        #expect(memory.analytics.ledger().isBalanced)
    }

    @Test
    func `denying everything stops recording, and clearing the decision resumes it`() throws {
        let memory = try InMemoryAnalytics(Self.configuration())
        memory.analytics.setConsent(.denied)
        #expect(memory.analytics.record("refused").dropped == .consentDenied)
        memory.analytics.setConsent(.granted, category: .marketing)
        memory.analytics.record("for_audit")
        #expect(memory.events(named: "for_audit").first?.route == ["audit"])
        memory.analytics.setConsent(nil, category: nil)
        memory.analytics.record("for_all")
        #expect(memory.events(named: "for_all").first?.route == [])
    }

    @Test
    func `with the keep policy, pending events survive a denial and are sent once consent is granted`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration { $0.privacy.denialPolicy = .keep })
        memory.transport.always(.fail(TransportError(.offline)))
        memory.analytics.record("before")
        memory.analytics.setConsent(.denied)
        try await memory.waitForPipeline()
        #expect(memory.analytics.record("refused").dropped == .consentDenied)
        #expect(memory.analytics.ledger().destinations["collector"]?.pending == 1)
        memory.transport.always(.accept)
        memory.analytics.setConsent(.granted)
        try await Deadline.wait(while: memory.transport.delivered(to: "collector.test").isEmpty) {
            memory.clock.advance(by: .seconds(60))
            _ = await memory.analytics.flush(timeout: .zero)
        }
        #expect(memory.transport.delivered(to: "collector.test").map(\.event.name) == ["before"])
    }

    @Test
    func `category consent applies to captured events too`() throws {
        let memory = try InMemoryAnalytics(Self.configuration { $0.capture = .standard })
        memory.analytics.setConsent(.denied, category: .marketing)
        memory.analytics.screen("Home")
        #expect(
            memory.recorded.map(\.event.name) == [
                "_consent", "_first_open", "_app_start", "_session_start", "_screen_view",
            ]
        )
        #expect(memory.recorded.allSatisfy { $0.route == ["collector"] })
    }

    @Test(arguments: Consent.allCases)
    func `the decision for each category survives a kill`(consent: Consent) throws {
        let memory = try InMemoryAnalytics(Self.configuration())
        memory.analytics.setConsent(consent, category: .marketing)
        memory.analytics.setConsent(.pending)
        let next = try InMemoryAnalytics(Self.configuration(), storage: memory.storageAfterKill())
        #expect(next.analytics.consent(for: .marketing) == consent)
        #expect(next.analytics.consent == .pending)
        next.analytics.setConsent(nil, category: .marketing)
        let last = try InMemoryAnalytics(Self.configuration(), storage: next.storageAfterKill())
        #expect(last.analytics.consent(for: .marketing) == .pending)
    }

    @Test
    func `denying a category in one process stops the other process's next request for it`() async throws {
        let clock = ManualClock()
        let first = try InMemoryAnalytics(Self.configuration(), clock: clock)
        first.analytics.record("before")
        _ = await first.analytics.flush()
        let second = try InMemoryAnalytics(Self.configuration(), storage: first.storage, clock: clock)
        first.analytics.record("waiting")
        second.analytics.setConsent(.denied, category: .marketing)
        let flush = Task { await first.analytics.flush(timeout: .seconds(3_600)) }
        while first.analytics.ledger().destinations["audit"]?.pending != 0
            || first.analytics.ledger().destinations["collector"]?.pending != 0
        {
            clock.advanceToNextSleeper()
            await Task.yield()
        }
        _ = await flush.value
        #expect(first.transport.delivered(to: "audit.test").map(\.event.name) == ["before"])
        #expect(first.transport.delivered(to: "collector.test").map(\.event.name) == ["before", "waiting"])
        #expect(first.analytics.consent(for: .marketing) == .denied)
        #expect(first.analytics.ledger().isBalanced)
    }

    @Test
    func `too many categories are reported`() throws {
        let memory = try InMemoryAnalytics(Self.configuration())
        for number in 0..<200 { memory.analytics.setConsent(.denied, category: ConsentCategory(rawValue: "\(number)")) }
        #expect(memory.diagnostics.contains { $0.code == .consentNotTaken })
        #expect(memory.analytics.consent == .granted)
        memory.analytics.setConsent(.denied, category: ConsentCategory(rawValue: ""))
        #expect(memory.analytics.record("event").durability == .kernel)
    }
}

extension ScriptedTransport {
    /// The events that arrived at a host.
    fileprivate func delivered(to host: String) -> [DeliveredEvent] {
        delivered.filter {
            $0.url.utf8.starts(with: "http://\(host)".utf8) && $0.event.name != CapturedName.consent
        }
    }
}
