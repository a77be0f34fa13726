// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) || canImport(Darwin)
internal import Dispatch
internal import Foundation
internal import TrackwayEvents

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

/// The time that the system gives an app that was left, before it suspends it.
enum BackgroundTime {
    /// How long an app that was left may work on. The system allows more than that, and says when it does not.
    private static let limit = Duration.seconds(5)
    /// What the system's lists of running tasks call it.
    private static let name = "trackway.leave"
    /// How long the main thread waits at a task's expiry for locks to be given back. The task ends then in any case: the
    /// system ends apps that keep one.
    private static let grace = DispatchTimeInterval.milliseconds(200)

    /// Keeps the process from being suspended until the moment is over, or the system says that it is. nil where nobody
    /// is suspended.
    static func begin() -> LifeCycleMoment? {
        #if os(macOS)
        return nil
        #else
        #if canImport(UIKit) && !os(watchOS)
        if Thread.isMainThread, let app = SharedApplication.ifAny { return task(of: app) }
        #endif
        return activity()
        #endif
    }

    #if canImport(UIKit) && !os(watchOS)
    private static func task(of app: UIApplication) -> LifeCycleMoment {
        let held = Locked(UIBackgroundTaskIdentifier.invalid)
        let end: @Sendable () -> Void = {
            let task = held.withLock { task in
                defer { task = .invalid }
                return task
            }
            if task != .invalid { app.endBackgroundTask(task) }
        }
        let isOver = DispatchSemaphore(value: 0)
        let moment = LifeCycleMoment(limit: limit) {
            end()
            isOver.signal()
        }
        let task = app.beginBackgroundTask(withName: name) { [weak moment] in
            guard let moment else { return end() }
            moment.expire()
            _ = isOver.wait(timeout: .now() + grace)
            end()
        }
        held.withLock { $0 = task }
        // There is no time at all: whatever is done now is done quickly.
        if task == .invalid { moment.expire() }
        return moment
    }
    #endif

    #if !os(macOS) && canImport(Darwin)
    /// The same where there is no app to ask: in an extension, on a watch. Whoever asks must keep a thread for it.
    private static func activity() -> LifeCycleMoment? {
        let isOver = DispatchSemaphore(value: 0)
        let moment = LifeCycleMoment(limit: limit) { isOver.signal() }
        ProcessInfo.processInfo.performExpiringActivity(withReason: name) { [weak moment] isExpired in
            // The first call holds the process up as long as it lasts; a second one, on another thread, ends it.
            if isExpired { moment?.expire() } else { isOver.wait() }
        }
        return moment
    }
    #elseif !os(macOS)
    private static func activity() -> LifeCycleMoment? { nil }
    #endif
}
#endif
