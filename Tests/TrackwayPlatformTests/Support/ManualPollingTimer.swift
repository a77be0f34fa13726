// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

@testable import TrackwayPlatform

/// A polling timer that ticks when the test requests it.
final class ManualPollingTimer: PollingTimer {
    private struct State: Sendable {
        var interval: Duration?
        var tick: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// The requested interval; nil while the timer is stopped.
    var interval: Duration? { state.withLock { $0.interval } }

    func start(every interval: Duration, _ tick: @escaping @Sendable () -> Void) {
        state.withLock { $0 = State(interval: interval, tick: tick) }
    }

    func stop() { state.withLock { $0 = State() } }

    /// Triggers one tick; does nothing while the timer is stopped.
    func tick() {
        let tick = state.withLock { $0.tick }
        tick?()
    }
}
