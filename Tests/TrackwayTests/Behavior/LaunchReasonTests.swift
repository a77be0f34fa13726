// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Dispatch
import Testing
import Trackway
import TrackwayBehavior
import TrackwayEvents
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
            dependencies.lifeCycleQueue = queue
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

    @Test(
        "a pending launch records only the app's events, and is a cold start once the app is in the foreground",
        arguments: LaunchReason.allCases.filter(\.isPending)
    )
    func opened(reason: LaunchReason) throws {
        let process = try Process(Self.pending(reason))
        process.analytics.record("early")
        #expect(try process.story == ["early"])
        process.clock.advance(by: .seconds(2))
        process.analytics.lifeCycleChanged(to: .didFinishLaunching)
        process.analytics.lifeCycleChanged(to: .willEnterForeground)
        process.analytics.lifeCycleChanged(to: .didBecomeActive)
        #expect(try process.story == ["early", "_first_open", "_app_start cold", "_session_start 1"])
    }

    @Test("a pending launch that times out is recorded as a passive start")
    func timedOut() throws {
        for reason in LaunchReason.allCases.filter(\.isPending) {
            let process = try Process(Self.pending(reason))
            process.analytics.lifecycle.behavior.begin()
            process.clock.advance(by: LaunchReason.limit)
            process.analytics.lifecycle.behavior.launchTimedOut()
            #expect(try process.story == ["_app_start passive"])
        }
    }

    @Test("a background launch is recorded immediately, and an unopened launch leaves no exit to the next process")
    func background() throws {
        let pushed = try Process(Self.pending(.background))
        pushed.analytics.lifecycle.behavior.begin()
        #expect(try pushed.story == ["_app_start passive"])

        let (clock, storage) = (ManualClock(), MemoryStorage(remembersRemoved: true))
        for _ in 0..<3 {
            let process = try Process(Self.pending(.prewarmed), clock: clock, storage: storage)
            process.analytics.lifecycle.behavior.begin()
            process.analytics.lifecycle.behavior.heartbeat()
            clock.advance(by: .seconds(600))
            process.analytics.lifecycle.behavior.abandon()
        }
        #expect(try Process(Self.pending(.prewarmed), clock: clock, storage: storage).story.isEmpty)
    }

    @Test("lifecycle notifications are timestamped when posted, and processed in order on the queue")
    func stamped() async throws {
        let queue = StorageQueue(label: "test")
        let process = try Process(LaunchConclusion(.user, in: .inactive), queue: queue)
        process.analytics.lifecycle.behavior.begin()
        let isBusy = DispatchSemaphore(value: 0)
        queue.order { isBusy.wait() }
        process.clock.advance(by: .seconds(20))
        process.analytics.lifecycle.follower.announced([.willResignActive, .didEnterBackground], moment: nil)
        process.clock.advance(by: .seconds(5))
        process.analytics.lifecycle.follower.announced([.willEnterForeground, .didBecomeActive], moment: nil)
        process.clock.advance(by: .seconds(7))
        // This heartbeat runs before the notifications are processed, and counts the app as in the foreground so far.
        process.analytics.lifecycle.behavior.heartbeat()
        #expect(try process.story.last == "_session_start 1", "nothing was processed on this thread")
        isBusy.signal()
        await process.analytics.lifecycle.follower.untilSettled()
        #expect(try process.story.suffix(2) == ["_app_end 20s", "_app_start hot"])
        let events = try RecordedEvents.read(in: "/app", of: process.storage)
        let (left, came) = (events[events.count - 2].event.time, events[events.count - 1].event.time)
        #expect(left.duration(to: came) == .seconds(5))
        #expect(came.duration(to: process.clock.now().wall) == .seconds(7))
    }

    @Test("a termination notification waits for its processing, but not indefinitely", .timeLimit(.minutes(30)))
    func terminated() throws {
        let queue = StorageQueue(label: "test")
        let process = try Process(LaunchConclusion(.user, in: .inactive), queue: queue)
        process.analytics.lifecycle.behavior.begin()
        process.analytics.lifecycle.follower.announced([.willTerminate], moment: nil)
        #expect(try process.story.last?.hasPrefix("_app_end") == true)
        let isBusy = DispatchSemaphore(value: 0)
        queue.order { isBusy.wait() }
        process.analytics.lifecycle.follower.announced([.willTerminate], moment: nil)
        isBusy.signal()
    }

    @Test(
        "when background time expires, the request in flight ends, locks are released, and nothing is lost",
        .timeLimit(.minutes(30)),
        arguments: [false, true]
    )
    func expired(early: Bool) async throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.record("event")
        memory.transport.hold()
        await withCheckedContinuation { finished in
            let moment = LifeCycleGracePeriod(limit: .seconds(5)) { finished.resume() }
            if early { moment.expire() }
            memory.analytics.lifecycle.follower.announced([.willResignActive, .didEnterBackground], moment: moment)
            guard !early else { return }
            Task {
                await memory.transport.untilRequested(1)
                moment.expire()
            }
        }
        for name in ["/deliver.lock", "/behavior.lock"] {
            let lock = try memory.storage.lock(memory.folder + name)
            #expect(lock != nil, "\(name)")
            lock?.release()
        }
        #expect(memory.transport.delivered.isEmpty)
        memory.transport.release()
        memory.comeBack()
        let report = await memory.analytics.flush()
        #expect(report.isComplete)
        #expect(memory.transport.delivered.contains { $0.event.name == "event" })
    }

    @Test("a finished background task cannot expire, and an expired one calls later handlers immediately")
    func moments() {
        let calls = Locked<[String]>([])
        let over = LifeCycleGracePeriod(limit: .seconds(1)) { calls.withLock { $0.append("over") } }
        over.whenExpired { calls.withLock { $0.append("hurry") } }
        over.finish()
        over.expire()
        over.whenExpired { calls.withLock { $0.append("late") } }
        #expect(calls.withLock { $0 } == ["over"])
        let short = LifeCycleGracePeriod(limit: .seconds(1)) {}
        short.expire()
        short.whenExpired { calls.withLock { $0.append("at once") } }
        #expect(calls.withLock { $0 } == ["over", "at once"])
    }
}
