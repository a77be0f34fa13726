// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore
internal import TrackwayLifecycle

/// Tracks the user's latest activity while sessions can end in the foreground.
///
/// Activity is noted at most once a second, so that recording another event within that second only compares one
/// number. With a timeout of less than a minute, activity is noted at most 60 times within the timeout.
///
/// `@unchecked Sendable`: the word's address never changes during the object's lifetime, and the word is read and
/// written with atomic operations only.
final class ActivityTracker: @unchecked Sendable {
    private struct State: Sendable {
        /// The time after noted activity during which further activity is ignored.
        ///
        /// nil while activity is not tracked.
        var throttleInterval: Duration?
        var last: DualTimestamp?
    }

    private static let maximumThrottleInterval = Duration.seconds(1)
    private static let throttleDivisor = 60

    /// The monotonic time in milliseconds before which activity need not be noted.
    private let throttledUntil: UnsafeMutablePointer<UInt64>
    private let state = Locked(State())

    /// Creates an inactive tracker.
    init() {
        throttledUntil = .allocate(capacity: 1)
        throttledUntil.initialize(to: 0)
    }

    deinit {
        throttledUntil.deallocate()
    }

    /// Whether activity at this time need not be noted.
    ///
    /// Costs one load.
    @inline(__always)
    func isThrottled(_ time: MonotonicTime) -> Bool {
        UInt64(bitPattern: time.milliseconds) < ctrackway_load_relaxed_64(throttledUntil)
    }

    /// The latest noted activity.
    ///
    /// nil before the first activity, or while activity is not tracked.
    var last: DualTimestamp? { state.withLock { $0.last } }

    /// Notes activity; a time before the latest one changes nothing.
    func note(_ moment: DualTimestamp) {
        state.withLock { state in
            guard let throttleInterval = state.throttleInterval else { return }
            if let last = state.last, moment.monotonic < last.monotonic { return }
            state.last = moment
            ctrackway_store_64(
                throttledUntil,
                UInt64(bitPattern: moment.monotonic.advanced(by: throttleInterval).milliseconds)
            )
        }
    }

    /// Starts or stops tracking, or changes the limits.
    ///
    /// - Parameter limits: Evaluated under the lock, so that the later of two concurrent changes applies; nil to track
    ///   nothing.
    func updateLimits(_ limits: () -> SessionLimits?) {
        state.withLock { state in
            let shortest = limits().flatMap { limits in
                [limits.idleTimeout, limits.maximumLength].compactMap { $0 }.min()
            }
            let throttleInterval = shortest.map { min($0 / Self.throttleDivisor, Self.maximumThrottleInterval) }
            guard throttleInterval != state.throttleInterval else { return }
            if throttleInterval == nil { state.last = nil }
            state.throttleInterval = throttleInterval
            // The next activity must be noted.
            ctrackway_store_64(throttledUntil, 0)
        }
    }
}
