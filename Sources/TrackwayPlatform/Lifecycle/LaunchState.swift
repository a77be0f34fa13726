// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
package import TrackwayLifecycle

/// Determines how the system launched the app.
package enum LaunchState {
    /// Queries the system for the launch state.
    ///
    /// Call it early: the later the call, the less accurate the result.
    ///
    /// In a terminal, a job started in the background (`app &`) is in the background until the system reports a change.
    /// Without a terminal, a user cannot move the process to the foreground or background, so it counts as in the
    /// foreground. Apple systems are queried instead, except for tools and Mac apps, which are never launched in the
    /// background.
    package static func read() -> LaunchConclusion {
        #if os(macOS)
        terminal()
        #elseif canImport(UIKit) || canImport(Darwin)
        LaunchContext.current().conclusion
        #else
        terminal()
        #endif
    }

    private static func terminal() -> LaunchConclusion {
        let state = state(hasTerminal: ctrackway_has_terminal())
        return LaunchConclusion(state == .background ? .background : .user, in: state)
    }

    /// Returns the app state for the terminal state.
    ///
    /// - Parameter hasTerminal: 1 if the process is in its terminal's foreground job, 0 if another process is, -1 if
    ///   the process has no terminal.
    static func state(hasTerminal: Int32) -> AppState {
        hasTerminal == 0 ? .background : .active
    }
}
