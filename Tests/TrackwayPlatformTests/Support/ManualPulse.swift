// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

@testable import TrackwayPlatform

/// Beats when the test says so.
final class ManualPulse: PollingTimer {
    private struct State: Sendable {
        var interval: Duration?
        var beat: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// The pace asked for; nil while it rests.
    var interval: Duration? { state.withLock { $0.interval } }

    func start(every interval: Duration, _ beat: @escaping @Sendable () -> Void) {
        state.withLock { $0 = State(interval: interval, beat: beat) }
    }

    func stop() { state.withLock { $0 = State() } }

    /// One beat; nothing while it rests.
    func beat() {
        let beat = state.withLock { $0.beat }
        beat?()
    }
}
