// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayTesting

@Suite("Destination settings")
struct DestinationConfigurationTests {
    private static func destination(_ id: String = "audit") throws -> DestinationConfiguration {
        .collector(
            try #require(URL(string: "http://\(id).test")),
            writeKey: "key",
            id: try #require(DestinationID(id))
        )
    }

    @Test
    func `configured(…) changes the given settings and keeps the others`() throws {
        var policy = DeliveryPolicy()
        policy.flushEvents = 7
        let first = try Self.destination().configured(delivery: policy, rules: [.deny("debug_*")])
        let second = first.configured(rules: [.deny("test_*")], consentCategory: .marketing)
        #expect(second.id == "audit")
        #expect(second.delivery?.flushEvents == 7)
        #expect(second.rules == [.deny("test_*")])
        #expect(second.consentCategory == .marketing)
        #expect(first.consentCategory == nil && first.rules == [.deny("debug_*")])
    }

    @Test
    func `policy, rules and category of a configured destination apply only to that destination`() async throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.destinations.append(
            try Self.destination().configured(rules: [.deny("debug_*")], consentCategory: .marketing)
        )
        let memory = try InMemoryAnalytics(configuration)
        let analytics = memory.analytics
        analytics.record("debug_tap")
        analytics.record("buy")
        _ = await analytics.flush()
        #expect(memory.arrived(at: "audit") == ["buy"])
        #expect(memory.arrived(at: "collector") == ["debug_tap", "buy"])
        analytics.setConsent(.denied, category: .marketing)
        analytics.record("later")
        _ = await analytics.flush()
        #expect(memory.arrived(at: "audit") == ["buy"])
        #expect(memory.arrived(at: "collector") == ["debug_tap", "buy", "later"])
        #expect(analytics.ledger().isBalanced)
    }

    @Test
    func `a destination added with a category receives nothing while that category is denied`() async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        analytics.setConsent(.denied, category: .marketing)
        try analytics.addDestination(try Self.destination().configured(consentCategory: .marketing))
        analytics.record("denied")
        analytics.setConsent(.granted, category: .marketing)
        analytics.record("granted")
        _ = await analytics.flush()
        #expect(memory.arrived(at: "audit") == ["granted"])
        #expect(memory.arrived(at: "collector") == ["denied", "granted"])
        #expect(analytics.ledger().isBalanced)
    }

    @Test
    func `pending events of a destination added with a category are not sent after that category is denied`()
        async throws
    {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        try analytics.addDestination(try Self.destination().configured(consentCategory: .marketing))
        analytics.record("before")
        analytics.setConsent(.denied, category: .marketing)
        _ = await analytics.flush()
        #expect(memory.arrived(at: "audit") == [])
        #expect(memory.arrived(at: "collector") == ["before"])
        #expect(analytics.ledger().destinations["audit"]?.dropped == [.consentDenied: 1])
        #expect(analytics.ledger().isBalanced)
    }

    @Test
    func `replacing a destination applies the given rules and category, and otherwise keeps the old ones`() async throws
    {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        try analytics.addDestination(try Self.destination().configured(rules: [.deny("debug_*")]))
        try analytics.replaceDestination(try Self.destination())
        analytics.record("debug_one")
        try analytics.replaceDestination(try Self.destination().configured(rules: [.deny("test_*")]))
        #expect(analytics.options.rules["audit"] == [.deny("test_*")])
        analytics.record("test_one")
        analytics.record("buy")
        try analytics.replaceDestination(try Self.destination().configured(consentCategory: .marketing))
        analytics.setConsent(.denied, category: .marketing)
        analytics.record("denied")
        _ = await analytics.flush()
        let arrived = memory.arrived(at: "audit")
        #expect(!arrived.contains("test_one") && !arrived.contains("denied"))
        #expect(analytics.options.rules["audit"] == [.deny("test_*")])
        #expect(analytics.ledger().isBalanced)
    }

    @Test
    func `events held for an undecided category are sent after the destination gets a granted one`() async throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.privacy.consent = .pending
        let memory = try InMemoryAnalytics(configuration)
        let analytics = memory.analytics
        try analytics.addDestination(try Self.destination())
        analytics.setConsent(.granted, category: .marketing)
        analytics.record("held")
        #expect(await !analytics.flush().isComplete)
        #expect(memory.arrived(at: "audit") == [])
        try analytics.replaceDestination(try Self.destination().configured(consentCategory: .marketing))
        _ = await analytics.flush()
        #expect(memory.arrived(at: "audit") == ["held"])
        #expect(memory.arrived(at: "collector") == [])
    }

    @Test
    func `concurrent replacement and removal end with a destination or an error, and no data of a removed one`()
        async throws
    {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        for _ in 0..<50 {
            try analytics.addDestination(try Self.destination())
            let replacement = try Self.destination().configured(rules: [.deny("x")], consentCategory: .marketing)
            async let removed = Task.detached { analytics.removeDestination("audit") }.value
            do {
                try analytics.replaceDestination(replacement)
            } catch {
                #expect(error.code == .unknownDestination)
            }
            #expect(await removed)
            #expect(!analytics.hasDestination("audit"))
        }
        analytics.setConsent(.denied)
        analytics.setConsent(.granted, category: .marketing)
        // No destination has the category now, so no destination receives the event.
        #expect(analytics.record("later").dropped == .consentDenied)
    }

    @Test
    func `rules set by id apply to that destination, and an unknown id is an error that lists the known ids`()
        async throws
    {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.setRules([.deny("debug_*")], for: "collector")
        let memory = try InMemoryAnalytics(configuration)
        memory.analytics.record("debug_tap")
        memory.analytics.record("buy")
        _ = await memory.analytics.flush()
        #expect(memory.arrived(at: "collector") == ["buy"])
        configuration.setRules([], for: "nobody")
        let error = #expect(throws: TrackwayError.self) { try InMemoryAnalytics(configuration) }
        #expect(error?.code == .unknownDestination)
        #expect(error?.recoverySuggestion?.contains("\"collector\"") == true)
    }

    @Test
    func `assigning options keeps the rules of a destination that was replaced before`() throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        try analytics.addDestination(try Self.destination())
        try analytics.replaceDestination(try Self.destination().configured(rules: [.deny("test_*")]))
        analytics.options.logEvents = true
        #expect(analytics.options.rules["audit"] == [.deny("test_*")])
    }
}
