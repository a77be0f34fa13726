// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Measures how long the user had a screen in sight.
///
/// A stretch begins when a screen is shown or the app comes back to it, and ends when the user leaves: for another screen,
/// for the background, for good. It counts as engagement from one second on. Stretches are not added up: each leaving of a
/// screen is judged by itself.
package struct EngagementMachine: Sendable, Hashable, Codable {
    /// An order to the coordinator.
    package enum Action: Sendable, Hashable {
        /// The user used the screen for so long.
        case engaged(Duration)
    }

    private enum State: Sendable, Hashable, Codable {
        /// No screen is in sight.
        case idle
        /// A screen is in sight since then.
        case watching(since: DeviceTime)
    }

    /// The shortest stretch that counts.
    package static let threshold = Duration.seconds(1)

    private var state = State.idle
    private var last: Duration?

    /// Nothing was shown yet.
    package init() {}

    /// How long the latest stretch that counted lasted, on the screen that is or was in sight; nil when none counted.
    package var lastOfScreen: Duration? { last }

    // MARK: Inputs

    /// Another screen is in sight. Whoever left one for it says so before.
    package mutating func screenShown(at now: DeviceTime) {
        last = nil
        state = .watching(since: now)
    }

    /// The screen from before is in sight again.
    package mutating func screenResumed(at now: DeviceTime) {
        state = .watching(since: now)
    }

    /// The user left the screen.
    package mutating func screenLeft(at now: DeviceTime) -> [Action] {
        guard case .watching(let since) = state else { return [] }
        state = .idle
        // Whole milliseconds are what is told, so they are what is judged.
        let duration = Duration.milliseconds((now.elapsed(since: since) ?? .zero).wholeMilliseconds)
        guard duration >= Self.threshold else { return [] }
        last = duration
        return [.engaged(duration)]
    }

    /// There is no screen any more, and none that was left.
    package mutating func screenForgotten() {
        state = .idle
        last = nil
    }
}
