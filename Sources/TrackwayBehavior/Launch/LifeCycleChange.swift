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
