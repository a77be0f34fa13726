// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Names one start of a timer.
///
/// Needed only when several timers of one name run at the same time; else a timer's name says enough.
public struct TimerID: Sendable, Hashable {
    /// The name the timer was started with, and that its event gets.
    public let name: String
    /// What tells this start from all others.
    public let start: EventID

    package init(name: String, start: EventID) {
        self.name = name
        self.start = start
    }
}
