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

extension LaunchEvidence {
    /// What this process's system says now: the sooner after the start, the truer.
    static func ofThisProcess() -> LaunchEvidence {
        var evidence = LaunchEvidence(isAnnouncedPrewarmed: ctrackway_was_prewarmed())
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
/// The app's object, asked by name: an extension, which has none, must not mention it.
enum SharedApplication {
    /// The object; nil in an extension, and before the app has made it.
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

    /// Calls back once, in the main thread's next turn, if the app is in use then.
    static func whenActive(_ report: @escaping @Sendable () -> Void) {
        DispatchQueue.main.async {
            let isActive = MainActor.assumeIsolated { ifAny?.applicationState == .active }
            if isActive { report() }
        }
    }
}

extension UIApplication {
    /// The app's state in our words; nil for one that later systems have.
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
