// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Dispatch
import Testing
import Trackway
import TrackwayCore
import TrackwayLifecycle
import TrackwayPlatform
import TrackwayTesting

@testable import Trackway

@Suite("Launch reasons and lifecycle notifications on the main thread")
struct LaunchReasonTests {
    /// One process of an app, with access to its environment.
    private struct Process {
        let analytics: Analytics
        let clock: ManualClock
        let storage: MemoryStorage
        let queue: StorageQueue?

        init(
            _ launch: LaunchConclusion,
            clock: ManualClock = ManualClock(),
            storage: MemoryStorage = MemoryStorage(remembersRemoved: true),
            queue: StorageQueue? = nil
        ) throws {
            var configuration = InMemoryAnalytics.usualConfiguration
            configuration.capture = .standard
            var dependencies = Dependencies.launched(in: launch.state, clock, storage)
            dependencies.launch = launch
            dependencies.lifecycleQueue = queue
            analytics = try Analytics(configuration, in: dependencies)
            (self.clock, self.storage, self.queue) = (clock, storage, queue)
        }

        var story: [String] {
            get throws { try RecordedEvents.read(in: "/app", of: storage).map(\.story) }
        }
    }

    private static func pending(_ reason: LaunchReason) -> LaunchConclusion {
        LaunchConclusion(reason, in: .background)
    }

    @Test(arguments: LaunchReason.allCases.filter(\.isPending))
    func `a pending launch records only the app's events, and is a cold start once the app is in the foreground`(
        reason: LaunchReason
    ) throws {
        let process = try Process(Self.pending(reason))
        process.analytics.record("early")
        #expect(try process.story == ["early"])
        process.clock.advance(by: .seconds(2))
        process.analytics.lifecycleChanged(to: .didFinishLaunching)
        process.analytics.lifecycleChanged(to: .willEnterForeground)
        process.analytics.lifecycleChanged(to: .didBecomeActive)
        #expect(try process.story == ["early", "_first_open", "_app_start cold", "_session_start 1"])
    }

    @Test
    func `a pending launch that times out is recorded as a passive start`() throws {
        for reason in LaunchReason.allCases.filter(\.isPending) {
            let process = try Process(Self.pending(reason))
            process.analytics.lifecycle.controller.begin()
            process.clock.advance(by: LaunchReason.limit)
            process.analytics.lifecycle.controller.launchTimedOut()
            #expect(try process.story == ["_app_start passive"])
        }
    }

    @Test
    func `a background launch is recorded immediately, and an unopened launch leaves no exit to recover`() throws {
        let pushed = try Process(Self.pending(.background))
        pushed.analytics.lifecycle.controller.begin()
        #expect(try pushed.story == ["_app_start passive"])

        let (clock, storage) = (ManualClock(), MemoryStorage(remembersRemoved: true))
        for _ in 0..<3 {
            let process = try Process(Self.pending(.prewarmed), clock: clock, storage: storage)
            process.analytics.lifecycle.controller.begin()
            process.analytics.lifecycle.controller.heartbeat()
            clock.advance(by: .seconds(600))
            process.analytics.lifecycle.controller.abandon()
        }
        #expect(try Process(Self.pending(.prewarmed), clock: clock, storage: storage).story.isEmpty)
    }

    @Test
    func `lifecycle notifications are timestamped when posted, and processed in order on the queue`() async throws {
        let queue = StorageQueue(label: "test")
        let process = try Process(LaunchConclusion(.user, in: .inactive), queue: queue)
        process.analytics.lifecycle.controller.begin()
        let isBusy = DispatchSemaphore(value: 0)
        queue.enqueue { isBusy.wait() }
        process.clock.advance(by: .seconds(20))
        process.analytics.lifecycle.dispatcher.handle([.willResignActive, .didEnterBackground], gracePeriod: nil)
        process.clock.advance(by: .seconds(5))
        process.analytics.lifecycle.dispatcher.handle([.willEnterForeground, .didBecomeActive], gracePeriod: nil)
        process.clock.advance(by: .seconds(7))
        // This heartbeat runs before the notifications are processed, when the app still counts as in the foreground.
        process.analytics.lifecycle.controller.heartbeat()
        #expect(try process.story.last == "_session_start 1", "nothing was processed on this thread")
        isBusy.signal()
        await process.analytics.lifecycle.dispatcher.waitUntilSettled()
        #expect(try process.story.suffix(2) == ["_app_end 20s", "_app_start hot"])
        let events = try RecordedEvents.read(in: "/app", of: process.storage)
        let (left, came) = (events[events.count - 2].event.time, events[events.count - 1].event.time)
        #expect(left.duration(to: came) == .seconds(5))
        #expect(came.duration(to: process.clock.now().wall) == .seconds(7))
    }

    @Test(.timeLimit(.minutes(30)))
    func `a termination notification waits for its processing, but not indefinitely`() throws {
        let queue = StorageQueue(label: "test")
        let process = try Process(LaunchConclusion(.user, in: .inactive), queue: queue)
        process.analytics.lifecycle.controller.begin()
        process.analytics.lifecycle.dispatcher.handle([.willTerminate], gracePeriod: nil)
        #expect(try process.story.last?.hasPrefix("_app_end") == true)
        let isBusy = DispatchSemaphore(value: 0)
        queue.enqueue { isBusy.wait() }
        process.analytics.lifecycle.dispatcher.handle([.willTerminate], gracePeriod: nil)
        isBusy.signal()
    }

    @Test(
        .timeLimit(.minutes(30)),
        arguments: [false, true]
    )
    func `when background time expires, the request in flight ends, locks are released, and nothing is lost`(
        early: Bool
    ) async throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.record("event")
        memory.transport.hold()
        await withCheckedContinuation { finished in
            let gracePeriod = GracePeriod(limit: .seconds(5)) { finished.resume() }
            if early { gracePeriod.expire() }
            memory.analytics.lifecycle.dispatcher.handle(
                [.willResignActive, .didEnterBackground],
                gracePeriod: gracePeriod
            )
            guard !early else { return }
            Task {
                await memory.transport.untilRequested(1)
                gracePeriod.expire()
            }
        }
        for name in ["/deliver.lock", "/behavior.lock"] {
            let lock = try memory.storage.lock(memory.folder + name)
            #expect(lock != nil, "\(name)")
            lock?.release()
        }
        #expect(memory.transport.delivered.isEmpty)
        memory.transport.release()
        memory.returnToForeground()
        let report = await memory.analytics.flush()
        #expect(report.isComplete)
        #expect(memory.transport.delivered.contains { $0.event.name == "event" })
    }

    @Test
    func `a finished background task cannot expire, and an expired one calls later handlers immediately`() {
        let calls = Locked<[String]>([])
        let over = GracePeriod(limit: .seconds(1)) { calls.withLock { $0.append("over") } }
        over.onExpiration { calls.withLock { $0.append("hurry") } }
        over.finish()
        over.expire()
        over.onExpiration { calls.withLock { $0.append("late") } }
        #expect(calls.withLock { $0 } == ["over"])
        let short = GracePeriod(limit: .seconds(1)) {}
        short.expire()
        short.onExpiration { calls.withLock { $0.append("at once") } }
        #expect(calls.withLock { $0 } == ["over", "at once"])
    }
}
