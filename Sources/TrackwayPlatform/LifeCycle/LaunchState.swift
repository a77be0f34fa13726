// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
package import TrackwayBehavior

/// How the system started the app.
package enum LaunchState {
    /// Asks the system now: the sooner after the start, the truer.
    ///
    /// In a terminal, a job that was started behind another one (`app &`) is in the background: its user is busy with
    /// something else, and the system will say when that changes. Without a terminal nobody can bring the process to the
    /// front or send it back, so it counts as in front. Apple's systems are asked instead, but for tools and apps of a Mac,
    /// which nobody starts unseen.
    package static func read() -> LaunchReading {
        #if os(macOS)
        terminal()
        #elseif canImport(UIKit) || canImport(Darwin)
        LaunchEvidence.ofThisProcess().reading
        #else
        terminal()
        #endif
    }

    private static func terminal() -> LaunchReading {
        let state = state(hasTerminal: ctrackway_has_terminal())
        return LaunchReading(state == .background ? .background : .user, in: state)
    }

    /// - Parameter hasTerminal: 1 when the process is its terminal's foreground job, 0 when another one is, -1 when it has
    ///   no terminal.
    static func state(hasTerminal: Int32) -> AppState {
        hasTerminal == 0 ? .background : .active
    }
}
