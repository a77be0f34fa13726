// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Dispatch
internal import Foundation
package import TrackwayBehavior
internal import TrackwayEvents
internal import UIKit

/// Hears what UIKit tells the app about its life, until it is let go of.
///
/// Nothing but notifications is used, which an app's extension may listen to as well; nobody posts them there.
package final class AppNotifications: Sendable {
    /// Takes one change, on the thread on which UIKit tells of it, the main one, and the moment that the system gives for it.
    package typealias Listener = @Sendable (_ changes: [LifeCycleChange], _ moment: LifeCycleMoment?) -> Void

    /// How long an app that left may work on. The system allows more than that, and says when it does not.
    private static let limit = Duration.seconds(5)

    private let observers = Locked<[any NSObjectProtocol]>([])

    /// Begins to listen.
    package init(_ report: @escaping Listener) {
        let changes: [(NSNotification.Name, LifeCycleChange)] = [
            (UIApplication.didFinishLaunchingNotification, .didFinishLaunching),
            (UIApplication.didBecomeActiveNotification, .didBecomeActive),
            (UIApplication.willResignActiveNotification, .willResignActive),
            (UIApplication.didEnterBackgroundNotification, .didEnterBackground),
            (UIApplication.willEnterForegroundNotification, .willEnterForeground),
            (UIApplication.willTerminateNotification, .willTerminate),
        ]
        for (name, change) in changes {
            observers.withLock {
                let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                    report([change], change == .didEnterBackground ? Self.moment() : nil)
                }
                $0.append(observer)
            }
        }
    }

    deinit {
        observers.withLock { for observer in $0 { NotificationCenter.default.removeObserver(observer) } }
    }

    /// Keeps the process from being suspended until the moment is over, or the system says that it is.
    private static func moment() -> LifeCycleMoment {
        let isOver = DispatchSemaphore(value: 0)
        ProcessInfo.processInfo.performExpiringActivity(withReason: "trackway.leave") { isExpired in
            // The first call holds the process up as long as it lasts; a second one, on another thread, ends it.
            if isExpired { isOver.signal() } else { isOver.wait() }
        }
        return LifeCycleMoment(limit: limit) { isOver.signal() }
    }
}

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
