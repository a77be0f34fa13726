// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) || canImport(Darwin)
internal import Dispatch
internal import Foundation
internal import TrackwayEvents

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

/// The time that an app has in the background before its suspension.
enum BackgroundTime {
    /// The maximum time that an app continues to work in the background.
    ///
    /// The system usually allows more, and notifies the app if it allows less.
    private static let limit = Duration.seconds(5)
    /// The name in the system's list of running tasks.
    private static let name = "trackway.leave"
    /// The time that an expired task may take to release its locks.
    ///
    /// The main thread waits for it. The task then ends in any case, because the system terminates apps that keep one.
    private static let grace = DispatchTimeInterval.milliseconds(200)

    /// Prevents suspension of the process until the grace period ends or expires.
    ///
    /// Returns nil on systems that do not suspend processes.
    static func begin() -> LifeCycleGracePeriod? {
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
    private static func task(of app: UIApplication) -> LifeCycleGracePeriod {
        let held = Locked(UIBackgroundTaskIdentifier.invalid)
        let end: @Sendable () -> Void = {
            let task = held.withLock { task in
                defer { task = .invalid }
                return task
            }
            if task != .invalid { app.endBackgroundTask(task) }
        }
        let isOver = DispatchSemaphore(value: 0)
        let moment = LifeCycleGracePeriod(limit: limit) {
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
        // The system grants no time, so any remaining work must be quick.
        if task == .invalid { moment.expire() }
        return moment
    }
    #endif

    #if !os(macOS) && canImport(Darwin)
    /// Does the same without an app object: in extensions and watch apps.
    ///
    /// Call it on a thread that may block.
    private static func activity() -> LifeCycleGracePeriod? {
        let isOver = DispatchSemaphore(value: 0)
        let moment = LifeCycleGracePeriod(limit: limit) { isOver.signal() }
        ProcessInfo.processInfo.performExpiringActivity(withReason: name) { [weak moment] isExpired in
            // The first call keeps the process running until it returns. A second call, on another thread, ends it.
            if isExpired { moment?.expire() } else { isOver.wait() }
        }
        return moment
    }
    #elseif !os(macOS)
    private static func activity() -> LifeCycleGracePeriod? { nil }
    #endif
}
#endif
