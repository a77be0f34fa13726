// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Groups")
struct GroupTests {
    private static func groups(_ event: RecordedEvent?) -> [String: String?]? {
        event?.context["user"]?["groups"]?.object.map { groups in
            Dictionary(uniqueKeysWithValues: groups.members.map { ($0.key, $0.value.string) })
        }
    }

    @Test
    func `group adds the user's group to every later event, and records its traits`() throws {
        let memory = try InMemoryAnalytics()
        let (analytics, seats) = (memory.analytics, 12)
        analytics.record("before")
        analytics.group("company", id: "acme", traits: ["seats": seats, "plan": String?.none])
        analytics.group("team", id: "blue")
        analytics.record("after")
        #expect(memory.recorded.map(\.name) == ["before", "_group_set", "_group_set", "after"])
        #expect(memory.recorded[1].attributes == ["_group_type": "company", "_group_id": "acme", "seats": 12])
        #expect(memory.recorded[2].attributes == ["_group_type": "team", "_group_id": "blue"])
        #expect(Self.groups(memory.recorded[0]) == nil)
        #expect(Self.groups(memory.recorded[3]) == ["company": "acme", "team": "blue"])
        #expect(analytics.groups == ["company": "acme", "team": "blue"])
    }

    @Test
    func `joining the same group again records new traits, and records nothing if there are none`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.group("company", id: "acme")
        memory.analytics.group("company", id: "acme")
        memory.analytics.group("company", id: "acme", traits: ["seats": 13])
        memory.analytics.group("company", id: "other")
        #expect(memory.recorded.map { $0.attributes["_group_id"]?.string } == ["acme", "acme", "other"])
        #expect(memory.analytics.groups == ["company": "other"])
    }

    @Test
    func `traits cannot replace the group's type and id`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.group("company", id: "acme", traits: ["_group_id": "forged", "_group_type": "forged", "a": 1])
        #expect(memory.recorded.last?.attributes == ["_group_type": "company", "_group_id": "acme", "a": 1])
    }

    @Test
    func `leaveGroup removes a group only once`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.group("company", id: "acme")
        memory.analytics.group("team", id: "blue")
        memory.analytics.leaveGroup("company")
        memory.analytics.leaveGroup("company")
        memory.analytics.leaveGroup("unknown")
        memory.analytics.record("after")
        #expect(memory.recorded.map(\.name) == ["_group_set", "_group_set", "_group_left", "after"])
        #expect(memory.recorded[2].attributes == ["_group_type": "company", "_group_id": "acme"])
        #expect(Self.groups(memory.recorded.last) == ["team": "blue"])
    }

    /// A change after a visitor or user joined a group.
    enum Change: String, CaseIterable, Sendable {
        case firstSignIn, signOut, otherUser, restart, kill

        var keepsGroups: Bool { [.firstSignIn, .restart, .kill].contains(self) }
    }

    @Test(arguments: Change.allCases)
    func `groups survive a first sign-in, a restart and a kill, and are removed when the user changes`(change: Change)
        async throws
    {
        var memory = try InMemoryAnalytics()
        if !change.keepsGroups { memory.analytics.identify("carl") }
        memory.analytics.group("company", id: "acme")
        switch change {
        case .firstSignIn: memory.analytics.identify("carl")
        case .signOut: memory.analytics.signOut()
        case .otherUser: memory.analytics.identify("ann")
        case .restart:
            await memory.analytics.shutdown()
            memory = try InMemoryAnalytics(storage: memory.storageAfterKill(), clock: memory.clock)
        case .kill: memory = try InMemoryAnalytics(storage: memory.storageAfterKill(), clock: memory.clock)
        }
        memory.analytics.record("after")
        #expect(Self.groups(memory.recorded.last) == (change.keepsGroups ? ["company": "acme"] : nil))
        #expect(memory.analytics.groups == (change.keepsGroups ? ["company": "acme"] : [:]))
    }

    @Test(arguments: [("", "acme"), ("company", ""), (String(repeating: "t", count: 1_000), "acme")])
    func `an invalid group type or id is reported and changes nothing`(type: String, id: String) throws {
        let codes = Locked<[Diagnostic.Code]>([])
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.onDiagnostic = { diagnostic in codes.withLock { $0.append(diagnostic.code) } }
        let memory = try InMemoryAnalytics(configuration)
        memory.analytics.group(type, id: id, traits: ["a": 1])
        #expect(memory.recorded.isEmpty && memory.analytics.groups.isEmpty)
        #expect(codes.withLock { $0 } == [.groupInvalid])
    }

    @Test
    func `a user belongs to at most 20 groups, and an additional one is reported and not joined`() throws {
        let diagnostics = Locked<[Diagnostic]>([])
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.onDiagnostic = { diagnostic in diagnostics.withLock { $0.append(diagnostic) } }
        let memory = try InMemoryAnalytics(configuration)
        for number in 1...21 { memory.analytics.group("type-\(number)", id: "g") }
        memory.analytics.group("type-1", id: "another")
        #expect(memory.analytics.groups.count == 20 && memory.analytics.groups["type-1"] == "another")
        #expect(diagnostics.withLock { $0.map(\.code) } == [.tooManyGroups])
        #expect(diagnostics.withLock { $0.first?.value } == "type-21")
    }

    @Test
    func `identify sets traits in the same call, even for the signed-in user`() throws {
        let memory = try InMemoryAnalytics()
        let (analytics, plan) = (memory.analytics, "pro")
        analytics.identify("carl", traits: ["plan": plan, "age": 21])
        analytics.identify("carl", traits: ["plan": "team"])
        analytics.identify("carl")
        analytics.record("after")
        #expect(memory.recorded.map(\.name) == ["_profile_set", "_profile_set", "_profile_set", "after"])
        #expect(memory.recorded[0].attributes["_signed_in"] == true)
        let traits = memory.recorded.last?.context["user"]?["attributes"]
        #expect(traits?["plan"]?["value"]?.string == "team" && traits?["age"]?["value"]?.integer == 21)
        #expect(analytics.userID == "carl")
    }

    @Test
    func `traits of an invalid user id are not set`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.identify("", traits: ["plan": "pro"])
        memory.analytics.record("after")
        #expect(memory.analytics.userID == nil)
        #expect(memory.recorded.last?.context["user"]?["attributes"] == nil)
    }

    @Test
    func `traits of another user replace the former user's`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.identify("carl", traits: ["plan": "pro"])
        memory.analytics.identify("ann", traits: ["age": 3])
        memory.analytics.record("after")
        let traits = memory.recorded.last?.context["user"]?["attributes"]?.object?.members.map(\.key)
        #expect(traits == ["age"])
    }
}
