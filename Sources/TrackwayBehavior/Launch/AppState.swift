// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What the app is doing, as the person using it would say.
package enum AppState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Its process does not run, or has not said yet that it does.
    case notRunning
    /// It is on the screen and does not get the person's touches: it is starting, or something lies over it.
    case inactive
    /// It is in use.
    case active
    /// It runs unseen.
    case background
    /// It is kept in memory and does not run.
    case suspended
}
