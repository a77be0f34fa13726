// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import Trackway

/// An app is launching until its start is recorded: with its first event, a lifecycle change, or after 0.1 seconds.
@Suite("SDK events during the launch")
struct LaunchEventTests {
    /// What ends a launch.
    enum End: CaseIterable, Sendable {
        case event, screen, leaving, time, flush, shutdown

        func happen(to memory: InMemoryAnalytics) async {
            switch self {
            case .event: memory.analytics.record("first")
            case .screen: memory.analytics.screen("Home")
            case .leaving: memory.analytics.lifecycleChanged(to: .willResignActive)
            case .time: memory.analytics.lifecycle.controller.launchEnded()
            case .flush: _ = await memory.analytics.flush(timeout: .zero)
            case .shutdown: await memory.analytics.shutdown(timeout: .zero)
            }
        }

        /// The events recorded by what ends the launch.
        var names: [String] {
            switch self {
            case .event: ["first"]
            case .screen: ["_screen_view"]
            case .shutdown: ["_app_end"]
            case .leaving, .time, .flush: []
            }
        }
    }

    private static let start = ["_first_open", "_app_start", "_session_start"]

    @Test(arguments: End.allCases)
    func `SDK events wait for the start, follow it in order, and keep the time of their cause`(_ end: End) async throws
    {
        let memory = try InMemoryAnalytics.capturing()
        let began = memory.clock.now()
        memory.clock.advance(by: .milliseconds(20))
        memory.analytics.recordAfterLaunch("own 1", ["number": 1])
        memory.clock.advance(by: .milliseconds(20))
        memory.analytics.setGlobalAttributes(["platform": "iOS"])
        memory.analytics.recordAfterLaunch("own 2")
        #expect(memory.names == [])
        memory.clock.advance(by: .milliseconds(end == .time ? 60 : 20))
        await end.happen(to: memory)
        let own = ["own 1", "own 2"]
        #expect(memory.names == Self.start + own + end.names)
        #expect(memory.recorded.allSatisfy { $0.context["global"]?["platform"]?.string == "iOS" })
        #expect(memory.recorded.allSatisfy { $0.session != nil })
        let times = try (own + ["_app_start"]).map { name in
            began.wall.duration(to: try #require(memory.events(named: name).first).event.time)
        }
        #expect(times == [.milliseconds(20), .milliseconds(40), .zero])
        #expect(memory.events(named: "own 1").first?.event.attributes["number"] == 1)
        memory.analytics.recordAfterLaunch("own 3")
        #expect(memory.names.last == "own 3", "events do not wait after the launch")
    }

    @Test
    func `without launch capture, SDK events are recorded immediately and only once`() throws {
        let memory = try InMemoryAnalytics.capturing([])
        memory.analytics.recordAfterLaunch("own")
        memory.analytics.record("first")
        #expect(memory.names == ["own", "first"])
    }

    enum Permission: CaseIterable, Sendable {
        case consent, enabling
    }

    @Test(arguments: Permission.allCases)
    func `permission granted during the launch does not record the start; granted later, it does so immediately`(
        _ permission: Permission
    ) throws {
        func permit(_ memory: InMemoryAnalytics) {
            switch permission {
            case .consent: memory.analytics.setConsent(.granted)
            case .enabling: memory.analytics.isEnabled = true
            }
        }
        func launched() throws -> InMemoryAnalytics {
            try .capturing { configuration in
                switch permission {
                case .consent: configuration.privacy.consent = .denied
                case .enabling: configuration.isEnabled = false
                }
            }
        }
        let early = try launched()
        permit(early)
        early.analytics.setGlobalAttributes(["platform": "iOS"])
        // A decision is recorded at once, because it must not be lost.
        let decision = permission == .consent ? ["_consent"] : []
        #expect(early.names == decision)
        early.clock.advance(by: LifecycleController.startDelay)
        early.analytics.lifecycle.controller.launchEnded()
        #expect(early.names == decision + Self.start)
        #expect(
            early.recorded.dropFirst(decision.count).allSatisfy { $0.context["global"]?["platform"]?.string == "iOS" }
        )

        let late = try launched()
        late.clock.advance(by: LifecycleController.startDelay)
        late.analytics.lifecycle.controller.launchEnded()
        #expect(late.names == [])
        permit(late)
        #expect(late.names == decision + Self.start)
    }

    @Test
    func `SDK events that may not be recorded at the end of the launch are dropped, not held`() throws {
        let memory = try InMemoryAnalytics.capturing { $0.privacy.consent = .denied }
        memory.analytics.recordAfterLaunch("own")
        memory.clock.advance(by: LifecycleController.startDelay)
        memory.analytics.lifecycle.controller.launchEnded()
        memory.analytics.setConsent(.granted)
        #expect(memory.names == ["_consent"] + Self.start)
    }

    @Test
    func `releasing the analytics during the launch records nothing, and the next process launches as usual`() throws {
        var memory: InMemoryAnalytics? = try .capturing()
        let (storage, clock) = (try #require(memory).storage, try #require(memory).clock)
        memory?.analytics.recordAfterLaunch("own")
        memory = nil
        let next = try InMemoryAnalytics.capturing(storage: storage, clock: clock)
        next.analytics.record("first")
        #expect(next.names == Self.start + ["first"])
    }

    @Test
    func `an erasure that an earlier process could not record follows the start, with the app's attributes`()
        async throws
    {
        let memory = try InMemoryAnalytics.capturing([])
        await memory.analytics.shutdown(timeout: .zero)
        _ = try memory.analytics.storage.journal.erase()
        let storage = memory.storageAfterKill()
        // This process is killed during its launch, so the next one records the erasure.
        let killed = try InMemoryAnalytics.capturing(storage: storage, clock: memory.clock)
        #expect(killed.names == [])
        let next = try InMemoryAnalytics.capturing(storage: killed.storageAfterKill(), clock: memory.clock)
        next.analytics.setGlobalAttributes(["platform": "iOS"])
        next.analytics.record("first")
        #expect(next.names == Self.start + ["_installation_erased", "first"])
        #expect(next.recorded.allSatisfy { $0.context["global"]?["platform"]?.string == "iOS" })
    }
}
