// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayDestinationKit
import TrackwayTesting

@Suite("Consent and enabling")
struct ConsentTests {
    private static func pending() -> Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.privacy.consent = .pending
        return configuration
    }

    @Test
    func `pending consent keeps events unsent, and granting consent sends them`() async throws {
        let memory = try InMemoryAnalytics(Self.pending())
        memory.analytics.record("early")
        let report = await memory.analytics.flush()
        #expect(report.destinations["collector"]?.pending == 1)
        #expect(memory.transport.requests.isEmpty)
        memory.analytics.setConsent(.granted)
        try await memory.waitUntilDelivered(2)
        #expect(memory.transport.delivered(named: "early").count == 1)
    }

    @Test
    func `denied consent stops recording, and drops and counts pending events`() async throws {
        let memory = try InMemoryAnalytics(Self.pending())
        memory.analytics.record("one")
        memory.analytics.record("two")
        memory.analytics.setConsent(.denied)
        let receipt = memory.analytics.record("three")
        #expect(receipt.durability == .none)
        #expect(receipt.dropped == .consentDenied)
        #expect(memory.events(named: "three").isEmpty)
        try await memory.waitForPipeline()
        let ledger = memory.analytics.ledger()
        #expect(ledger.recorded == 2)
        #expect(ledger.destinations["collector"]?.dropped == [.consentDenied: 2])
        #expect(ledger.destinations["collector"]?.pending == 0)
        #expect(ledger.isBalanced)
        #expect(memory.transport.requests.isEmpty)
    }

    @Test
    func `denying consent cancels the request in flight, sends no other, and drops the pending events`() async throws {
        let memory = try InMemoryAnalytics()
        memory.transport.hold()
        memory.analytics.record("one")
        let flush = Task { await memory.analytics.flush() }
        await memory.transport.untilRequested(1)
        memory.analytics.setConsent(.denied)
        try await memory.waitForPipeline()
        memory.transport.release()
        _ = await flush.value
        #expect(memory.transport.requests.count == 1)
        #expect(memory.transport.delivered.isEmpty)
        let account = try #require(memory.analytics.ledger().destinations["collector"])
        #expect(account.dropped == [.consentDenied: 1])
        #expect(account.isBalanced)
    }

    @Test
    func `granting consent after denying it records and sends only later events`() async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.setConsent(.denied)
        memory.analytics.record("refused")
        try await memory.waitForPipeline()
        memory.analytics.setConsent(.granted)
        memory.analytics.record("allowed")
        let report = await memory.analytics.flush()
        #expect(report.isComplete)
        #expect(memory.transport.delivered.map(\.event.name) == ["_consent", "allowed"])
    }

    @Test(arguments: Consent.allCases)
    func `a decision survives a kill and overrides the configuration`(consent: Consent) throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.setConsent(consent)
        let next = try InMemoryAnalytics(Self.pending(), storage: memory.storageAfterKill())
        #expect(next.analytics.consent == consent)
    }

    @Test(arguments: Consent.allCases)
    func `a decision survives power loss once the disk has flushed`(consent: Consent) async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.setConsent(consent)
        await memory.waitUntilStorageIsIdle()
        let next = try InMemoryAnalytics(Self.pending(), storage: memory.storageAfterPowerLoss())
        #expect(next.analytics.consent == consent)
    }

    @Test
    func `events that a denial could not drop before a kill are dropped on the next start`() async throws {
        let memory = try InMemoryAnalytics(Self.pending())
        memory.analytics.record("one")
        // The denial is written, but the process dies before anything is dropped.
        let disk = memory.storageAfterKill()
        try disk.replace(
            memory.folder + "/settings",
            with: Array(#"{"version":1,"consent":"denied"}"#.utf8),
            durably: true
        )
        let next = try InMemoryAnalytics(storage: disk)
        try await next.waitForPipeline()
        let ledger = next.analytics.ledger()
        #expect(ledger.destinations["collector"]?.dropped == [.consentDenied: 1])
        #expect(ledger.isBalanced)
    }

    @Test
    func `denying consent in one process stops the other process before its next request`() async throws {
        let clock = ManualClock()
        let first = try InMemoryAnalytics(clock: clock)
        // After its first delivery, the first process is the one that delivers.
        first.analytics.record("before")
        _ = await first.analytics.flush()
        let second = try InMemoryAnalytics(storage: first.storage, clock: clock)
        second.analytics.record("from_second")
        first.analytics.record("from_first")
        second.analytics.setConsent(.denied)
        _ = await first.analytics.flush()
        try await first.waitForPipeline()
        #expect(first.analytics.consent == .denied)
        #expect(first.transport.delivered.map(\.event.name) == ["before"])
        #expect(second.transport.delivered.isEmpty)
        #expect(first.analytics.record("more").dropped == .consentDenied)
    }

    @Test
    func `disabling stops recording and sending and keeps pending events, and enabling resumes both`() async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("kept")
        memory.analytics.isEnabled = false
        let receipt = memory.analytics.record("refused")
        #expect(receipt.durability == .none)
        #expect(receipt.dropped == .disabled)
        _ = await memory.analytics.flush()
        #expect(memory.transport.requests.isEmpty)
        memory.analytics.isEnabled = true
        memory.analytics.record("after")
        try await memory.waitForPipeline(sending: true)
        let report = await memory.analytics.flush()
        #expect(report.isComplete)
        #expect(memory.transport.delivered.map(\.event.name) == ["kept", "after"])
    }

    @Test
    func `the disabled state survives a kill`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.isEnabled = false
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        #expect(!next.analytics.isEnabled)
        #expect(next.analytics.record("refused").durability == .none)
        next.analytics.isEnabled = true
        let last = try InMemoryAnalytics(storage: next.storageAfterKill())
        #expect(last.analytics.isEnabled)
    }

    @Test(arguments: ["", "{", #"{"consent":"maybe"}"#, "[]"])
    func `damaged settings stop sending until consent is decided again`(content: String) async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("waiting")
        let disk = memory.storageAfterKill()
        try disk.replace(memory.folder + "/settings", with: Array(content.utf8), durably: true)
        let next = try InMemoryAnalytics(storage: disk)
        #expect(next.diagnostics.map(\.code) == [.settingsDamaged])
        #expect(next.analytics.consent == .pending)
        _ = await next.analytics.flush()
        #expect(next.transport.requests.isEmpty)
        next.analytics.setConsent(.granted)
        try await next.waitUntilDelivered(1)
    }

    @Test
    func `a decision that cannot be written applies in this process, is reported, and is written with the next change`()
        throws
    {
        let memory = try InMemoryAnalytics()
        memory.storage.fail(.replace, with: .noSpace, paths: "/settings")
        memory.analytics.setConsent(.denied)
        #expect(memory.analytics.record("refused").dropped == .consentDenied)
        #expect(memory.diagnostics.map(\.code).contains(.settingsNotSaved))
        memory.storage.clearFaults()
        memory.analytics.identify("ann")
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        #expect(next.analytics.consent == .denied)
    }
}
