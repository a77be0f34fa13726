// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
package import TrackwayBehavior

/// In which state the system started the app.
package enum LaunchState {
    /// Asks the system now: the sooner after the start, the truer.
    ///
    /// In a terminal, a job that was started behind another one (`app &`) is in the background: its user is busy with
    /// something else, and the system will say when that changes. Without a terminal nobody can bring the process to the
    /// front or send it back, so it counts as in front. Where there is UIKit, it is asked instead.
    package static func read() -> AppState {
        #if canImport(UIKit) && !os(watchOS)
        announced()
        #else
        state(hasTerminal: ctrackway_has_terminal())
        #endif
    }

    /// - Parameter hasTerminal: 1 when the process is its terminal's foreground job, 0 when another one is, -1 when it has
    ///   no terminal.
    static func state(hasTerminal: Int32) -> AppState {
        hasTerminal == 0 ? .background : .active
    }
}
