// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Stand-ins for the system types that the samples need: names without behavior.

/// An application.
class UIApplication {
    /// The launch options from the system.
    struct LaunchOptionsKey: Hashable {}
}

/// Called when the system changes the application's state.
protocol UIApplicationDelegate: AnyObject {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
}

/// The app's delegate; its one method is the document's.
final class AppDelegate: UIApplicationDelegate {}
