// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDelivery
import TrackwayDestinationKit
import TrackwayTesting

@testable import Trackway

@Suite("A last delivery before a decision")
struct LastDeliveryTests {
    private static let offline = TransportError(.refused, "no network")

    /// Denies consent after a flush, and advances the clock while it waits.
    private static func withdraw(
        _ memory: InMemoryAnalytics,
        _ consent: Consent = .denied,
        scope: ConsentScope = .device,
        timeout: Duration = .seconds(5)
    ) async -> FlushReport {
        let analytics = memory.analytics
        return await memory.environment.advancing(analytics) {
            await analytics.setConsent(consent, scope: scope, source: "settings", after: .flush(timeout: timeout))
        }
    }

    private static func decisions(_ memory: InMemoryAnalytics) -> [String] {
        memory.transport.delivered(named: "_consent").compactMap {
            $0.attributes[CapturedKey.consentDecision]?.string
        }
    }

    @Test(arguments: [ConsentScope.device, .person])
    func `pending events, an opt-out event and the refusal are sent, and then nothing`(scope: ConsentScope) async throws
    {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("early")
        memory.analytics.record("opted_out")
        let report = await Self.withdraw(memory, scope: scope)
        #expect(report.isComplete)
        #expect(memory.analytics.consent == .denied)
        #expect(memory.transport.delivered.map(\.event.name) == ["early", "opted_out", "_consent"])
        #expect(Self.decisions(memory) == ["denied"])
        #expect(memory.analytics.record("later").dropped == .consentDenied)
        let count = memory.transport.requests.count
        _ = await memory.environment.flush(memory.analytics)
        #expect(memory.transport.requests.count == count)
        #expect(memory.analytics.storage.settings.current.scheduledConsents.isEmpty)
        #expect(memory.analytics.consentLog.map(\.decision) == [.denied])
    }

    @Test
    func `from the call on, nothing is recorded, while pending events are still sent`() async throws {
        let memory = try InMemoryAnalytics()
        memory.transport.hold()
        memory.analytics.record("early")
        let analytics = memory.analytics
        let withdrawal = Task { await analytics.setConsent(.denied, after: .flush(timeout: .seconds(5))) }
        await memory.transport.untilRequested(1)
        #expect(analytics.consent == .denied)
        #expect(analytics.record("late").dropped == .consentDenied)
        memory.transport.release()
        _ = await withdrawal.value
        #expect(memory.transport.delivered.map(\.event.name) == ["early", "_consent"])
        #expect(analytics.ledger().isBalanced)
    }

