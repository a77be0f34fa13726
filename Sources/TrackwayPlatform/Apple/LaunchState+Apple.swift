// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
internal import TrackwayBehavior
internal import UIKit

extension LaunchState {
    /// What UIKit says of the app, where it can: on the main thread, of an app whose windows are not scenes. Those are
    /// connected after the launch, and until then the system calls every app unseen. Anything else counts as in front.
    static func announced() -> AppState {
        guard Thread.isMainThread, Bundle.main.object(forInfoDictionaryKey: "UIApplicationSceneManifest") == nil else {
            return .active
        }
        return MainActor.assumeIsolated {
            // Asked by name, because extensions, which have no such object, must not mention it.
            let shared = NSSelectorFromString("sharedApplication")
            guard !Bundle.main.bundlePath.hasSuffix(".appex"), UIApplication.responds(to: shared),
                let app = UIApplication.perform(shared)?.takeUnretainedValue() as? UIApplication
            else { return .active }
            switch app.applicationState {
            case .active: return .active
            case .inactive: return .inactive
            case .background: return .background
            @unknown default: return .active
            }
        }
    }
}
#endif
