// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import Trackway

@Suite("The app's choice of consent")
struct ConsentChoiceTests {
    private static func configuration(
        _ consent: Consent?,
        _ change: (inout Configuration) -> Void = { _ in }
    ) -> Configuration {
        var configuration = Configuration(
            appID: "test",
            destinations: InMemoryAnalytics.usualConfiguration.destinations,
            consent: consent
        )
        configuration.capture = []
        change(&configuration)
        return configuration
    }

    private static func isReported(_ memory: InMemoryAnalytics) -> Bool {
        memory.diagnostics.contains { $0.code == .consentNotChosen }
    }

    @Test
    func `an app that chooses nothing keeps events, sends nothing, and gets a suggestion`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration(nil))
        #expect(memory.analytics.consent == .pending)
        memory.analytics.record("early")
        let part = try #require(await memory.analytics.flush().destinations["collector"])
        #expect(part.pending == 1)
        #expect(part.pendingReason?.contains("waiting for consent") == true)
        #expect(part.pendingReason?.contains("setConsent(.granted)") == true)
        #expect(memory.transport.requests.isEmpty)
        let diagnostic = try #require(memory.diagnostics.first { $0.code == .consentNotChosen })
        #expect(diagnostic.severity == .warning && diagnostic.value == "collector")
        #expect(diagnostic.recoverySuggestion?.contains("setConsent(.granted)") == true)
        memory.analytics.setConsent(.granted)
        try await memory.waitUntilDelivered(2)
        #expect(memory.transport.delivered(named: "early").count == 1)
    }

    @Test(arguments: [Consent.granted, .pending, .denied])
    func `a choice is not reported, even if it is pending`(consent: Consent) throws {
        #expect(!Self.isReported(try InMemoryAnalytics(Self.configuration(consent))))
        let later = Self.configuration(nil) { $0.privacy.consent = consent }
        let memory = try InMemoryAnalytics(later)
        #expect(!Self.isReported(memory))
        #expect(memory.analytics.consent == consent)
    }

    @Test(arguments: Consent.allCases, [ConsentScope.device, .person])
    func `after a decision, the next start reports nothing`(consent: Consent, scope: ConsentScope) throws {
        let memory = try InMemoryAnalytics(Self.configuration(nil))
        memory.analytics.setConsent(consent, scope: scope)
        let next = try InMemoryAnalytics(Self.configuration(nil), storage: memory.storageAfterKill())
        #expect(!Self.isReported(next))
        #expect(next.analytics.consent == consent)
    }

    @Test
    func `only destinations without a decision for their category are reported`() throws {
        let destinations = Self.configuration(nil) { configuration in
            configuration.destinations.append(
                DestinationConfiguration(CollectorDestination(id: "ads", url: "http://ads.test", writeKey: "k"))
                    .configured(consentCategory: .marketing)
            )
        }
        let memory = try InMemoryAnalytics(destinations)
        memory.analytics.setConsent(.granted, category: .analytics)
        let next = try InMemoryAnalytics(destinations, storage: memory.storageAfterKill())
        #expect(next.diagnostics.filter { $0.code == .consentNotChosen }.map(\.value) == ["ads"])
    }

    @Test
    func `a local destination works without a choice, and nothing is reported`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration(nil) { $0.destinations = [.local("exports")] })
        #expect(!Self.isReported(memory))
        memory.analytics.record("order")
        let snapshot = try memory.analytics.pendingEvents(for: "exports")
        #expect(try snapshot.countEvents() == 1)
        #expect(try snapshot.remove() == 1)
    }

    @Test(arguments: [nil, Consent.pending] as [Consent?])
    func `with a collector, a local destination waits only for a choice of pending`(consent: Consent?) throws {
        let memory = try InMemoryAnalytics(Self.configuration(consent) { $0.destinations.append(.local("exports")) })
        memory.analytics.record("order")
        #expect(try memory.analytics.pendingEvents(for: "exports").countEvents() == (consent == nil ? 1 : 0))
        #expect(Self.isReported(memory) == (consent == nil))
        memory.analytics.setConsent(.denied)
        // A snapshot that was taken while the refused event is dropped cannot be read, which is as good as empty.
        #expect((try? memory.analytics.pendingEvents(for: "exports").countEvents()) ?? 0 == 0)
    }
}
