// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayBehavior
import TrackwayEvents
import TrackwayJournal
import TrackwayPlatform
import TrackwayTesting

@testable import Trackway

@Suite("Lifecycle persistence off the main thread", .serialized)
struct LifecyclePersistenceTests {
    /// A foreground app on a system that posts lifecycle notifications on the main thread.
    private struct App {
        let environment: InMemoryEnvironment
        let analytics: Analytics
        var storage: FaultyStorage { environment.storage }

        init(_ environment: InMemoryEnvironment = InMemoryEnvironment()) throws {
            var configuration = InMemoryAnalytics.usualConfiguration
            configuration.capture = .standard
            configuration.run(in: environment)
            var dependencies = try environment.dependencies(for: configuration)
            dependencies.lifeCycleQueue = StorageQueue(label: "test.life-cycle")
            analytics = try Analytics(configuration, in: dependencies)
            self.environment = environment
            analytics.lifecycle.behavior.begin()
        }

        /// The content of the lifecycle file, as text.
        var kept: String {
            get throws {
                String(
                    decoding: try storage.base.contents(of: InMemoryEnvironment.usualFolder + "/behavior") ?? [],
                    as: UTF8.self
                )
            }
        }

        var story: [String] { environment.recorded.map(\.story) }

        func holdWrites() { storage.hold(.replace, paths: "/behavior") }

        func untilWriting() async throws {
            try await Deadline.wait(while: storage.heldCalls == 0)
        }

        /// Whether another process could start capturing now.
        var isPlaceFree: Bool {
            get throws {
                let lock = try storage.base.lock(InMemoryEnvironment.usualFolder + "/behavior.lock")
                lock?.release()
                return lock != nil
            }
        }
    }

    @Test(
        "screens, events, heartbeats and notifications return while a write hangs, and the last state is written",
        .timeLimit(.minutes(30))
    )
    func returns() async throws {
        let app = try App()
        app.holdWrites()
        app.analytics.screen("First")
        try await app.untilWriting()
        app.analytics.screen("Second")
        app.analytics.lifecycle.screenTracker.appeared(
            1,
            ScreenView(screen: .init(name: "Third"), attributes: [:], isManual: true)
        )
        app.analytics.lifecycle.behavior.heartbeat()
        app.analytics.record("event")
        app.analytics.lifecycle.follower.announced([.willResignActive], moment: nil)
        await app.analytics.lifecycle.follower.untilSettled()
        #expect(app.storage.heldCalls == 1, "only the writer waits")
        #expect(try !app.kept.contains("First"))
        let event = try #require(app.environment.recorded.last { $0.event.name == "event" })
        #expect(event.context["screen"]?["name"]?.string == "Third")

        app.storage.release()
        await app.analytics.lifecycle.behavior.untilSaved()
        #expect(try app.kept.contains("Third"))
        await app.analytics.shutdown()
    }

    @Test(
        "a start is persisted before its events are recorded, and only the lifecycle notification waits for it",
        .timeLimit(.minutes(30))
    )
    func before() async throws {
        let app = try App()
        app.analytics.lifecycle.follower.announced([.willResignActive, .didEnterBackground], moment: nil)
        await app.analytics.lifecycle.follower.untilSettled()
        await app.analytics.lifecycle.behavior.untilSaved()
        app.environment.clock.advance(by: .seconds(3_600))
        let before = try app.kept
        app.holdWrites()
        app.analytics.lifecycle.follower.announced([.willEnterForeground, .didBecomeActive], moment: nil)
        try await app.untilWriting()
        app.analytics.record("meanwhile")
        app.analytics.screen("Shown")
        app.analytics.lifecycle.behavior.heartbeat()
        #expect(!app.story.contains("_session_start 2"))
        #expect(try app.kept == before)
        app.storage.release()
        await app.analytics.lifecycle.follower.untilSettled()
        await app.analytics.lifecycle.behavior.untilSaved()
        #expect(app.story.filter { $0.hasPrefix("_session_start") } == ["_session_start 1", "_session_start 2"])
        #expect(app.story.filter { $0 == "_app_start hot" }.count == 1)
        #expect(try app.kept.contains("Shown"))
        await app.analytics.shutdown()
    }

