// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) || canImport(Darwin)
internal import CTrackway
internal import Dispatch
internal import Foundation
internal import TrackwayBehavior

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

extension LaunchContext {
    /// Queries the system for the launch context.
    ///
    /// Call it early: the later the call, the less accurate the result.
    static func ofThisProcess() -> LaunchContext {
        var evidence = LaunchContext(isAnnouncedPrewarmed: ctrackway_was_prewarmed())
        switch ctrackway_launch_role() {
        case 1: evidence.role = .foreground
        case 2: evidence.role = .background
        case 3: evidence.role = .prewarming
        default: evidence.role = .unknown
        }
        if ProcessKind.current == .appExtension {
            let facts = Bundle.main.object(forInfoDictionaryKey: "NSExtension") as? NSDictionary
            let point = facts?["NSExtensionPointIdentifier"] as? String
            evidence.isSeenExtension = point.map(isSeen(extensionPoint:)) ?? true
            return evidence
        }
        #if canImport(UIKit) && !os(watchOS)
        if Thread.isMainThread {
            MainActor.assumeIsolated {
                guard let app = SharedApplication.ifAny else { return }
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
    static var ifAny: UIApplication? {
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
    /// Checks this on the main thread, in its next turn.
    static func whenActive(_ report: @escaping @Sendable () -> Void) {
        DispatchQueue.main.async {
            let isActive = MainActor.assumeIsolated { ifAny?.applicationState == .active }
            if isActive { report() }
        }
    }
}

extension UIApplication {
    /// The app's state as an `AppState`.
    ///
    /// Nil for states added by later systems.
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
