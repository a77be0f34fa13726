// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Dynamic attributes")
struct DynamicAttributesTests {
    @Test
    func `event attributes override dynamic attributes, which override global attributes`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.setGlobalAttributes(["a": "global", "b": "global", "c": "global"])
        memory.analytics.setGlobalAttributesProvider { ["b": "dynamic", "c": "dynamic", "d": "dynamic"] }
        memory.analytics.record("event", ["c": "event"])
        let event = try #require(memory.recorded.first)
        #expect(event.global("a") == .string("global"))
        #expect(event.attributes["a"] == nil)
        #expect(event.attributes["b"] == "dynamic")
        #expect(event.attributes["c"] == "event")
        #expect(event.attributes["d"] == "dynamic")
        #expect(event.attributes.map(\.key) == ["c", "b", "d"])
    }

    @Test
    func `the provider is called for each event, including routed, typed and durable ones, until it is removed`()
        async throws
    {
        struct Typed: TypedEvent {
            static let name = "typed"
            var own = 1
        }
        let memory = try InMemoryAnalytics()
        let count = Locked(0)
        memory.analytics.setGlobalAttributesProvider {
            [
                "count": .integer(
                    Int64(
                        count.withLock { count -> Int in
                            count += 1
                            return count
                        }
                    )
                )
            ]
        }
        memory.analytics.record("plain")
        memory.analytics.record("routed", to: ["collector"])
        memory.analytics.record(Typed())
        try await memory.analytics.recordDurably("durable")
        memory.analytics.setGlobalAttributesProvider(nil)
        memory.analytics.record("without")
        #expect(memory.recorded.map { $0.attributes["count"] } == [1, 2, 3, 4, nil])
        #expect(memory.recorded[2].attributes["own"] == 1)
    }

    @Test
    func `captured events get dynamic attributes too`() throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.setGlobalAttributesProvider { ["balance": 7, "_screen_name": "not this"] }
        memory.analytics.screen("Home")
        memory.goToBackground()
        #expect(memory.recorded.count == 5)
        #expect(memory.recorded.allSatisfy { $0.attributes["balance"] == 7 })
        #expect(memory.events(named: "_screen_view").first?.attributes["_screen_name"] == "Home")
    }

    @Test
    func `a provider that records events or screens is not called again for them`() throws {
        let memory = try InMemoryAnalytics.capturing()
        let (one, two) = (memory, try InMemoryAnalytics(clock: memory.clock))
        one.analytics.setGlobalAttributesProvider { [weak analytics = one.analytics, weak other = two.analytics] in
            analytics?.record("inner")
            analytics?.screen("Inner")
            analytics?.setGlobalAttributes(["set": "inside"])
            other?.record("there")
            return ["from": "one"]
        }
        two.analytics.setGlobalAttributesProvider { [weak analytics = one.analytics] in
            analytics?.record("across")
            return ["from": "two"]
        }
        one.analytics.record("outer")
        #expect(one.events(named: "outer").first?.attributes["from"] == "one")
        #expect(one.events(named: "inner").allSatisfy { $0.attributes["from"] == nil })
        #expect(one.events(named: "inner").isEmpty == false)
        #expect(two.events(named: "there").first?.attributes["from"] == "two")
        #expect(one.events(named: "across").first?.attributes["from"] == nil)
    }

    @Test
    func `dynamic attributes beyond the limits are dropped and reported, and the event is recorded`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.setGlobalAttributesProvider {
            var many = Attributes()
            for number in 0..<2_000 { many["key\(number)"] = .double(.nan) }
            many[""] = 1
            return many
        }
        memory.analytics.record("event", ["own": 1])
        #expect(memory.recorded.first?.name == "event")
        #expect(memory.diagnostics.isEmpty == false)
        #expect(memory.recorded.first?.attributes["own"] == 1)
    }

    @Test
    func `refused events and events for an unknown destination do not call the provider`() throws {
        let memory = try InMemoryAnalytics()
        let calls = Locked(0)
        memory.analytics.setGlobalAttributesProvider {
            calls.withLock { $0 += 1 }
            return [:]
        }
        memory.analytics.isEnabled = false
        memory.analytics.record("refused")
        memory.analytics.isEnabled = true
        memory.analytics.record("nowhere", to: ["unknown"])
        #expect(calls.withLock { $0 } == 0)
    }

    @Test
    func `profile, item and device events get no dynamic attributes; sign-in, sign-out and identifier events do`()
        throws
    {
        let memory = try InMemoryAnalytics()
        memory.analytics.setGlobalAttributesProvider { ["n": 1, "page": "cart"] }
        memory.analytics.identify("user")
        memory.analytics.addIdentifier("1", type: "mobile")
        memory.analytics.removeIdentifier("1", type: "mobile")
        memory.analytics.setUserAttributes(["own": 1])
        memory.analytics.removeUserAttributes(["own"])
        memory.analytics.signOut()
        for name in [
            "_profile_set", "_profile_set_once", "_profile_increment", "_profile_append", "_profile_unset",
            "_profile_delete", "_item_set", "_item_delete", "_device_properties", "_app_state",
        ] {
            memory.analytics.record(name, ["own": 1])
            memory.analytics.record(name, ["own": 1], to: ["collector"])
        }
        let events = memory.recorded
        #expect(
            events.filter { $0.attributes["n"] == 1 && $0.attributes["page"] == "cart" }.map(\.event.name) == [
                "_profile_set", "_identity_bound", "_identity_unbound", "_profile_set",
            ]
        )
        #expect(events.filter { $0.attributes["n"] == 1 }.count == 4)
        #expect(events.first?.attributes["_signed_in"] == true)
        #expect(events.dropFirst(6).allSatisfy { $0.attributes == ["own": 1] })
        #expect(events.count == 26)
    }

    @Test(arguments: [Int.max, -1, 0])
    func `an out-of-range attribute limit does not trap`(_ attributes: Int) throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.limits.attributes = attributes
        // The initializer may reject an invalid limit. Then there is nothing to record with.
        guard let memory = try? InMemoryAnalytics(configuration) else { return }
        memory.analytics.setGlobalAttributesProvider { ["n": 1] }
        memory.analytics.record("event", ["own": 1])
        memory.analytics.removeUserAttributes(["a", "b"])
        #expect(memory.events(named: "event").count == 1)
    }
}
