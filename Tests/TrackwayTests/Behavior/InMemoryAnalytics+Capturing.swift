// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Trackway
import TrackwayEvents
import TrackwayTesting

/// Analytics in memory that capture, as an app's do.
extension InMemoryAnalytics {
    static func capturing(
        _ capture: CaptureOptions = .standard,
        storage: FaultyStorage? = nil,
        clock: ManualClock = ManualClock(),
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> InMemoryAnalytics {
        var configuration = Self.usualConfiguration
        configuration.capture = capture
        // Nothing is sent by itself: the tests say when.
        configuration.delivery.policy.flushInterval = .seconds(86_400)
        change(&configuration)
        return try InMemoryAnalytics(configuration, storage: storage, clock: clock)
    }

    /// The names of what is recorded, in order.
    var names: [String] { recorded.map(\.event.name) }

    /// What the next process would know about sessions and launches.
    var keptBehavior: [UInt8]? {
        get throws { try storage.contents(of: folder + "/behavior") }
    }

    /// The next process when this one is killed now.
    func restartedAfterKill(_ change: (inout Configuration) -> Void = { _ in }) throws -> InMemoryAnalytics {
        // Writers are listed by the times they began at.
        clock.advance(by: .milliseconds(10))
        return try .capturing(storage: storageAfterKill(), clock: clock, change)
    }

    /// Waits until the analytics wait for the time, for an answer or for the app.
    func untilIdle() async {
        await environment.untilIdle(analytics)
    }

    /// Lets time pass, from one wait of the analytics to the next, until a condition is true or nothing waits for the time.
    func passTime(until isSo: () -> Bool) async {
        await untilIdle()
        while !isSo(), clock.advanceToNextSleeper() { await untilIdle() }
    }

    func goToBackground() {
        analytics.lifeCycleChanged(to: .willResignActive)
        analytics.lifeCycleChanged(to: .didEnterBackground)
    }

    func comeBack() {
        analytics.lifeCycleChanged(to: .willEnterForeground)
        analytics.lifeCycleChanged(to: .didBecomeActive)
    }
}

extension RecordedEvent {
    /// The id of the session it belongs to.
    var session: String? { context["session"]?["id"]?.string }
    /// The screen it was recorded on.
    var screen: String? { context["screen"]?["name"]?.string }
}
