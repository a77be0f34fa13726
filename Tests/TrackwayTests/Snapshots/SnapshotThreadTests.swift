// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Dispatch
import Testing
import Trackway
import TrackwayCore
import TrackwayDelivery
import TrackwayTesting

@Suite("Snapshot threads")
struct SnapshotThreadTests {
    /// A source that does not return until it is released.
    private final class SlowSource: AppStateSource {
        let queryStarted = DispatchSemaphore(value: 0)
        let mayAnswer = DispatchSemaphore(value: 0)

        func appState() -> AppStateSnapshot {
            queryStarted.signal()
            mayAnswer.wait()
            var state = AppStateSnapshot()
            state.batteryLevel = 0.25
            return state
        }
    }

    @Test
    func `a slow source blocks neither snapshot requests nor recording, and its response is recorded`() throws {
        let source = SlowSource()
        let isLogged = DispatchSemaphore(value: 0)
        let storage = MemoryStorage(remembersRemoved: true)
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.logEvents = true
        configuration.snapshots = SnapshotOptions(sources: SnapshotSources(appState: source))
        let analytics = try Analytics(configuration, in: .real(ManualClock(), storage) { isLogged.signal() })
        analytics.collectSnapshot(title: "Checkout")
        source.queryStarted.wait()
        // The source is being called now, on another thread.
        for _ in 0..<100 { analytics.record("meanwhile") }
        for _ in 0..<100 { analytics.collectSnapshot(title: "Again") }
        analytics.lifecycleChanged(to: .willResignActive)
        for _ in 0..<100 { isLogged.wait() }
        let before = try RecordedEvents.read(in: "/app", of: storage)
        #expect(before.map(\.event.name) == Array(repeating: "meanwhile", count: 100))
        source.mayAnswer.signal()
        // One response serves all waiting snapshots: the one for entering the foreground and the requested ones.
        for _ in 0..<102 { isLogged.wait() }
        let states = try RecordedEvents.read(in: "/app", of: storage).dropFirst(100)
        #expect(states.count == 102)
        #expect(states.allSatisfy { $0.event.name == CapturedName.appState })
        #expect(states.allSatisfy { $0.attributes["battery_level"]?.double == 0.25 })
    }

    /// A source that makes the disk hang after it responds.
    private struct BlockingSource: AppStateSource {
        let storage: FaultyStorage

        func appState() -> AppStateSnapshot {
            storage.hold(.replace, paths: "/snapshots")
            return AppStateSnapshot()
        }
    }

    @Test
    func `an erasure discards the snapshot state being written and the snapshot about to be recorded`() async throws {
        let storage = FaultyStorage(MemoryStorage(remembersRemoved: true))
        let sensors = SimulatedSensors()
        sensors.deviceProperties[.deviceModel] = "phone"
        var sources = SnapshotSources(appState: BlockingSource(storage: storage))
        sources.deviceProperties = sensors.sources.deviceProperties
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.snapshots = SnapshotOptions(sources: sources)
        let memory = try InMemoryAnalytics(configuration, storage: storage)
        let analytics = memory.analytics
        async let collected: Void = runOnThread { analytics.collectSnapshot() }
        try await Deadline.wait(while: storage.heldCalls == 0)
        #expect(memory.events(named: CapturedName.deviceProperties).count == 1)
        try #require(analytics.lifecycle.snapshots).forget()
        storage.release()
        await collected
        #expect(try storage.contents(of: "/app/snapshots") == nil)
        #expect(memory.events(named: CapturedName.appState).isEmpty)
    }

    @Test
    func `sensors stop when the app releases the SDK`() throws {
        let sensors = SimulatedSensors()
        sensors.motion = .raw
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.snapshots = SnapshotOptions(allowsMotion: true)
        var memory: InMemoryAnalytics? = try InMemoryAnalytics(configuration, sensors: sensors)
        memory?.analytics.collectSnapshot()
        #expect(sensors.running == [.motion])
        memory = nil
        #expect(sensors.running.isEmpty)
        #expect(sensors.stops(.motion) == 1)
    }

    /// Runs blocking code on a separate thread.
    private func runOnThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { waiter in
            DispatchQueue(label: "test").async {
                body()
                waiter.resume()
            }
        }
    }

    /// Never ends if no snapshot is taken.
    @Test
    func `snapshots are taken automatically at intervals, and again after a time in the background`() async throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.snapshots = SnapshotOptions()
        let memory = try InMemoryAnalytics(configuration)
        func states() -> Int { memory.events(named: CapturedName.appState).count }
        func settle(_ steps: Int = 1) async {
            for _ in 0..<steps {
                memory.clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        while states() < 2 { await settle() }
        memory.analytics.lifecycleChanged(to: .didEnterBackground)
        let before = states()
        await settle(600)
        #expect(states() == before)
        memory.analytics.lifecycleChanged(to: .didBecomeActive)
        while states() < before + 2 { await settle() }
    }

    @Test
    func `the example in the documentation works as described`() throws {
        let sensors = SimulatedSensors()
        sensors.appState.batteryLevel = 0.42
        var configuration = InMemoryAnalytics.usualConfiguration
        var snapshots = SnapshotOptions()
        snapshots.policy = SnapshotPolicy(atMost: 10, per: .seconds(60), atLeastEvery: .seconds(300))
        snapshots.allowsLocation = false
        configuration.snapshots = snapshots
        let memory = try InMemoryAnalytics(configuration, sensors: sensors)
        memory.analytics.collectSnapshot(title: "Checkout")
        #expect(memory.events(named: "_app_state").last?.attributes["battery_level"]?.double == 0.42)
    }
}

extension Dependencies {
    /// An environment that calls sources on the system's threads.
    fileprivate static func real(
        _ clock: ManualClock,
        _ storage: MemoryStorage,
        logged: @escaping @Sendable () -> Void
    ) -> Dependencies {
        Dependencies(
            clock: clock,
            ids: EventIDGenerator(),
            storage: storage,
            folder: "/app",
            segmentBytes: 65_536,
            transport: ScriptedTransport(),
            sleeper: ManualSleeper(clock),
            random: SeededGenerator(seed: 1),
            facts: ContextFacts(app: [:], device: [:], boot: "boot"),
            log: { _ in },
            write: { _ in logged() }
        )
    }
}
