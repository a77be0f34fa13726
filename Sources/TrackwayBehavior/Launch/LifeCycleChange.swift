// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A lifecycle change of the app, as the system reports it.
///
/// On systems that the SDK observes, these are reported automatically. On other systems, the app reports them with
/// `Analytics.lifeCycleChanged(to:)`.
public enum LifeCycleChange: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app has finished launching.
    case didFinishLaunching
    /// The app is now in use.
    case didBecomeActive
    /// The app is being covered, or the user is leaving it.
    case willResignActive
    /// The app now runs in the background; some systems report this twice.
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
    /// On the screen without receiving touches.
    ///
    /// The app is starting or is covered.
    case inactive
    /// The app is in use.
    case active
    /// The app runs in the background.
    case background
    /// The app is in memory but does not run.
    case suspended
}
