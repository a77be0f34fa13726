// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import Trackway

@Suite("Records of consent decisions")
struct ConsentEventTests {
    private static func pending(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.privacy.consent = .pending
        change(&configuration)
        return configuration
    }

    private static func texts(_ event: Event) -> [String?] {
        [
            CapturedKey.consentDecision, CapturedKey.consentScope, CapturedKey.consentCategory,
            CapturedKey.consentSource, CapturedKey.consentVersion,
        ].map { event.attributes[$0]?.string }
    }

    @Test
    func `a decision is recorded and sent with its scope, category, source and version`() async throws {
        let memory = try InMemoryAnalytics(Self.pending())
        memory.analytics.setConsent(
            .granted,
            category: .analytics,
            scope: .person,
            source: "banner",
            version: "privacy-2026-05"
        )
        try await memory.waitUntilDelivered(1)
        let event = try #require(memory.transport.delivered(named: "_consent").first)
        #expect(Self.texts(event) == ["granted", "person", "analytics", "banner", "privacy-2026-05"])
        let record = try #require(memory.analytics.consentLog.first)
        #expect(record.decision == .granted && record.scope == .person && record.category == .analytics)
        #expect(record.source == "banner" && record.version == "privacy-2026-05")
        #expect(record.time == event.time)
    }

    @Test
    func `a refusal stays on the device`() async throws {
        let memory = try InMemoryAnalytics(Self.pending())
        memory.analytics.record("early")
        memory.analytics.setConsent(.denied, source: "banner")
        _ = await memory.analytics.flush()
        #expect(memory.events(named: "_consent").isEmpty && memory.transport.requests.isEmpty)
        let next = try InMemoryAnalytics(Self.pending(), storage: memory.storageAfterKill())
        #expect(next.analytics.consentLog.map(\.decision) == [.denied])
        #expect(next.analytics.consentLog.map(\.source) == ["banner"])
    }

    @Test
    func `a refusal of one category is sent to the destinations of the others`() async throws {
        let memory = try InMemoryAnalytics(
            Self.pending { configuration in
                configuration.privacy.consent = .granted
                configuration.destinations.append(
                    DestinationConfiguration(CollectorDestination(id: "ads", url: "http://ads.test", writeKey: "k"))
                        .configured(consentCategory: .marketing)
                )
            }
        )
        memory.analytics.setConsent(.denied, category: .marketing)
        let report = await memory.analytics.flush()
        #expect(report.destinations["collector"]?.delivered == 1)
        #expect(report.destinations["ads"]?.delivered == 0)
        #expect(memory.transport.requests.allSatisfy { $0.url.contains("collector.test") })
        #expect(memory.transport.delivered(named: "_consent").map { Self.texts($0)[0] } == ["denied"])
    }

    @Test
    func `repeating a decision records nothing, and a new version or source does`() async throws {
        let memory = try InMemoryAnalytics(Self.pending())
        let analytics = memory.analytics
        for version in ["1", "1", "2"] { analytics.setConsent(.granted, source: "banner", version: version) }
        analytics.setConsent(.granted, source: "settings", version: "2")
        // As at the next start of an app that repeats the stored decision.
        let next = try InMemoryAnalytics(Self.pending(), storage: memory.storageAfterKill(), clock: memory.clock)
        next.analytics.setConsent(.granted, source: "settings", version: "2")
        #expect(next.events(named: "_consent").count == 3)
        #expect(next.analytics.consentLog.map(\.version) == ["1", "2", "2"])
    }

    @Test
    func `removing a decision is recorded, and the configured consent applies again`() async throws {
        let memory = try InMemoryAnalytics(Self.pending())
        memory.analytics.setConsent(.granted)
        memory.analytics.setConsent(nil)
        #expect(memory.analytics.consent == .pending)
        #expect(memory.events(named: "_consent").map { Self.texts($0.event)[0] } == ["granted", "removed"])
        #expect(memory.analytics.consentLog.map(\.decision) == [.granted, nil])
    }

    @Test
    func `a module without such events keeps only the log`() throws {
        let memory = try InMemoryAnalytics(Self.pending { $0.recordsConsent = false })
        memory.analytics.setConsent(.granted)
        #expect(memory.recorded.isEmpty)
        #expect(memory.analytics.consentLog.count == 1)
    }

