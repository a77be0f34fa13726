// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Wall time and monotonic time, read together.
public struct DualTimestamp: Sendable, Hashable {
    /// The device's wall clock, which can jump.
    public var wall: Timestamp
    /// The time since boot, which does not jump.
    public var monotonic: MonotonicTime

    /// Creates a timestamp from both times.
    @inlinable
    public init(wall: Timestamp, monotonic: MonotonicTime) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// Returns the timestamp that is `duration` later on both clocks.
    public func advanced(by duration: Duration) -> DualTimestamp {
        DualTimestamp(wall: wall.advanced(by: duration), monotonic: monotonic.advanced(by: duration))
    }
}

/// A source of the current time.
///
/// A clock is injected wherever time matters, so that tests can control it.
public protocol EventClock: Sendable {
    /// Returns the current moment.
    ///
    /// This function can be called from any thread, and is cheap enough to be called for every event.
    func now() -> DualTimestamp

    /// Returns the current monotonic time.
    ///
    /// The default is that of ``now()``; a clock that can read it alone is faster.
    func monotonicTime() -> MonotonicTime
}

extension EventClock {
    /// Returns the monotonic time of ``now()``.
    public func monotonicTime() -> MonotonicTime { now().monotonic }
}

/// The device's clocks.
///
/// Reading them does not enter the kernel on systems that allow it.
public struct SystemClock: EventClock {
    /// Creates the device's clocks.
    public init() {}

    /// Returns the current moment.
    public func now() -> DualTimestamp {
        let now = ctrackway_now()
        return DualTimestamp(
            wall: Timestamp(milliseconds: now.wall_milliseconds),
            monotonic: MonotonicTime(milliseconds: now.monotonic_milliseconds)
        )
    }

    /// Returns the current monotonic time.
    public func monotonicTime() -> MonotonicTime {
        MonotonicTime(milliseconds: ctrackway_monotonic_milliseconds())
    }
}
