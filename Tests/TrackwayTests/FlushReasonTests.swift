// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDelivery
import TrackwayDestinationKit
import TrackwayTesting

@testable import Trackway

@Suite("Reasons reported by flush")
struct FlushReasonTests {
    /// A cause that prevents sending.
    enum Cause: String, CaseIterable, Sendable {
        case consentPending, consentDenied, disabled, paused, shutDown, down, backEndNamedTime, wrongKey,
            categoryPending
    }

    private static let refused = TransportError(.refused, "refused")

    private static func configuration(_ cause: Cause) -> Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.privacy.denialPolicy = .keep
        if cause == .consentPending { configuration.privacy.consent = .pending }
        return configuration
    }

    /// Creates the cause, with one event pending.
    private static func cause(_ cause: Cause, _ memory: InMemoryAnalytics) async {
        let analytics = memory.analytics
        switch cause {
        case .down: memory.transport.always(.fail(refused))
        case .backEndNamedTime: memory.transport.always(.status(503, headers: ["retry-after": "600"]))
        case .wrongKey: memory.transport.always(.status(401))
        default: break
        }
        analytics.record("waits")
        switch cause {
        case .consentPending, .down, .backEndNamedTime, .wrongKey: break
        case .consentDenied: analytics.setConsent(.denied)
        case .disabled: analytics.isEnabled = false
        case .paused: analytics.pause()
        case .shutDown: await analytics.shutdown(timeout: .zero)
        case .categoryPending: analytics.setConsent(.pending, category: .analytics)
        }
    }

    @Test(arguments: Cause.allCases)
    func `every pending event has a reason, even in the next process`(cause: Cause) async throws {
        let memory = try InMemoryAnalytics(Self.configuration(cause))
        await Self.cause(cause, memory)
        let report = await memory.environment.flush(memory.analytics)
        let part = try #require(report.destinations["collector"])
        // A decision that is not a refusal is recorded, too.
        let pending: UInt64 = cause == .categoryPending ? 2 : 1
        #expect(part.pending == pending)
        #expect(part.pendingReason != nil)
        let next = try InMemoryAnalytics(
            Self.configuration(cause),
            storage: memory.storageAfterKill(),
            clock: memory.clock,
            transport: memory.transport
        )
        let later = try #require(await next.environment.flush(next.analytics).destinations["collector"])
        // A shutdown or a pause ends with the process.
        if later.pending > 0 { #expect(later.pendingReason != nil) }
        #expect(later.pending == ([.paused, .shutDown].contains(cause) ? 0 : pending))
    }

    @Test
    func `a repaired back end gets all events when the next process flushes`() async throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.delivery.policy.breakerThreshold = 1
        let memory = try InMemoryAnalytics(configuration)
        memory.transport.always(.fail(Self.refused))
        for _ in 0..<11 { memory.analytics.record("event") }
        let failed = try #require(
            await memory.environment.flush(memory.analytics, timeout: .milliseconds(200)).destinations["collector"]
        )
        #expect(failed.pending == 11)
        #expect(failed.pendingReason?.contains("refused") == true)
        let transport = ScriptedTransport()
        transport.always(.fail(Self.refused))
        let second = try InMemoryAnalytics(
            configuration,
            storage: memory.storageAfterKill(),
            clock: memory.clock,
            transport: transport
        )
        let down = try #require(
            await second.environment.flush(second.analytics, timeout: .milliseconds(200)).destinations["collector"]
        )
        #expect(down.pending == 11)
        #expect(down.pendingReason?.contains("refused") == true)
        // Exactly one probe, with one event, was sent.
        #expect(transport.requests.count == 1)
        let repaired = ScriptedTransport()
        let third = try InMemoryAnalytics(
            configuration,
            storage: second.storageAfterKill(),
            clock: memory.clock,
            transport: repaired
        )
        let report = await third.environment.flush(third.analytics)
        #expect(report.destinations["collector"]?.pending == 0)
        #expect(report.destinations["collector"]?.pendingReason == nil)
        #expect(repaired.delivered.count == 11)
    }

    @Test
    func `a retry time from the back end applies in the next process, which reports the reason`() async throws {
        let memory = try InMemoryAnalytics()
        memory.transport.always(.status(503, headers: ["retry-after": "600"]))
        memory.analytics.record("event")
        _ = await memory.environment.flush(memory.analytics)
        let requestCount = memory.transport.requests.count
        let next = try InMemoryAnalytics(
            storage: memory.storageAfterKill(),
            clock: memory.clock,
            transport: memory.transport
        )
        let part = try #require(await next.environment.flush(next.analytics).destinations["collector"])
        #expect(memory.transport.requests.count == requestCount)
        #expect(part.pending == 1)
        #expect(part.pendingReason?.contains("503") == true)
    }

    @Test
    func `a process that does not deliver reports that another process does`() async throws {
        let environment = InMemoryEnvironment()
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.run(in: environment)
        let first = try Analytics(configuration)
        first.record("first")
        _ = await first.flush()
        environment.transport.hold()
        let second = try Analytics(configuration)
        second.record("second")
        let report = await environment.flush(second, timeout: .milliseconds(100))
        let part = try #require(report.destinations["collector"])
        environment.transport.release()
        #expect(part.pending == 0 || part.pendingReason != nil)
        withExtendedLifetime(first) {}
    }
}
