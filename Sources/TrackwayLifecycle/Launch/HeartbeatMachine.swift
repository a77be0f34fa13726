// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The schedule for persisting the last activity of a foreground app.
///
/// Most activity survives a kill without a heartbeat: events are stored in the journal, and changes of screen or
/// lifecycle in the persisted lifecycle state. Heartbeats cover the time after such activity. The first heartbeat comes
/// after 30 seconds. While there is activity between heartbeats, each interval is twice as long as the previous one, up
/// to five minutes. A heartbeat after an interval without any activity is the last one until there is activity again.
/// So an idle app neither wakes nor writes. If the app is killed, it counts as used until its last activity and the
/// heartbeats that followed that activity.
package struct HeartbeatMachine: Sendable, Equatable {
    private enum State: Sendable, Equatable {
        /// The app is not in the foreground, or another process captures events.
        ///
        /// Nothing is persisted.
        case off
        /// There was no activity since a heartbeat that ended a quiet interval.
        case resting
        /// A heartbeat is scheduled.
        ///
        /// `recorded` is the number of the last event at the beginning of the interval. `isQuiet` is true while there
        /// has been no other activity since.
        case waiting(until: MonotonicTime, recorded: UInt64, isQuiet: Bool)
    }

    private static let shortest = Duration.seconds(30)
    private static let longest = Duration.seconds(300)
    /// The initial part of an interval, in which activity does not count.
    ///
    /// Such activity, for example startup events, is attributed to the cause of the interval.
    private static let beginning = Duration.seconds(1)

    private var state = State.off
    private var interval = Self.shortest

    /// Creates the machine of an app that is not in the foreground.
    package init() {}

    /// The time of the next heartbeat; nil if none is scheduled.
    package var due: MonotonicTime? {
        if case .waiting(let until, _, _) = state { until } else { nil }
    }

    /// Whether heartbeats are paused; any activity must then be reported.
    package var isResting: Bool { state == .resting }

    // MARK: Inputs

    /// Starts or stops heartbeats.
    ///
    /// - Parameters:
    ///   - isBeating: Whether heartbeats are needed in the app's current state.
    ///   - recorded: The number of the last event that this process recorded. This also applies to the other inputs.
    package mutating func setActive(_ isBeating: Bool, at now: MonotonicTime, recorded: UInt64) {
        guard isBeating else {
            state = .off
            return
        }
        // While heartbeats are on, all other changes have their own inputs.
        guard state == .off else { return }
        interval = Self.shortest
        wait(from: now, recorded: recorded)
    }

    /// Begins a new interval after a lifecycle change was persisted.
    package mutating func lifecycleChanged(at now: MonotonicTime, recorded: UInt64) {
        guard state != .off else { return }
        interval = Self.shortest
        wait(from: now, recorded: recorded)
    }

    /// Notes activity: a recorded event, a shown screen, or an ended touch.
    ///
    /// While a heartbeat is scheduled, events need not be reported, because the number of the last event reveals them.
    /// Startup events are reported, so that they count only as part of the startup.
    package mutating func noteActivity(at now: MonotonicTime, recorded: UInt64) {
        switch state {
        case .off:
            return  // An app that is not in the foreground is not in use.
        case .resting:
            wait(from: now, recorded: recorded)
        case .waiting(let until, let before, let isQuiet):
            let isBeginning = isQuiet && now.duration(to: until) >= interval - Self.beginning
            state = .waiting(until: until, recorded: isBeginning ? recorded : before, isQuiet: isBeginning)
        }
    }

    /// Begins the next interval after the time was persisted.
    ///
    /// A call before a heartbeat is due changes nothing.
    package mutating func heartbeatPersisted(at now: MonotonicTime, recorded: UInt64) {
        // If another call has already handled this heartbeat, a late call must not count toward the new interval.
        guard case .waiting(let until, let before, let isQuiet) = state, now >= until else { return }
        interval = min(interval * 2, Self.longest)
        if isQuiet, recorded == before {
            state = .resting
        } else {
            wait(from: now, recorded: recorded)
        }
    }

    // MARK: Transitions

    private mutating func wait(from now: MonotonicTime, recorded: UInt64) {
        state = .waiting(until: now.advanced(by: interval), recorded: recorded, isQuiet: true)
    }
}
