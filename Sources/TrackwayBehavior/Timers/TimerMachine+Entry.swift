// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension TimerMachine {
    /// One timer.
    struct Entry: Sendable, Hashable, Codable {
        enum State: Sendable, Hashable, Codable {
            /// It runs, in a stretch that began then.
            case running(since: DeviceTime)
            /// The app paused it.
            case paused
            /// It stands still until the app comes back from the background.
            case waiting
        }

        let id: EventID
        let name: String
        let unit: TimerUnit
        /// Whether it goes on while the app is in the background.
        let countsBackground: Bool
        /// Whether it was started in the background that still lasts, to measure what happens there.
        var isOfThisBackground: Bool
        /// What the stretches that are over took together.
        var elapsed = Duration.zero
        var state: State

        /// Whether it stands still while the app is in the background.
        var waitsForForeground: Bool { !countsBackground && !isOfThisBackground }

        /// What it shows at a moment.
        func reading(at now: DeviceTime) -> Duration {
            switch state {
            case .running(let start): elapsed + TimerMachine.stretch(from: start, to: now)
            case .paused, .waiting: elapsed
            }
        }

        /// Ends the stretch under way, if one is.
        mutating func stop(at now: DeviceTime, as state: State) {
            elapsed = reading(at: now)
            self.state = state
        }
    }

    /// How long a stretch took; nothing when it is impossible.
    static func stretch(from start: DeviceTime, to end: DeviceTime) -> Duration {
        guard let elapsed = end.elapsed(since: start), elapsed <= longestStretch else { return .zero }
        return elapsed
    }
}
