// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A lifecycle change of the app, as the system reports it.
///
/// On systems that the SDK observes, lifecycle changes are reported automatically. On other systems, the app reports
/// them with `Analytics.lifecycleChanged(to:)`.
public enum LifecycleChange: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app has finished launching.
    case didFinishLaunching
    /// The app is now in use.
    case didBecomeActive
    /// The app is being covered, or the user is leaving it.
    case willResignActive
    /// The app is now in the background; some systems report this twice.
    case didEnterBackground
    /// The user is returning to the app.
    case willEnterForeground
    /// The process is about to be suspended in memory.
    case willSuspend
    /// The process is about to terminate.
    case willTerminate
}

/// The state of the app from the user's perspective.
package enum AppState: String, Sendable, Hashable, Codable, CaseIterable {
    /// The process is not running or has not reported a state yet.
    case notRunning
    /// The app is on screen without receiving touches.
    ///
    /// It is starting or is covered.
    case inactive
    /// The app is in use.
    case active
    /// The app is running in the background.
    case background
    /// The app is in memory but is not running.
    case suspended
}
