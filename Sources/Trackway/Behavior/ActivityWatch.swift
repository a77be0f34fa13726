// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayBehavior
internal import TrackwayEvents

/// The user's latest activity in the foreground, while sessions can end there.
///
/// Activity is noted at most once a second, so that recording an event in between only compares one number. With a
/// timeout of less than a minute, activity is noted at most 60 times within the timeout.
///
/// `@unchecked Sendable`: the word's address never changes during the object's lifetime, and the word is read and
/// written with atomic operations only.
final class ActivityWatch: @unchecked Sendable {
    private struct State: Sendable {
        /// The time after noted activity during which further activity is not noted.
        ///
        /// nil while nothing is watched.
        var cover: Duration?
        var last: DualTimestamp?
    }

    private static let longestCover = Duration.seconds(1)
    private static let parts = 60

    /// The monotonic time in milliseconds before which activity need not be noted.
    private let word: UnsafeMutablePointer<UInt64>
    private let state = Locked(State())

    /// Creates an inactive watch.
    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit {
        word.deallocate()
    }

    /// Whether activity at this time need not be noted.
    ///
    /// One load.
    @inline(__always)
    func covers(_ time: MonotonicTime) -> Bool {
        UInt64(bitPattern: time.milliseconds) < ctrackway_load_relaxed_64(word)
    }

    /// The latest noted activity.
    ///
    /// nil before the first one, or while nothing is watched.
    var last: DualTimestamp? { state.withLock { $0.last } }

    /// Notes activity; a time before the latest one changes nothing.
    func note(_ moment: DualTimestamp) {
        state.withLock { state in
            guard let cover = state.cover else { return }
            if let last = state.last, moment.monotonic < last.monotonic { return }
            state.last = moment
            ctrackway_store_64(word, UInt64(bitPattern: moment.monotonic.advanced(by: cover).milliseconds))
        }
    }

    /// Starts or stops watching, or changes the limits.
    ///
    /// - Parameter limits: Evaluated under the lock, so that the later of two concurrent changes applies; nil if
    ///   nothing is to be watched.
    func follow(_ limits: () -> SessionLimits?) {
        state.withLock { state in
            let shortest = limits().flatMap { limits in
                [limits.idleTimeout, limits.maximumLength].compactMap { $0 }.min()
            }
            let cover = shortest.map { min($0 / Self.parts, Self.longestCover) }
            guard cover != state.cover else { return }
            if cover == nil { state.last = nil }
            state.cover = cover
            // The next activity is to be noted.
            ctrackway_store_64(word, 0)
        }
    }
}
