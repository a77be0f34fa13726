// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Collection policy")
struct CollectionPolicyTests {
    @Test
    func `blocked events of the app and the SDK are not recorded, and the receipt gives the reason`() throws {
        let memory = try InMemoryAnalytics.capturing()
        let callCount = Locked(0)
        memory.analytics.setGlobalAttributesProvider {
            callCount.withLock { $0 += 1 }
            return [:]
        }
        memory.analytics.setCollectionPolicy(CollectionPolicy(blockedEvents: ["noise", "_screen_view"]))
        memory.analytics.record("start")
        let before = callCount.withLock { $0 }
        let receipt = memory.analytics.record("noise")
        #expect(receipt.dropped == .notCollected)
        #expect(receipt.durability == .none)
        #expect(callCount.withLock { $0 } == before, "an event that is not recorded requests no attributes")
        memory.analytics.screen("Home")
        memory.analytics.record("event")
        #expect(memory.names == ["_first_open", "_app_start", "_session_start", "start", "event"])
        #expect(memory.recorded.last?.screen == "Home")
        memory.analytics.setCollectionPolicy(nil)
        memory.analytics.record("noise")
        #expect(memory.names.last == "noise")
    }

    @Test
    func `turning collection off stops recording but sends pending events, and turning it on resumes recording`()
        async throws
    {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("before")
        memory.analytics.setCollectionPolicy(CollectionPolicy(isEnabled: false))
        #expect(memory.analytics.record("off").dropped == .notCollected)
        let report = await memory.analytics.flush()
        #expect(report.isComplete)
        memory.analytics.setCollectionPolicy(CollectionPolicy())
        memory.analytics.record("on")
        #expect(memory.recorded.map(\.event.name) == ["before", "on"])
        #expect(memory.analytics.ledger().isBalanced)
    }

    @Test
    func `a policy restricts capture, and the policies of app and back end both apply, even after a kill`() throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.setCollectionPolicy(CollectionPolicy(capture: [.launches, .sessions]))
        memory.analytics.setCollectionPolicy(CollectionPolicy(blockedEvents: ["noise"]), from: .backEnd)
        memory.analytics.screen("Home")
        memory.clock.advance(by: .seconds(10))
        memory.goToBackground()
        #expect(memory.events(named: "_app_end").count == 1)
        #expect(memory.events(named: "_user_engagement").isEmpty)
        let next = try memory.restartedAfterKill()
        #expect(next.analytics.collectionPolicy.blockedEvents == ["noise"])
        #expect(next.analytics.collectionPolicy.capture == [.launches, .sessions])
        #expect(next.analytics.record("noise").dropped == .notCollected)
        next.analytics.setCollectionPolicy(nil, from: .backEnd)
        #expect(next.analytics.record("noise").dropped == nil)
        #expect(next.analytics.collectionPolicy.capture == [.launches, .sessions])
    }
}