    @Test
    func `a text that is too long is truncated and reported, and the decision applies`() throws {
        let memory = try InMemoryAnalytics(Self.pending())
        memory.analytics.setConsent(
            .granted,
            source: "",
            version: String(repeating: "é", count: 1_000_000)
        )
        #expect(memory.analytics.consent == .granted)
        let diagnostic = try #require(memory.diagnostics.first { $0.code == .consentTextTruncated })
        #expect(diagnostic.field == "version" && diagnostic.message.contains("2000000 bytes"))
        let record = try #require(memory.analytics.consentLog.first)
        #expect(record.source == nil && record.version?.utf8.count == 256)
    }

    @Test
    func `the log has the decisions of the device and the current person`() throws {
        let memory = try InMemoryAnalytics(Self.pending())
        let analytics = memory.analytics
        analytics.setConsent(.granted, scope: .person, source: "visitor")
        analytics.identify("ann")
        #expect(analytics.consentLog.map(\.source) == ["visitor"])
        analytics.signOut()
        #expect(analytics.consentLog.isEmpty)
        analytics.setConsent(.denied, source: "kiosk")
        analytics.identify("bob")
        analytics.setConsent(.granted, scope: .person, source: "bob")
        #expect(analytics.consentLog.map(\.source) == ["kiosk", "bob"])
        analytics.identify("ann")
        #expect(analytics.consentLog.map(\.source) == ["visitor", "kiosk"])
    }

    @Test
    func `erasing the installation removes decisions of people, and keeps those for the device`() async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.setConsent(.granted, source: "device")
        memory.analytics.identify("ann")
        memory.analytics.setConsent(.granted, scope: .person, source: "ann")
        try await memory.analytics.erase()
        memory.analytics.identify("ann")
        #expect(memory.analytics.consentLog.map(\.source) == ["device"])
        #expect(memory.analytics.consent == .granted)
    }

    @Test
    func `a thousand flips end with the last decision, a bounded log and a balanced ledger`() async throws {
        let memory = try InMemoryAnalytics()
        for number in 0..<1_000 {
            memory.analytics.setConsent(number.isMultiple(of: 2) ? .denied : .granted, version: "\(number)")
            memory.analytics.record("event")
        }
        #expect(memory.analytics.consent == .granted)
        #expect(memory.analytics.consentLog.count == 100)
        #expect(memory.analytics.consentLog.last?.version == "999")
        try await memory.waitForPipeline(sending: true)
        #expect(await memory.environment.flush(memory.analytics).isComplete)
        // What was recorded before the last refusal was withdrawn.
        #expect(memory.transport.delivered.map(\.event.name).suffix(2) == ["_consent", "event"])
        let ledger = memory.analytics.ledger()
        #expect(ledger.isBalanced && ledger.recorded == 1_000)
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        #expect(next.analytics.consent == .granted && next.analytics.consentLog.count == 100)
    }

    @Test
    func `flips on eight threads leave log, decision and events in agreement`() async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        let isDenied = (task + number).isMultiple(of: 2)
                        analytics.setConsent(
                            isDenied ? .denied : .granted,
                            category: task < 4 ? nil : .marketing,
                            source: "\(task).\(number)"
                        )
                    }
                }
            }
        }
        let log = analytics.consentLog
        #expect(log.last { $0.category == nil }?.decision == analytics.consent)
        #expect(log.last { $0.category == .marketing }?.decision == analytics.consent(for: .marketing))
        #expect(memory.environment.diagnostics.isEmpty)
    }

    @Test(arguments: [-40, 40])
    func `a clock that is years off affects neither decisions nor their order`(years: Int64) async throws {
        let memory = try InMemoryAnalytics(Self.pending())
        memory.analytics.setConsent(.granted, source: "first")
        memory.clock.jumpWall(by: .seconds(years * 365 * 86_400))
        memory.analytics.setConsent(.pending, source: "second")
        memory.analytics.setConsent(.granted, source: "third")
        #expect(memory.analytics.consentLog.map(\.source) == ["first", "second", "third"])
        let next = try InMemoryAnalytics(Self.pending(), storage: memory.storageAfterKill())
        #expect(next.analytics.consent == .granted)
        #expect(next.analytics.consentLog.map(\.source) == ["first", "second", "third"])
    }
}
