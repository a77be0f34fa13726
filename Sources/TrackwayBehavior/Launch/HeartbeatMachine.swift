// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides when the last moment at which an app in the foreground was seen alive is worth keeping.
///
/// What happens to an app is a sign of life that a kill does not take away: an event lies in the journal, a change of screen or
/// life cycle in what is kept of behavior. Heartbeats speak for the time after it. One comes after half a minute, the following ones
/// after twice as long each time, at most five minutes apart, for as long as something happens between them. Once a whole interval
/// went by in which nothing happened, its heartbeat is the last one, until something happens again. So an app that is left alone neither
/// wakes nor writes; should it be killed, it was used up to the last thing that happened, and up to the heartbeats that followed that.
package struct HeartbeatMachine: Sendable, Hashable {
    private enum State: Sendable, Hashable {
        /// The app is not in the foreground, or another process captures: nothing is to be kept.
        case off
        /// Nothing has happened since a heartbeat that nothing preceded.
        case resting
        /// A heartbeat is due. `recorded` is the number of the last event when the interval began; `isQuiet` tells whether nothing else
        /// has happened since.
        case waiting(until: MonotonicTime, recorded: UInt64, isQuiet: Bool)
    }

    private static let shortest = Duration.seconds(30)
    private static let longest = Duration.seconds(300)
    /// What happens so soon after an interval's beginning belongs to what it began with: the events of a start, say.
    private static let beginning = Duration.seconds(1)

    private var state = State.off
    private var interval = Self.shortest

    /// Of an app that is not in the foreground.
    package init() {}

    /// When the next heartbeat is due; nil when none is.
    package var due: MonotonicTime? {
        if case .waiting(let until, _, _) = state { until } else { nil }
    }

    /// Whether heartbeats rest until something happens: then somebody has to say so.
    package var isResting: Bool { state == .resting }

    // MARK: Inputs

    /// Whether the app's being alive is worth keeping, as it is now.
    ///
    /// - Parameter recorded: the number of the event that this process recorded last, here and below.
    package mutating func follow(isBeating: Bool, at now: MonotonicTime, recorded: UInt64) {
        guard isBeating else {
            state = .off
            return
        }
        // Whatever else happens while it is worth keeping has an input of its own.
        guard state == .off else { return }
        interval = Self.shortest
        wait(from: now, recorded: recorded)
    }

    /// The system said something about the life of the app, which was kept: what follows is a new quiet time.
    package mutating func lifeCycleChanged(at now: MonotonicTime, recorded: UInt64) {
        guard state != .off else { return }
        interval = Self.shortest
        wait(from: now, recorded: recorded)
    }

    /// Something happened: an event was recorded, a screen shown, a finger lifted.
    ///
    /// While a heartbeat is due, events need not be announced: their numbers tell of them. Those of a start are, so that they do not
    /// count for more than the start.
    package mutating func somethingHappened(at now: MonotonicTime, recorded: UInt64) {
        switch state {
        case .off:
            return  // Nobody uses an app that is not in the foreground.
        case .resting:
            wait(from: now, recorded: recorded)
        case .waiting(let until, let before, let isQuiet):
            let isBeginning = isQuiet && now.duration(to: until) >= interval - Self.beginning
            state = .waiting(until: until, recorded: isBeginning ? recorded : before, isQuiet: isBeginning)
        }
    }

    /// The time was kept. Before a heartbeat is due this changes nothing.
    package mutating func beaten(at now: MonotonicTime, recorded: UInt64) {
        // Whoever comes when another has kept it, and perhaps something has happened since, says nothing of the interval that began.
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
