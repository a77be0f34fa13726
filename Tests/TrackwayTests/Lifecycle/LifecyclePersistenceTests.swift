// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayJournal
import TrackwayLifecycle
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
            dependencies.lifecycleQueue = StorageQueue(label: "test.lifecycle")
            analytics = try Analytics(configuration, in: dependencies)
            self.environment = environment
            analytics.lifecycle.controller.begin()
        }

        /// The content of the lifecycle file, as text.
        var storedState: String {
            get throws {
                String(
                    decoding: try storage.base.contents(of: InMemoryEnvironment.usualFolder + "/behavior") ?? [],
                    as: UTF8.self
                )
            }
        }

        var story: [String] { environment.recorded.map(\.story) }

        func holdWrites() { storage.hold(.replace, paths: "/behavior") }

        func waitUntilWriting() async throws {
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

    @Test(.timeLimit(.minutes(30)))
    func `screens, events, heartbeats and notifications return while a write hangs, and the last state is written`()
        async throws
    {
        let app = try App()
        app.holdWrites()
        app.analytics.screen("First")
        try await app.waitUntilWriting()
        app.analytics.screen("Second")
        app.analytics.lifecycle.screenTracker.screenAppeared(
            1,
            ScreenView(screen: .init(name: "Third"), attributes: [:], isManual: true)
        )
        app.analytics.lifecycle.controller.heartbeat()
        app.analytics.record("event")
        app.analytics.lifecycle.dispatcher.handle([.willResignActive], gracePeriod: nil)
        await app.analytics.lifecycle.dispatcher.waitUntilSettled()
        #expect(app.storage.heldCalls == 1, "only the writer waits")
        #expect(try !app.storedState.contains("First"))
        let event = try #require(app.environment.recorded.last { $0.event.name == "event" })
        #expect(event.context["screen"]?["name"]?.string == "Third")

        app.storage.release()
        await app.analytics.lifecycle.controller.waitUntilSaved()
        #expect(try app.storedState.contains("Third"))
        await app.analytics.shutdown()
    }

    @Test(.timeLimit(.minutes(30)))
    func `a start is persisted before its events are recorded, and only the lifecycle notification waits for it`()
        async throws
    {
        let app = try App()
        app.analytics.lifecycle.dispatcher.handle([.willResignActive, .didEnterBackground], gracePeriod: nil)
        await app.analytics.lifecycle.dispatcher.waitUntilSettled()
        await app.analytics.lifecycle.controller.waitUntilSaved()
        app.environment.clock.advance(by: .seconds(3_600))
        let before = try app.storedState
        app.holdWrites()
        app.analytics.lifecycle.dispatcher.handle([.willEnterForeground, .didBecomeActive], gracePeriod: nil)
        try await app.waitUntilWriting()
        app.analytics.record("meanwhile")
        app.analytics.screen("Shown")
        app.analytics.lifecycle.controller.heartbeat()
        #expect(!app.story.contains("_session_start 2"))
        #expect(try app.storedState == before)
        app.storage.release()
        await app.analytics.lifecycle.dispatcher.waitUntilSettled()
        await app.analytics.lifecycle.controller.waitUntilSaved()
        #expect(app.story.filter { $0.hasPrefix("_session_start") } == ["_session_start 1", "_session_start 2"])
        #expect(app.story.filter { $0 == "_app_start hot" }.count == 1)
        #expect(try app.storedState.contains("Shown"))
        await app.analytics.shutdown()
    }

    @Test(.timeLimit(.minutes(30)))
    func `a kill between a change and its write loses the change, and no session number is used twice`() async throws {
        let app = try App()
        app.analytics.screen("Kept")
        await app.analytics.lifecycle.controller.waitUntilSaved()
        app.holdWrites()
        app.analytics.screen("Lost")
        app.analytics.record("last")
        try await app.waitUntilWriting()
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

    @Test(.timeLimit(.minutes(30)))
    func `the capture lock is released only after the last state is written`() async throws {
        let app = try App()
        app.holdWrites()
        app.analytics.screen("Last")
        try await app.waitUntilWriting()
        let isOver = Locked(false)
        let gracePeriod = GracePeriod(limit: .seconds(5)) { isOver.withLock { $0 = true } }
        app.analytics.lifecycle.dispatcher.handle([.willResignActive, .didEnterBackground], gracePeriod: gracePeriod)
        #expect(try !app.isPlaceFree)
        app.storage.release()
        await app.analytics.lifecycle.dispatcher.waitUntilSettled()
        #expect(try app.isPlaceFree)
        #expect(try app.storedState.contains("Last"))
        try await Deadline.wait(while: !isOver.withLock({ $0 }))

        app.analytics.lifecycle.dispatcher.handle([.willEnterForeground, .didBecomeActive], gracePeriod: nil)
        await app.analytics.lifecycle.dispatcher.waitUntilSettled()
        #expect(try !app.isPlaceFree)
        #expect(app.story.filter { $0 == "_app_start hot" }.count == 1)
        await app.analytics.shutdown()
    }

    @Test(.timeLimit(.minutes(30)))
    func `a released app and a terminated app both persist the last state`() async throws {
        for terminates in [false, true] {
            let app = try App()
            app.holdWrites()
            app.analytics.screen("Last")
            try await app.waitUntilWriting()
            if terminates {
                // Returns although the write hangs.
                app.analytics.lifecycle.dispatcher.handle([.willTerminate], gracePeriod: nil)
            } else {
                app.analytics.lifecycle.controller.abandon()
            }
            app.storage.release()
            try await Deadline.wait(while: !app.isPlaceFree)
            #expect(try app.storedState.contains("Last"))
            await app.analytics.shutdown()
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `a failed write is reported once, and the next change is written`() async throws {
        let app = try App()
        app.storage.fail(.replace, with: .noSpace, paths: "/behavior")
        for name in ["One", "Two"] {
            app.analytics.screen(name)
            await app.analytics.lifecycle.controller.waitUntilSaved()
        }
        #expect(app.environment.diagnostics.filter { $0.code == .behaviorNotKept }.count == 1)
        app.storage.clearFaults()
        app.analytics.screen("Three")
        await app.analytics.lifecycle.controller.waitUntilSaved()
        #expect(try app.storedState.contains("Three"))
        await app.analytics.shutdown()
    }

    @Test(.timeLimit(.minutes(30)))
    func `a new installation does not inherit a pending write of the erased one`() async throws {
        let app = try App()
        app.holdWrites()
        app.analytics.screen("Secret")
        try await app.waitUntilWriting()
        async let erasing: Void = app.analytics.erase()
        app.storage.release()
        try await erasing
        await app.analytics.lifecycle.controller.waitUntilSaved()
        #expect(try !app.storedState.contains("Secret"))
        await app.analytics.shutdown()
    }
}
