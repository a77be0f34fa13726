// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Wall time and monotonic time, read together.
public struct Moment: Sendable, Hashable {
    /// The device's wall clock; it may jump.
    public var wall: Timestamp
    /// The time since boot; it does not.
    public var monotonic: MonotonicTime

    /// A moment of both times.
    @inlinable
    public init(wall: Timestamp, monotonic: MonotonicTime) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// The moment `duration` later on both clocks.
    public func advanced(by duration: Duration) -> Moment {
        Moment(wall: wall.advanced(by: duration), monotonic: monotonic.advanced(by: duration))
    }
}

/// Tells what time it is. Handed in wherever time matters, so that tests can hold it still.
public protocol EventClock: Sendable {
    /// The present moment. Any thread; cheap enough to be called for every event.
    func now() -> Moment
}

/// The device's clocks. Reading them does not enter the kernel on the systems that allow it.
public struct SystemClock: EventClock {
    /// The device's clocks.
    public init() {}

    /// The present moment.
    public func now() -> Moment {
        let now = ctrackway_now()
        return Moment(
            wall: Timestamp(milliseconds: now.wall_milliseconds),
            monotonic: MonotonicTime(milliseconds: now.monotonic_milliseconds)
        )
    }
}