    @Test
    func `without a network, the refusal applies after the timeout, and drops and counts what was not sent`()
        async throws
    {
        let memory = try InMemoryAnalytics()
        memory.transport.always(.fail(Self.offline))
        memory.analytics.record("early")
        let report = await Self.withdraw(memory, timeout: .milliseconds(200))
        let part = try #require(report.destinations["collector"])
        #expect(part.pending == 2 && part.pendingReason?.contains("no network") == true)
        #expect(memory.analytics.consent == .denied)
        try await memory.waitForPipeline()
        memory.transport.always(.accept)
        _ = await memory.environment.flush(memory.analytics)
        #expect(memory.transport.delivered.isEmpty)
        let account = try #require(memory.analytics.ledger().destinations["collector"])
        #expect(account.dropped == [.consentDenied: 2] && account.isBalanced)
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .seconds(Int64.max)])
    func `an extreme timeout neither traps nor hangs`(timeout: Duration) async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("early")
        _ = await Self.withdraw(memory, timeout: timeout)
        #expect(memory.analytics.consent == .denied)
        try await memory.waitForPipeline()
        #expect(memory.analytics.ledger().isBalanced)
    }

    @Test
    func `a process killed during the delivery applies the refusal at its next start`() async throws {
        let memory = try InMemoryAnalytics()
        memory.transport.hold()
        memory.analytics.record("early")
        let analytics = memory.analytics
        let withdrawal = Task { await analytics.setConsent(.denied, source: "settings", after: .flush()) }
        await memory.transport.untilRequested(1)
        let disk = memory.storageAfterKill()
        memory.transport.release()
        _ = await withdrawal.value

        let next = try InMemoryAnalytics(storage: disk)
        #expect(next.analytics.consent == .denied)
        #expect(next.analytics.record("later").dropped == .consentDenied)
        try await next.waitForPipeline()
        #expect(next.transport.requests.isEmpty)
        let account = try #require(next.analytics.ledger().destinations["collector"])
        #expect(account.pending == 0 && account.dropped == [.consentDenied: 2])
        #expect(next.analytics.storage.settings.current.scheduledConsents.isEmpty)
        #expect(next.analytics.consentLog.map(\.source) == ["settings"])
    }

    @Test
    func `a later decision replaces the scheduled one`() async throws {
        let memory = try InMemoryAnalytics()
        memory.transport.hold()
        memory.analytics.record("early")
        let analytics = memory.analytics
        let withdrawal = Task { await analytics.setConsent(.denied, after: .flush()) }
        await memory.transport.untilRequested(1)
        analytics.setConsent(.granted)
        #expect(analytics.consent == .granted)
        analytics.record("late")
        memory.transport.release()
        _ = await withdrawal.value
        #expect(analytics.consent == .granted)
        #expect(await memory.environment.flush(analytics).isComplete)
        #expect(memory.transport.delivered.map(\.event.name) == ["early", "_consent", "_consent", "late"])
        #expect(Self.decisions(memory) == ["denied", "granted"])
    }

    @Test
    func `a person who refuses and signs out during the delivery has refused, and the next one has not`() async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.identify("ann")
        memory.transport.hold()
        memory.analytics.record("early")
        let analytics = memory.analytics
        let withdrawal = Task { await analytics.setConsent(.denied, scope: .person, after: .flush()) }
        await memory.transport.untilRequested(1)
        #expect(analytics.consent == .denied)
        analytics.signOut()
        #expect(analytics.consent == .granted)
        memory.transport.release()
        _ = await withdrawal.value
        #expect(analytics.consent == .granted)
        analytics.identify("ann")
        #expect(analytics.consent == .denied)
    }

    @Test
    func `while consent is pending, nothing is sent, and the refusal applies immediately`() async throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.privacy.consent = .pending
        let memory = try InMemoryAnalytics(configuration)
        memory.analytics.record("early")
        let report = await Self.withdraw(memory)
        #expect(report.destinations["collector"]?.pendingReason?.hasPrefix("Consent is denied") == true)
        try await memory.waitForPipeline()
        #expect(memory.transport.requests.isEmpty)
        #expect(memory.analytics.ledger().destinations["collector"]?.dropped == [.consentDenied: 2])
    }

    @Test
    func `a canceled task ends the delivery, and the refusal applies`() async throws {
        let memory = try InMemoryAnalytics()
        memory.transport.hold()
        memory.analytics.record("early")
        let analytics = memory.analytics
        let withdrawal = Task { await analytics.setConsent(.denied, after: .flush(timeout: .seconds(3600))) }
        await memory.transport.untilRequested(1)
        withdrawal.cancel()
        _ = await withdrawal.value
        #expect(analytics.consent == .denied)
        memory.transport.release()
        try await memory.waitForPipeline()
        #expect(analytics.ledger().isBalanced)
    }

    @Test
    func `many withdrawals at once end in one refusal`() async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("early")
        let analytics = memory.analytics
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    await analytics.setConsent(
                        .denied,
                        category: ConsentCategory(rawValue: "\(number % 20)"),
                        after: .flush(timeout: .seconds(1))
                    )
                }
            }
        }
        for number in 0..<20 {
            #expect(analytics.consent(for: ConsentCategory(rawValue: "\(number)")) == .denied)
        }
        #expect(analytics.storage.settings.current.scheduledConsents.isEmpty)
        #expect(analytics.consent == .granted)
    }

    @Test
    func `another process applies a refusal that its process could not apply in time`() async throws {
        let first = try InMemoryAnalytics()
        first.analytics.record("early")
        _ = await first.analytics.flush()
        let second = try InMemoryAnalytics(storage: first.storage, clock: first.clock)
        // As after a kill of the second process during its last delivery.
        second.analytics.lifecycle.identity.schedule(
            ConsentRecord(time: second.clock.now().wall, decision: .denied, scope: .device),
            id: "killed",
            within: .seconds(5)
        )
        first.analytics.record("from_first")
        first.clock.advance(by: .seconds(600))
        _ = await first.environment.flush(first.analytics)
        try await first.waitForPipeline()
        #expect(first.analytics.consent == .denied)
        #expect(first.transport.delivered.map(\.event.name) == ["early"])
        #expect(first.analytics.ledger().destinations["collector"]?.pending == 0)
    }
}
