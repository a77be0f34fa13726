// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) || canImport(Darwin)
internal import CTrackway
internal import Dispatch
internal import Foundation
internal import TrackwayLifecycle

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

extension LaunchContext {
    /// Queries the system for the launch context.
    ///
    /// Call it early: the later the call, the less accurate the result.
    static func current() -> LaunchContext {
        var evidence = LaunchContext(isMarkedPrewarmed: ctrackway_was_prewarmed())
        switch ctrackway_launch_role() {
        case 1: evidence.role = .foreground
        case 2: evidence.role = .background
        case 3: evidence.role = .prewarming
        default: evidence.role = .unknown
        }
        if ProcessKind.current == .appExtension {
            let facts = Bundle.main.object(forInfoDictionaryKey: "NSExtension") as? NSDictionary
            let point = facts?["NSExtensionPointIdentifier"] as? String
            evidence.isVisibleExtension = point.map(hasVisibleInterface(extensionPoint:)) ?? true
            return evidence
        }
        #if canImport(UIKit) && !os(watchOS)
        if Thread.isMainThread {
            MainActor.assumeIsolated {
                guard let app = SharedApplication.current else { return }
                evidence.app = app.state
                evidence.isLocked = !app.isProtectedDataAvailable
            }
        }
        #endif
        return evidence
    }
}

#if canImport(UIKit) && !os(watchOS)
/// The app object, accessed by selector.
///
/// An extension has no app object and must not refer to it directly.
enum SharedApplication {
    /// The app object; nil in an extension and before its creation.
    static var current: UIApplication? {
        guard ProcessKind.current != .appExtension else { return nil }
        #if canImport(ObjectiveC)
        let shared = NSSelectorFromString("sharedApplication")
        guard UIApplication.responds(to: shared) else { return nil }
        return UIApplication.perform(shared)?.takeUnretainedValue() as? UIApplication
        #else
        return MainActor.assumeIsolated { UIApplication.shared }
        #endif
    }

    /// Calls back once if the app is active.
    ///
    /// The state is checked on the main thread, in the next turn of its run loop.
    static func whenActive(_ report: @escaping @Sendable () -> Void) {
        DispatchQueue.main.async {
            let isActive = MainActor.assumeIsolated { current?.applicationState == .active }
            if isActive { report() }
        }
    }
}

extension UIApplication {
    /// The app's state as an `AppState`.
    ///
    /// Nil for states that later systems add.
    fileprivate var state: AppState? {
        switch applicationState {
        case .active: .active
        case .inactive: .inactive
        case .background: .background
        @unknown default: nil
        }
    }
}
#endif
#endif
