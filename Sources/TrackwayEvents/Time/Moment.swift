// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
