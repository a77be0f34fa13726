// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("App state at launch")
struct AppStateTests {
    @Test(
        arguments: [[], [.didFinishLaunching], [.willResignActive], [.didFinishLaunching, .willResignActive]]
            as [[LifecycleChange]]
    )
    func `an app launched in the background stays there until it becomes active, and then rereads its facts`(
        announced: [LifecycleChange]
    ) throws {
        let storage = MemoryStorage(remembersRemoved: true)
        let analytics = try Self.launched(in: .background, storage)
        for change in announced { analytics.lifecycleChanged(to: change) }
        analytics.lifecycleChanged(to: .didBecomeActive)
        analytics.record("seen")
        #expect(try Self.zone(in: storage) == "anew")
    }

    @Test
    func `a launch notification in the foreground is not a return from the background`() throws {
        let storage = MemoryStorage(remembersRemoved: true)
        let analytics = try Self.launched(in: .inactive, storage)
        analytics.lifecycleChanged(to: .didFinishLaunching)
        analytics.lifecycleChanged(to: .didBecomeActive)
        analytics.record("seen")
        #expect(try Self.zone(in: storage) == "old")
    }

    private static func launched(in state: AppState, _ storage: MemoryStorage) throws -> Analytics {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = .standard
        return try Analytics(configuration, in: .launched(in: state, ManualClock(), storage))
    }

    /// The time zone recorded with the event "seen".
    private static func zone(in storage: MemoryStorage) throws -> String? {
        let events = try RecordedEvents.read(in: "/app", of: storage)
        return events.last { $0.event.name == "seen" }?.context["device"]?["zone"]?.string
    }
}

extension Dependencies {
    /// An app launched in `state` whose device has changed time zones since.
    static func launched(in state: AppState, _ clock: ManualClock, _ storage: MemoryStorage) -> Dependencies {
        Dependencies(
            clock: clock,
            ids: EventIDGenerator(),
            storage: storage,
            folder: "/app",
            segmentBytes: 65_536,
            transport: ScriptedTransport(),
            sleeper: ManualSleeper(clock),
            random: SeededGenerator(seed: 1),
            facts: ContextFacts(app: [:], device: ["zone": "old"], boot: "boot"),
            log: { _ in },
            write: { _ in },
            launchState: state,
            refreshFacts: { ContextFacts(app: [:], device: ["zone": "anew"], boot: "boot") }
        )
    }
}
