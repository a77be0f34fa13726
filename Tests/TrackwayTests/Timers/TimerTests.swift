// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Timed events")
struct TimerTests {
    private func duration(_ memory: InMemoryAnalytics, _ name: String) -> AttributeValue? {
        memory.events(named: name).last?.attributes["event_duration"]
    }

    @Test
    func `ending a timer records an event with its name, its duration in seconds, and the app's attributes and items`()
        throws
    {
        let memory = try InMemoryAnalytics()
        memory.analytics.startTimer("checkout")
        memory.clock.advance(by: .milliseconds(1_234))
        memory.analytics.endTimer("checkout", ["steps": 3], items: [Item(id: "1")])
        let event = try #require(memory.events(named: "checkout").first)
        #expect(event.attributes == ["steps": 3, "event_duration": 1.234])
        #expect(event.items.count == 1)
        #expect(memory.diagnostics.isEmpty)
    }

    @Test
    func `paused time does not count, and pausing or resuming twice changes nothing`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.startTimer("read")
        for step in [memory.analytics.pauseTimer, memory.analytics.pauseTimer] as [(String) -> Void] {
            memory.clock.advance(by: .seconds(2))
            step("read")
        }
        for step in [memory.analytics.resumeTimer, memory.analytics.resumeTimer] as [(String) -> Void] {
            step("read")
            memory.clock.advance(by: .seconds(3))
        }
        memory.analytics.endTimer("read")
        #expect(duration(memory, "read") == 8.0)
    }

    @Test
    func `overlapping timers with the same name are identified by their ids`() throws {
        let memory = try InMemoryAnalytics()
        let first = memory.analytics.startTimer("load")
        memory.clock.advance(by: .seconds(1))
        let second = memory.analytics.startTimer("load", unit: .milliseconds)
        memory.clock.advance(by: .seconds(1))
        memory.analytics.endTimer(first, ["which": "first"])
        #expect(duration(memory, "load") == 2.0)
        memory.analytics.pauseTimer(second)
        memory.clock.advance(by: .seconds(1))
        memory.analytics.resumeTimer(second)
        memory.analytics.endTimer(second)
        #expect(duration(memory, "load") == 1000.0)
        #expect(memory.recorded.count == 2)
    }

    @Test
    func `ending a timer twice or without a start records an event without a duration, and reports it`() throws {
        let memory = try InMemoryAnalytics()
        let id = memory.analytics.startTimer("once")
        memory.analytics.endTimer("once")
        memory.analytics.endTimer("once")
        memory.analytics.endTimer(id)
        memory.analytics.endTimer("never")
        memory.analytics.pauseTimer("never")
        memory.analytics.resumeTimer("never")
        memory.analytics.removeTimer("never")
        #expect(memory.recorded.map(\.name) == ["once", "once", "once", "never"])
        #expect(memory.recorded.map { $0.attributes["event_duration"] != nil } == [true, false, false, false])
        #expect(memory.diagnostics.map(\.code) == Array(repeating: .timerUnknown, count: 6))
    }

    @Test
    func `removed and cleared timers record nothing`() throws {
        let memory = try InMemoryAnalytics()
        let id = memory.analytics.startTimer("a")
        memory.analytics.startTimer("b")
        memory.analytics.removeTimer(id)
        memory.analytics.clearTimers()
        #expect(memory.recorded.isEmpty)
        memory.analytics.endTimer("b")
        #expect(duration(memory, "b") == nil)
    }

    @Test(arguments: [(false, false, 3.0), (true, false, 13.0), (false, true, 1.0), (true, true, 11.0)])
    func `background time counts only if requested, even for a timer that ends in the background`(
        countsBackground: Bool,
        endsThere: Bool,
        seconds: Double
    ) throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.startTimer("trip", countsBackground: countsBackground)
        memory.clock.advance(by: .seconds(1))
        memory.analytics.lifecycleChanged(to: .willResignActive)
        memory.analytics.lifecycleChanged(to: .didEnterBackground)
        memory.analytics.lifecycleChanged(to: .didEnterBackground)
        memory.clock.advance(by: .seconds(10))
        if !endsThere {
            memory.analytics.lifecycleChanged(to: .willEnterForeground)
            memory.analytics.lifecycleChanged(to: .didBecomeActive)
            memory.clock.advance(by: .seconds(2))
        }
        memory.analytics.endTimer("trip")
        #expect(duration(memory, "trip") == .double(seconds))
    }

    @Test
    func `a duration set by the app is kept, and wall clock changes do not affect durations`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.startTimer("t")
        memory.analytics.endTimer("t", ["event_duration": 7])
        #expect(duration(memory, "t") == 7)
        memory.analytics.startTimer("t")
        memory.clock.jumpWall(by: .seconds(-1_000_000))
        memory.clock.advance(by: .seconds(1))
        memory.analytics.endTimer("t")
        #expect(duration(memory, "t") == 1.0)
    }

    @Test
    func `timers end with the process: a timer started before a kill has no duration`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.startTimer("t")
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill(), clock: memory.clock)
        next.analytics.endTimer("t")
        #expect(duration(next, "t") == nil)
        #expect(next.diagnostics.map(\.code) == [.timerUnknown])
    }

    @Test
    func `timers that are never ended are bounded and reported, and invalid names do not trap`() throws {
        let memory = try InMemoryAnalytics()
        for _ in 0..<1_500 { memory.analytics.startTimer("again") }
        #expect(Set(memory.diagnostics.map(\.code)) == [.tooManyTimers])
        #expect(memory.diagnostics.count == 500)
        memory.clock.advance(by: .seconds(1))
        memory.analytics.endTimer("again")
        #expect(duration(memory, "again") == 1.0)
        let long = String(repeating: "ü", count: 10_000)
        for name in ["", long, "\u{0}"] {
            memory.analytics.startTimer(name)
            memory.analytics.endTimer(name)
        }
        #expect(memory.recorded.suffix(3).allSatisfy { $0.attributes["event_duration"] == 0.0 })
    }

    @Test
    func `timers work the same on every thread`() async throws {
        let memory = try InMemoryAnalytics()
        let analytics = memory.analytics
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for round in 0..<100 {
                        let id = analytics.startTimer("t")
                        if round % 3 == 0 { analytics.pauseTimer(id) }
                        if round % 5 == thread { analytics.lifecycleChanged(to: .didEnterBackground) }
                        analytics.endTimer(id)
                    }
                }
            }
        }
        #expect(memory.events(named: "t").count == 800)
        #expect(memory.recorded.allSatisfy { $0.attributes["event_duration"] == 0.0 })
        #expect(memory.diagnostics.isEmpty)
    }
}
