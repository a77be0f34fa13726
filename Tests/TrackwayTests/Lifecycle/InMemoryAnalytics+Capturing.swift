// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Trackway
import TrackwayCore
import TrackwayTesting

/// In-memory analytics that capture events like those of an app.
extension InMemoryAnalytics {
    static func capturing(
        _ capture: CaptureOptions = .standard,
        storage: FaultyStorage? = nil,
        clock: ManualClock = ManualClock(),
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> InMemoryAnalytics {
        var configuration = Self.usualConfiguration
        configuration.capture = capture
        // Disables automatic sending. The tests decide when to send.
        configuration.delivery.policy.flushInterval = .seconds(86_400)
        change(&configuration)
        return try InMemoryAnalytics(configuration, storage: storage, clock: clock)
    }

    /// The names of the recorded events, in order.
    var names: [String] { recorded.map(\.event.name) }

    /// The session and launch state that the next process would read.
    var persistedLifecycle: [UInt8]? {
        get throws { try storage.contents(of: folder + "/behavior") }
    }

    /// The next process, as if this one were killed now.
    func restartedAfterKill(_ change: (inout Configuration) -> Void = { _ in }) throws -> InMemoryAnalytics {
        // Writers are listed by start time.
        clock.advance(by: .milliseconds(10))
        return try .capturing(storage: storageAfterKill(), clock: clock, change)
    }

    /// Waits until the analytics only wait for the clock, a response or the app.
    func waitUntilIdle() async {
        await environment.waitUntilIdle(analytics)
    }

    /// Advances the clock until a condition is true or nothing waits for the clock.
    ///
    /// Advances from one wake-up of the analytics to the next.
    func passTime(until condition: () -> Bool) async {
        await waitUntilIdle()
        while !condition(), clock.advanceToNextSleeper() { await waitUntilIdle() }
    }

    func goToBackground() {
        analytics.lifecycleChanged(to: .willResignActive)
        analytics.lifecycleChanged(to: .didEnterBackground)
    }

    func returnToForeground() {
        analytics.lifecycleChanged(to: .willEnterForeground)
        analytics.lifecycleChanged(to: .didBecomeActive)
    }
}

extension RecordedEvent {
    /// The id of the session it belongs to.
    var session: String? { context["session"]?["id"]?.string }
    /// The screen it was recorded on.
    var screen: String? { context["screen"]?["name"]?.string }
}
