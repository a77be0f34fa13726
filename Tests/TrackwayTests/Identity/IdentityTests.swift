// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Identity and context")
struct IdentityTests {
    @Test
    func `every event belongs to the user who was signed in when it was recorded`() async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        analytics.record("before")
        analytics.identify("ann")
        analytics.record("as_ann")
        analytics.identify("bob")
        analytics.record("as_bob")
        analytics.signOut()
        analytics.record("after")
        // Each user change records an event, which belongs to the new user.
        let users = [nil, "ann", "ann", "bob", "bob", nil, nil]
        #expect(memory.recorded.map(\.user) == users)
        _ = await analytics.flush()
        #expect(memory.transport.delivered.map(\.user) == users)
    }

    @Test
    func `an event recorded after identify returns carries the user, on every thread`() async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        for round in 0..<20 {
            let user = "user-\(round)"
            analytics.identify(user)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<10 { analytics.record("seen", ["user": .string(user)]) }
                    }
                }
            }
        }
        let seen = memory.events(named: "seen")
        #expect(seen.count == 1_600)
        #expect(seen.allSatisfy { $0.attributes["user"] == $0.user.map { .string($0) } })
    }

    @Test
    func `concurrent user changes settle on one user, for later events and for the next start`() async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for round in 0..<25 {
                        analytics.identify("user-\(thread)-\(round)")
                        analytics.record("seen")
                    }
                }
            }
        }
        analytics.record("last")
        let last = try #require(memory.events(named: "last").first)
        #expect(last.user != nil)
        #expect(memory.recorded.allSatisfy { $0.user != nil })
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        next.analytics.record("next")
        #expect(next.events(named: "next").first?.user == last.user)
    }

    @Test
    func `global attributes apply to later events until they are changed or removed`() throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        analytics.setGlobalAttributes(["channel": "App Store", "level": 1])
        analytics.record("first")
        analytics.setGlobalAttributes(["level": 2])
        analytics.setGlobalAttributes(["level": 2])
        analytics.record("second")
        analytics.removeGlobalAttributes(["channel", "unknown"])
        analytics.record("third")
        let recorded = memory.recorded
        #expect(recorded.map { $0.global("channel")?.string } == ["App Store", "App Store", nil])
        #expect(recorded.map { $0.global("level")?.integer } == [1, 2, 2])
    }

    @Test
    func `the context contains the facts of app, device and boot`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("seen")
        let context = try #require(memory.recorded.first?.context)
        #expect(context["app"]?["id"] == .string("test"))
        #expect(context["device"]?["platform"] == .string("Memory"))
        #expect(context["boot"] == .string("memory"))
        let installation = memory.analytics.installationID.description.uppercased()
        #expect(context["user"]?["unique_id"] == .string(installation))
        #expect(context["user"]?["anonymous_id"] == .string(installation))
        #expect(context["user"]?["id"] == nil)
        #expect(context["global"] == nil)
    }

    @Test
    func `the user and global attributes survive a kill unchanged`() throws {
        let memory = try InMemoryAnalytics()
        let values: Attributes = [
            "text": "ü", "whole": .integer(.max), "fraction": 0.1, "list": .array([1, true]), "object": ["a": 1],
            "date": .date(Timestamp(milliseconds: 1_700_000_000_123)),
        ]
        memory.analytics.identify("ann")
        memory.analytics.setGlobalAttributes(values)
        memory.analytics.record("before")
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        #expect(next.analytics.installationID == memory.analytics.installationID)
        next.analytics.record("after")
        let before = try #require(next.events(named: "before").first)
        let after = try #require(next.events(named: "after").first)
        #expect(after.context == before.context)
        #expect(after.user == "ann")
    }
}
