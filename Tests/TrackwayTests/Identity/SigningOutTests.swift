// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Signing out")
struct SigningOutTests {
    /// A way to sign the user out.
    enum SignOut: String, CaseIterable, Sendable {
        case signOut, silently, keepingUniqueID, anotherUser

        func leave(_ analytics: Analytics) {
            switch self {
            case .signOut: analytics.signOut()
            case .silently: analytics.signOutSilently()
            case .keepingUniqueID: analytics.signOutKeepingUniqueID()
            case .anotherUser: analytics.identify("ann")
            }
        }
    }

    private static let secret = "john-only"

    /// Sets all data about a user that later events could carry.
    private static func describe(_ analytics: Analytics) {
        analytics.identify(secret)
        analytics.setUserAttributes(["name": .string(secret), "age": 20])
        analytics.addIdentifier(secret, type: "mobile")
        analytics.setGlobalAttributes(["company": .string(secret)], scope: .person)
        analytics.setGlobalAttributes(["channel": "store"])
        analytics.screen("Profile", ["owner": .string(secret)])
        analytics.startTimer("checkout")
    }

    @Test(
        arguments: SignOut.allCases,
        [false, true]
    )
    func `signing out leaves no data of the user on later events, even after a kill`(signOut: SignOut, isKilled: Bool)
        async throws
    {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = .standard
        var memory = try InMemoryAnalytics(configuration)
        Self.describe(memory.analytics)
        memory.clock.advance(by: .seconds(7))
        signOut.leave(memory.analytics)
        let last = try #require(memory.recorded.last?.sequence)
        if isKilled {
            memory = try InMemoryAnalytics(configuration, storage: memory.storageAfterKill(), clock: memory.clock)
        }
        memory.analytics.record("e1")
        memory.analytics.endTimer("checkout")
        memory.analytics.lifecycleChanged(to: .didEnterBackground)
        memory.clock.advance(by: .seconds(7_200))
        memory.analytics.lifecycleChanged(to: .didBecomeActive)
        memory.analytics.setUserAttributes(["theme": "dark"])
        memory.analytics.record("e2")
        let first = memory.recorded.firstIndex { $0.name == "e1" } ?? 0
        let later = memory.recorded[first...]
        #expect(later.count > 5 && last > 0)
        for event in later {
            #expect(!"\(event.event) \(event.context)".contains(Self.secret), "\(event.name)")
            #expect(event.global("channel") == .string("store"))
            #expect(event.global("company") == nil)
        }
        let user = RecordedContext(try #require(later.last).context).user
        #expect(user.attributes.map(\.name) == ["theme"])
        #expect(user.identities.isEmpty)
        #expect(memory.events(named: "checkout").allSatisfy { $0.attributes["event_duration"] == nil })
    }

    @Test
    func `a visitor after a user gets a new unique id, and keeps it when signing in`() throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        let first = analytics.personID
        analytics.identify("john")
        #expect(analytics.personID == first)
        analytics.signOut()
        let visitor = analytics.personID
        #expect(visitor != first)
        analytics.setUserAttributes(["name": "David"])
        analytics.identify("david")
        #expect(analytics.personID == visitor)
        analytics.record("seen")
        let user = RecordedContext(try #require(memory.events(named: "seen").first).context).user
        #expect(user.attributes.map(\.value) == ["David"])
        analytics.identify("john")
        #expect(analytics.personID == first)
    }

    @Test
    func `an attribute that is set again for the installation no longer belongs to the user`() throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        analytics.identify("john")
        analytics.setGlobalAttributes(["a": 1, "b": 2, "c": 3], scope: .person)
        analytics.setGlobalAttributes(["a": 4])
        analytics.removeGlobalAttributes(["b"])
        analytics.setGlobalAttributes(["b": 5])
        analytics.signOut()
        analytics.record("seen")
        let event = try #require(memory.events(named: "seen").first)
        #expect(event.global("a") == .integer(4))
        #expect(event.global("b") == .integer(5))
        #expect(event.global("c") == nil)
    }

    @Test
    func `a visitor's global attributes are kept at sign-in and removed at sign-out`() throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        analytics.setGlobalAttributes(["cart": 1], scope: .person)
        analytics.identify("john")
        analytics.record("in")
        analytics.signOut()
        analytics.record("out")
        #expect(try #require(memory.events(named: "in").first).global("cart") == .integer(1))
        #expect(try #require(memory.events(named: "out").first).global("cart") == nil)
    }
}
