// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayBehavior
internal import TrackwayEvents

/// The user's latest activity in the foreground, while sessions can end there.
///
/// Activity is noted at most once a second, so that recording compares one number for all events in between; with a timeout of less
/// than a minute, at most sixty times in that.
///
/// `@unchecked Sendable`: the word's address never changes while this lives, and it is read and written with atomic operations only.
final class ActivityWatch: @unchecked Sendable {
    private struct State: Sendable {
        /// How long noted activity covers what follows; nil while nothing is watched.
        var cover: Duration?
        var last: Moment?
    }

    private static let longestCover = Duration.seconds(1)
    private static let parts = 60

    /// Milliseconds of monotonic time: before them, activity need not be noted.
    private let word: UnsafeMutablePointer<UInt64>
    private let state = Locked(State())

    /// Nothing is watched yet.
    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit {
        word.deallocate()
    }

    /// Whether activity at this time is covered by what was noted. One load.
    @inline(__always)
    func covers(_ time: MonotonicTime) -> Bool {
        UInt64(bitPattern: time.milliseconds) < ctrackway_load_relaxed_64(word)
    }

    /// The latest activity that was noted; nil when there was none, or nothing is watched.
    var last: Moment? { state.withLock { $0.last } }

    /// Notes activity; earlier times than the latest change nothing.
    func note(_ moment: Moment) {
        state.withLock { state in
            guard let cover = state.cover else { return }
            if let last = state.last, moment.monotonic < last.monotonic { return }
            state.last = moment
            ctrackway_store_64(word, UInt64(bitPattern: moment.monotonic.advanced(by: cover).milliseconds))
        }
    }

    /// Begins or ends to watch, or goes on under other limits.
    ///
    /// - Parameter limits: asked under the lock, so that of two changes at the same time the later one counts; nil when nothing is to be
    ///   watched.
    func follow(_ limits: () -> SessionLimits?) {
        state.withLock { state in
            let shortest = limits().flatMap { limits in
                [limits.idleTimeout, limits.maximumLength].compactMap { $0 }.min()
            }
            let cover = shortest.map { min($0 / Self.parts, Self.longestCover) }
            guard cover != state.cover else { return }
            if cover == nil { state.last = nil }
            state.cover = cover
            // The next activity is noted.
            ctrackway_store_64(word, 0)
        }
    }
}
