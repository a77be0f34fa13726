// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) || canImport(Darwin)
internal import Dispatch
internal import Foundation
internal import TrackwayCore

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

/// The time that an app has in the background before its suspension.
enum BackgroundTime {
    /// The maximum time that an app continues to work in the background.
    ///
    /// The system usually grants more time, and notifies the app if it grants less.
    private static let limit = Duration.seconds(5)
    /// The task's name in the system's list of running tasks.
    private static let name = "trackway.leave"
    /// The time that an expired task may take to release its locks.
    ///
    /// The main thread waits for at most this long. The task then ends in any case, because the system terminates apps
    /// that do not end an expired task.
    private static let grace = DispatchTimeInterval.milliseconds(200)

    /// Prevents suspension of the process until the grace period ends or expires.
    ///
    /// Returns nil on systems that do not suspend processes.
    static func begin() -> GracePeriod? {
        #if os(macOS)
        return nil
        #else
        #if canImport(UIKit) && !os(watchOS)
        if Thread.isMainThread, let app = SharedApplication.current { return task(of: app) }
        #endif
        return activity()
        #endif
    }

    #if canImport(UIKit) && !os(watchOS)
    private static func task(of app: UIApplication) -> GracePeriod {
        let held = Locked(UIBackgroundTaskIdentifier.invalid)
        let end: @Sendable () -> Void = {
            let task = held.withLock { task in
                defer { task = .invalid }
                return task
            }
            if task != .invalid { app.endBackgroundTask(task) }
        }
        let isOver = DispatchSemaphore(value: 0)
        let gracePeriod = GracePeriod(limit: limit) {
            end()
            isOver.signal()
        }
        let task = app.beginBackgroundTask(withName: name) { [weak gracePeriod] in
            guard let gracePeriod else { return end() }
            gracePeriod.expire()
            _ = isOver.wait(timeout: .now() + grace)
            end()
        }
        held.withLock { $0 = task }
        // The system grants no time, so any remaining work must be quick.
        if task == .invalid { gracePeriod.expire() }
        return gracePeriod
    }
    #endif

    #if !os(macOS) && canImport(Darwin)
    /// Implements ``begin()`` for extensions and watch apps.
    ///
    /// Call it on a thread that may block.
    private static func activity() -> GracePeriod? {
        let isOver = DispatchSemaphore(value: 0)
        let gracePeriod = GracePeriod(limit: limit) { isOver.signal() }
        ProcessInfo.processInfo.performExpiringActivity(withReason: name) { [weak gracePeriod] isExpired in
            // The first call keeps the process running until it returns. A second call, on another thread, ends it.
            if isExpired { gracePeriod?.expire() } else { isOver.wait() }
        }
        return gracePeriod
    }
    #elseif !os(macOS)
    private static func activity() -> GracePeriod? { nil }
    #endif
}
#endif
