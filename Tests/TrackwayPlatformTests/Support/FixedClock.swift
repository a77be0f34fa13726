// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A clock that does not advance.
struct FixedClock: EventClock {
    var wall = Timestamp(milliseconds: 1_700_000_000_000)

    func now() -> DualTimestamp { DualTimestamp(wall: wall, monotonic: MonotonicTime(milliseconds: 1_000)) }
}
