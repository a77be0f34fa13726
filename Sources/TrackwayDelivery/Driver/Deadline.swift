// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The end of a wait, which a clock that goes back within the boot does not put off.
struct Deadline: Sendable, Hashable {
    /// When the wait ends, by the clock as it was seen last.
    private(set) var time: MonotonicTime
    private var seen: MonotonicTime

    /// A wait of a time; none when it is negative.
    init(after wait: Duration, at now: MonotonicTime) {
        time = now.advanced(by: max(.zero, wait))
        seen = now
    }

    /// Whether the wait is over.
    mutating func isOver(at now: MonotonicTime) -> Bool {
        if now < seen { time = time.advanced(by: seen.duration(to: now)) }
        seen = now
        return now >= time
    }
}
