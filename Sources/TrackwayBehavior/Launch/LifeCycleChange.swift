// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What the system says about the app's life, as it says it.
///
/// Where the system is followed, these come by themselves. An app on a system that is not tells them to
/// `Analytics.lifeCycleChanged(to:)`.
public enum LifeCycleChange: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app has been started.
    case didFinishLaunching
    /// The app is in use from now on.
    case didBecomeActive
    /// Something comes over the app, or the person is leaving it.
    case willResignActive
    /// The app runs unseen from now on. Some systems say it twice.
    case didEnterBackground
    /// The person comes back to the app.
    case willEnterForeground
    /// The process is about to be stopped, in memory.
    case willSuspend
    /// The process is about to end.
    case willTerminate
}

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