    @Test(
        "a kill between a change and its write loses the change, and no session number is used twice",
        .timeLimit(.minutes(30))
    )
    func killed() async throws {
        let app = try App()
        app.analytics.screen("Kept")
        await app.analytics.lifecycle.behavior.untilSaved()
        app.holdWrites()
        app.analytics.screen("Lost")
        app.analytics.record("last")
        try await app.untilWriting()
        let next = app.environment.nextProcess()
        next.clock.advance(by: .seconds(10))
        let app2 = try App(next)
        #expect(app2.story.filter { $0.hasPrefix("_first_open") }.count == 1)
        #expect(app2.story.filter { $0.hasPrefix("_session_start") } == ["_session_start 1"], "the session continues")
        let exit = try #require(next.recorded.last { $0.event.name == "_app_end" })
        #expect(exit.context["screen"]?["name"]?.string == "Kept", "the exit is recorded on the persisted screen")
        #expect(next.recorded.last { $0.event.name == "last" }?.context["screen"]?["name"]?.string == "Lost")
        app.storage.release()
        await app2.analytics.shutdown()
        await app.analytics.shutdown()
    }

    @Test("the capture lock is released only after the last state is written", .timeLimit(.minutes(30)))
    func stepsAside() async throws {
        let app = try App()
        app.holdWrites()
        app.analytics.screen("Last")
        try await app.untilWriting()
        let isOver = Locked(false)
        let moment = LifeCycleGracePeriod(limit: .seconds(5)) { isOver.withLock { $0 = true } }
        app.analytics.lifecycle.follower.announced([.willResignActive, .didEnterBackground], moment: moment)
        #expect(try !app.isPlaceFree)
        app.storage.release()
        await app.analytics.lifecycle.follower.untilSettled()
        #expect(try app.isPlaceFree)
        #expect(try app.kept.contains("Last"))
        try await Deadline.wait(while: !isOver.withLock({ $0 }))

        app.analytics.lifecycle.follower.announced([.willEnterForeground, .didBecomeActive], moment: nil)
        await app.analytics.lifecycle.follower.untilSettled()
        #expect(try !app.isPlaceFree)
        #expect(app.story.filter { $0 == "_app_start hot" }.count == 1)
        await app.analytics.shutdown()
    }

    @Test("a released app and a terminated app both persist the last state", .timeLimit(.minutes(30)))
    func ends() async throws {
        for terminates in [false, true] {
            let app = try App()
            app.holdWrites()
            app.analytics.screen("Last")
            try await app.untilWriting()
            if terminates {
                // Returns although the write hangs.
                app.analytics.lifecycle.follower.announced([.willTerminate], moment: nil)
            } else {
                app.analytics.lifecycle.behavior.abandon()
            }
            app.storage.release()
            try await Deadline.wait(while: !app.isPlaceFree)
            #expect(try app.kept.contains("Last"))
            await app.analytics.shutdown()
        }
    }

    @Test("a failed write is reported once, and the next change is written", .timeLimit(.minutes(30)))
    func fails() async throws {
        let app = try App()
        app.storage.fail(.replace, with: .noSpace, paths: "/behavior")
        for name in ["One", "Two"] {
            app.analytics.screen(name)
            await app.analytics.lifecycle.behavior.untilSaved()
        }
        #expect(app.environment.diagnostics.filter { $0.code == .behaviorNotKept }.count == 1)
        app.storage.heal()
        app.analytics.screen("Three")
        await app.analytics.lifecycle.behavior.untilSaved()
        #expect(try app.kept.contains("Three"))
        await app.analytics.shutdown()
    }

    @Test("a new installation does not inherit a pending write of the erased one", .timeLimit(.minutes(30)))
    func erased() async throws {
        let app = try App()
        app.holdWrites()
        app.analytics.screen("Secret")
        try await app.untilWriting()
        async let erasing: Void = app.analytics.erase()
        app.storage.release()
        try await erasing
        await app.analytics.lifecycle.behavior.untilSaved()
        #expect(try !app.kept.contains("Secret"))
        await app.analytics.shutdown()
    }
}
