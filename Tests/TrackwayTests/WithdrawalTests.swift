// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@testable import Trackway

@Suite("Withdrawal of consent")
struct WithdrawalTests {
    private static func configuration(_ consent: Consent = .pending) -> Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.privacy.consent = consent
        return configuration
    }

    private static func process(_ environment: InMemoryEnvironment, _ consent: Consent = .pending) throws -> Analytics {
        var configuration = Self.configuration(consent)
        configuration.run(in: environment)
        return try Analytics(configuration)
    }

    /// The names of the events that arrived, without records of decisions.
    private static func names(_ transport: ScriptedTransport) -> [String] {
        transport.delivered.map(\.event.name).filter { $0 != CapturedName.consent }
    }

    @Test
    func `events flushed before consent is denied arrive, and later events do not`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration(.granted))
        memory.analytics.record("opted_out")
        _ = await memory.environment.flush(memory.analytics)
        memory.analytics.setConsent(.denied)
        memory.analytics.record("later")
        _ = await memory.environment.flush(memory.analytics)
        #expect(Self.names(memory.transport) == ["opted_out"])
    }

    @Test(
        arguments: [true, false],
        ConsentScope.allCases
    )
    func `events from before a withdrawal are never sent, no matter how soon consent is granted again`(
        flushes: Bool,
        scope: ConsentScope
    ) async throws {
        let memory = try InMemoryAnalytics(Self.configuration())
        for _ in 0..<10 { memory.analytics.record("refused") }
        memory.analytics.setConsent(.denied, category: nil, scope: scope)
        memory.analytics.record("while_denied")
        if flushes { _ = await memory.environment.flush(memory.analytics) }
        memory.analytics.setConsent(.granted, category: nil, scope: scope)
        memory.analytics.record("agreed")
        _ = await memory.environment.flush(memory.analytics)
        #expect(Self.names(memory.transport) == ["agreed"])
        let account = try #require(memory.analytics.ledger().destinations["collector"])
        #expect(account.dropped == [.consentDenied: 10])
        #expect(memory.analytics.ledger().isBalanced)
    }

    @Test(arguments: [true, false])
    func `the delivering process drops events whose consent was withdrawn in another process`(flushes: Bool)
        async throws
    {
        let environment = InMemoryEnvironment()
        let first = try Self.process(environment)
        first.record("of_first")
        _ = await environment.flush(first)
        let second = try Self.process(environment)
        for _ in 0..<10 { second.record("refused") }
        second.setConsent(.denied)
        if flushes {
            let report = await environment.flush(second)
            #expect(report.destinations["collector"] != nil)
        }
        second.setConsent(.granted)
        second.record("agreed")
        _ = await environment.flush(second)
        _ = await environment.flush(first)
        _ = await environment.flush(second)
        #expect(Self.names(environment.transport) == ["agreed"])
        withExtendedLifetime(first) {}
    }

    @Test
    func `a flush while consent is denied waits until the withdrawn events are dropped`() async throws {
        let environment = InMemoryEnvironment()
        let first = try Self.process(environment, .granted)
        first.record("one")
        _ = await environment.flush(first)
        let second = try Self.process(environment, .granted)
        environment.transport.hold()
        for _ in 0..<10 { second.record("refused") }
        second.setConsent(.denied)
        environment.transport.release()
        let report = await environment.flush(second)
        #expect(report.destinations["collector"]?.pending == 0)
        withExtendedLifetime(first) {}
    }

    @Test
    func `a withdrawal for one category does not affect the events of others`() async throws {
        var configuration = Self.configuration()
        configuration.destinations.append(
            DestinationConfiguration(
                CollectorDestination(id: "ads", url: "http://ads.test", writeKey: "k"),
                consentCategory: .marketing
            )
        )
        let memory = try InMemoryAnalytics(configuration)
        memory.analytics.record("before")
        memory.analytics.setConsent(.granted)
        memory.analytics.setConsent(.denied, category: .marketing)
        memory.analytics.setConsent(.granted, category: .marketing)
        memory.analytics.record("after")
        _ = await memory.environment.flush(memory.analytics)
        let urls = Dictionary(grouping: memory.transport.delivered) { $0.url.contains("ads") ? "ads" : "collector" }
        // The denial is recorded for the collector only.
        #expect(urls["collector"]?.map(\.event.name) == ["before", "_consent", "_consent", "_consent", "after"])
        #expect(urls["ads"]?.map(\.event.name) == ["_consent", "after"])
    }

    @Test(arguments: [ConsentDenialPolicy.purge, .keep])
    func `a withdrawal survives a kill, and a denial with the keep policy withdraws nothing`(
        denial: ConsentDenialPolicy
    ) async throws {
        var configuration = Self.configuration()
        configuration.privacy.denialPolicy = denial
        let memory = try InMemoryAnalytics(configuration)
        memory.analytics.record("refused")
        memory.analytics.setConsent(.denied)
        memory.analytics.setConsent(.granted)
        let next = try InMemoryAnalytics(
            configuration,
            storage: memory.storageAfterKill(),
            clock: memory.clock,
            transport: memory.transport
        )
        next.analytics.record("agreed")
        _ = await next.environment.flush(next.analytics)
        #expect(Set(Self.names(memory.transport)) == (denial == .purge ? ["agreed"] : ["refused", "agreed"]))
    }
}
