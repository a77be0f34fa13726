// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayJournal
import TrackwayTesting

@Suite("Capture after kills, damage and denied consent")
struct CaptureFailureTests {
    @Test
    func `an exit lost to a kill is recorded at the next start, in its session, at the time of the last activity`()
        async throws
    {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.screen("Home")
        let session = try #require(memory.recorded.last?.session)
        // An event before the first heartbeat makes a second heartbeat due.
        memory.analytics.record("read")
        // Two heartbeats, the second after twice the interval, then ten seconds that no heartbeat covers.
        for alive in [30_100, 90_200] {
            let before = try memory.persistedLifecycle
            let due = MonotonicTime(milliseconds: 1_000_000 + Int64(alive))
            // A later wake-up belongs to another task: the heartbeat may not have started to sleep yet.
            try await Deadline.wait(while: memory.clock.nextWake.map({ $0 > due }) ?? true)
            try await Deadline.wait(while: memory.persistedLifecycle == before) {
                if let next = memory.clock.nextWake, next <= due { memory.clock.advanceToNextSleeper() }
            }
        }
        memory.clock.advance(by: .seconds(10))
        let next = try memory.restartedAfterKill()
        next.clock.advance(by: .seconds(60))
        next.analytics.record("next")
        let new = next.recorded.filter { $0.writer != memory.recorded[0].writer }
        #expect(new.map(\.event.name) == ["_user_engagement", "_app_end", "_app_start", "next"])
        let exit = try #require(next.events(named: "_app_end").first)
        #expect(exit.attributes["_is_recovered"] == true)
        #expect(exit.session == session)
        let duration = try #require(exit.attributes["_foreground_duration_msec"]?.integer)
        #expect((90_000..<91_000).contains(duration))
        #expect(new.last?.session == session, "the kill and the return were within the session timeout")
        #expect(next.events(named: "_first_open").count == 1)
    }

