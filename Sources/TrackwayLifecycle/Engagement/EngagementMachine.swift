// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The state machine that measures screen engagement time.
///
/// A period begins when a screen is shown or the app returns to it. It ends when the user moves to another screen,
/// sends the app to the background, or quits it. A period counts as engagement if it lasted at least one second.
/// Periods are not added up: each one is evaluated separately.
package struct EngagementMachine: Sendable, Equatable, Codable {
    /// An action for the coordinator.
    package enum Action: Sendable, Equatable {
        /// The user was engaged with the screen for this long.
        case engaged(Duration)
    }

    private enum State: Sendable, Equatable, Codable {
        /// No screen is visible.
        case idle
        /// A screen has been visible since this time.
        case watching(since: DeviceTime)
    }

    /// The minimum length of a period that counts as engagement.
    package static let threshold = Duration.seconds(1)

    private var state = State.idle
    private var last: Duration?

    /// Creates a machine that has not seen a screen yet.
    package init() {}

    /// The latest engagement with the current or last screen; nil if none.
    package var lastEngagement: Duration? { last }

    // MARK: Inputs

    /// Begins a period for a newly visible screen.
    ///
    /// If another screen was left for the new one, call ``screenLeft(at:)`` first.
    package mutating func screenShown(at now: DeviceTime) {
        last = nil
        state = .watching(since: now)
    }

    /// Begins a period for the previous screen, which is visible again.
    package mutating func screenResumed(at now: DeviceTime) {
        state = .watching(since: now)
    }

    /// Ends the period, because the user left the screen.
    package mutating func screenLeft(at now: DeviceTime) -> [Action] {
        guard case .watching(let since) = state else { return [] }
        state = .idle
        // Whole milliseconds are reported, so the threshold is applied to them.
        let duration = Duration.milliseconds((now.elapsed(since: since) ?? .zero).wholeMilliseconds)
        guard duration >= Self.threshold else { return [] }
        last = duration
        return [.engaged(duration)]
    }

    /// Discards the period and the last engagement, because no screen is visible.
    package mutating func screenCleared() {
        state = .idle
        last = nil
    }
}
