// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What the samples need of a system that is not here: names, and nothing behind them.

/// An application.
class UIApplication {
    /// What the system says when it launches an application.
    struct LaunchOptionsKey: Hashable {}
}

/// Told by the system what happens to the application.
protocol UIApplicationDelegate: AnyObject {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
}

/// The app's delegate; its one call is the document's.
final class AppDelegate: UIApplicationDelegate {}
