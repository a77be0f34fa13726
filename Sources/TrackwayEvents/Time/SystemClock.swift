// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

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