    @Test
    func `an idle app writes nothing and schedules no heartbeat until it is used again`() async throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.screen("Home")
        let behavior = memory.analytics.lifecycle.controller
        let started = try memory.persistedLifecycle
        await memory.passTime { behavior.heartbeatDue == nil }
        let storedState = try memory.persistedLifecycle
        #expect(storedState != started)
        let end = memory.clock.now().monotonic.advanced(by: .seconds(36_000))
        await memory.passTime {
            #expect(behavior.heartbeatDue == nil)
            return memory.clock.nextWake.map { $0 > end } ?? true
        }
        #expect(try memory.persistedLifecycle == storedState)
        memory.analytics.record("used again")
        let due = try #require(behavior.heartbeatDue)
        await memory.passTime { behavior.heartbeatDue == nil }
        #expect(memory.clock.now().monotonic >= due)
        #expect(try memory.persistedLifecycle != storedState)
    }

    @Test
    func `the state after any call survives an immediate kill`() throws {
        let memory = try InMemoryAnalytics.capturing()
        let inputs: [(InMemoryAnalytics) -> Void] = [
            { $0.analytics.record("event") }, { $0.analytics.screen("Home") }, { $0.goToBackground() },
            { $0.returnToForeground() }, { $0.analytics.screen("Cart") },
            { $0.analytics.lifecycleChanged(to: .willTerminate) },
        ]
        for (number, input) in inputs.enumerated() {
            input(memory)
            memory.clock.advance(by: .seconds(2))
            let next = try memory.restartedAfterKill()
            next.analytics.record("next")
            #expect(next.events(named: "_first_open").count == 1, "after input \(number)")
            #expect(next.events(named: "_session_start").count == 1, "after input \(number)")
            let starts = next.events(named: "_app_start").count
            #expect(next.events(named: "_app_end").count == starts - 1, "after input \(number)")
            #expect(next.recorded.last?.session == memory.recorded.last?.session, "after input \(number)")
        }
    }

    @Test
    func `a process killed before its start is recorded leaves the first open to the next process`() throws {
        let memory = try InMemoryAnalytics.capturing()
        let next = try memory.restartedAfterKill()
        next.analytics.record("event")
        #expect(next.names == ["_first_open", "_app_start", "_session_start", "event"])
    }

    @Test(arguments: ["", "{", "[]", #"{"version":1}"#, #"{"version":1,"behavior":{}}"#, "\u{0}\u{0}\u{0}"])
    func `a damaged lifecycle file is reported, loses no events, and causes no second first open`(content: String)
        throws
    {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.record("event")
        let disk = memory.storageAfterKill()
        memory.clock.advance(by: .milliseconds(10))
        try disk.replace(memory.folder + "/behavior", with: Array(content.utf8), durably: true)
        let next = try InMemoryAnalytics.capturing(storage: disk, clock: memory.clock)
        next.analytics.record("next")
        #expect(next.diagnostics.map(\.code) == [.behaviorDamaged])
        #expect(next.events(named: "_first_open").count == 1)
        #expect(next.events(named: "_app_start").map { $0.attributes["_is_first_start"] } == [true, false])
        #expect(next.recorded.last?.session != nil)
        #expect(next.events(named: "next").count == 1)
        let last = try next.restartedAfterKill()
        last.analytics.record("last")
        #expect(last.diagnostics.isEmpty)
    }

    @Test
    func `a file that is currently unreadable is not replaced, and the next change reads it again`() throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.record("event")
        let session = try #require(memory.recorded.last?.session)
        let disk = memory.storageAfterKill()
        let storedState = try disk.contents(of: memory.folder + "/behavior")
        disk.fail(.contents, with: .inputOutput, paths: "/behavior")
        let next = try InMemoryAnalytics.capturing(storage: disk, clock: memory.clock)
        next.analytics.record("unknown")
        #expect(next.diagnostics.map(\.code) == [.behaviorNotKept])
        #expect(next.events(named: "unknown").count == 1)
        disk.clearFaults()
        #expect(try disk.contents(of: memory.folder + "/behavior") == storedState)
        next.analytics.lifecycleChanged(to: .didBecomeActive)
        next.analytics.record("known")
        #expect(next.recorded.last?.session == session)
        #expect(next.events(named: "_first_open").count == 1)
    }

    @Test
    func `on a full disk, capture continues, one failure is reported, and state is persisted once there is space`()
        throws
    {
        let memory = try InMemoryAnalytics.capturing()
        memory.storage.fail(.replace, with: .noSpace, paths: "/behavior")
        memory.analytics.record("event")
        memory.analytics.screen("Home")
        memory.analytics.screen("Cart")
        #expect(memory.diagnostics.map(\.code) == [.behaviorNotKept])
        #expect(memory.events(named: "_screen_view").count == 2)
        memory.storage.clearFaults()
        memory.analytics.screen("Pay")
        let next = try memory.restartedAfterKill()
        next.analytics.record("next")
        #expect(next.events(named: "_first_open").count == 1)
        #expect(next.recorded.last?.session == memory.recorded.last?.session)
    }

    @Test
    func `while one process captures, another records in its session without capturing, and then takes over`() throws {
        let clock = ManualClock()
        var first: InMemoryAnalytics? = try .capturing(clock: clock)
        first?.analytics.record("of_first")
        let disk = try #require(first?.storage)
        let session = try #require(first?.recorded.last?.session)
        clock.advance(by: .milliseconds(10))
        let second = try InMemoryAnalytics.capturing(storage: disk, clock: clock)
        second.analytics.record("of_second")
        second.goToBackground()
        second.returnToForeground()
        #expect(second.names == ["_first_open", "_app_start", "_session_start", "of_first", "of_second"])
        #expect(second.events(named: "of_second").first?.session == session)
        second.analytics.screen("Extension")
        #expect(second.events(named: "_screen_view").first?.session == session)
        // Releasing the first process records its exit and frees its lock.
        first = nil
        second.goToBackground()
        second.returnToForeground()
        #expect(second.events(named: "_app_start").count >= 2)
        let exits = second.events(named: "_app_end")
        #expect(!exits.isEmpty && exits.allSatisfy { $0.attributes["_is_recovered"] == nil })
    }

    enum Refusal: CaseIterable {
        case denied, disabled
    }

    @Test(arguments: Refusal.allCases)
    func `nothing is captured while recording is not allowed, and the start is recorded once it is allowed`(
        _ refusal: Refusal
    ) throws {
        let memory = try InMemoryAnalytics.capturing {
            if refusal == .denied { $0.privacy.consent = .denied } else { $0.isEnabled = false }
        }
        memory.analytics.record("refused")
        memory.analytics.screen("Refused")
        memory.clock.advance(by: .seconds(60))
        #expect(memory.names.isEmpty)
        #expect(try memory.persistedLifecycle == nil)
        let allowed = memory.clock.now()
        if refusal == .denied { memory.analytics.setConsent(.granted) } else { memory.analytics.isEnabled = true }
        memory.analytics.record("allowed")
        let decision = refusal == .denied ? ["_consent"] : []
        #expect(memory.names == decision + ["_first_open", "_app_start", "_session_start", "allowed"])
        #expect(memory.recorded.allSatisfy { $0.time == allowed.wall })
        #expect(memory.recorded.last?.screen == nil)
    }

    @Test
    func `disabling the SDK at run time suppresses even the exit`() throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.record("event")
        memory.analytics.isEnabled = false
        memory.goToBackground()
        #expect(memory.names.last == "event")
        memory.analytics.isEnabled = true
        memory.returnToForeground()
        #expect(memory.names.last == "_app_start")
    }

    @Test
    func `erasing resets sessions: the tombstone is the first event, and the next event starts a first session`()
        async throws
    {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.screen("Home")
        let session = try #require(memory.recorded.last?.session)
        try await memory.analytics.erase()
        memory.analytics.record("after")
        let after = try RecordedEvents.read(in: memory.folder, of: memory.storage)
        #expect(
            after.map(\.event.name) == ["_installation_erased", "_first_open", "_app_start", "_session_start", "after"]
        )
        #expect(after.first?.session == nil)
        #expect(after.first?.screen == nil)
        #expect(after.last?.session != nil)
        #expect(after.last?.session != session)
    }

    @Test
    func `after a shutdown nothing is written automatically, and no heartbeat is scheduled`() async throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.record("event")
        await memory.analytics.shutdown()
        // The shutdown itself records the exit.
        #expect(memory.names.last == "_app_end")
        let storedState = try memory.persistedLifecycle
        try await Deadline.wait(while: memory.clock.advanceToNextSleeper())
        #expect(memory.clock.sleepers == 0)
        #expect(try memory.persistedLifecycle == storedState)
    }

    @Test
    func `a released instance frees the context store for the next one immediately`() throws {
        let clock = ManualClock()
        let disk = FaultyStorage(MemoryStorage(remembersRemoved: true))
        for round in 1...3 {
            let memory = try InMemoryAnalytics.capturing(storage: disk, clock: clock)
            memory.analytics.record("event")
            #expect(memory.events(named: "_app_start").count == round)
        }
    }
}
