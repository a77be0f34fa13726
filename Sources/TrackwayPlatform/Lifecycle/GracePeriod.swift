// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
package import TrackwayLifecycle

/// The limited time that an observer has before the system continues.
///
/// Keep the object while working and call `finish` when done. Releasing it also finishes the grace period, so an
/// observer without work may ignore it. Finishing late or twice is harmless.
package final class GracePeriod: Sendable {
    /// The maximum time for which the system is delayed.
    ///
    /// Work beyond this limit may be interrupted.
    package let limit: Duration
    private struct State: Sendable {
        var completion: (@Sendable () -> Void)?
        var expirationHandler: (@Sendable () -> Void)?
        var isExpired = false
    }

    private let state: Locked<State>

    /// Creates a grace period.
    ///
    /// `completion` is called once, when the period ends.
    package init(limit: Duration, completion: @escaping @Sendable () -> Void) {
        self.limit = limit
        state = Locked(State(completion: completion))
    }

    /// Requests an early end, because the system needs the process now.
    ///
    /// The observer is notified and must finish the grace period after it has released all its resources.
    package func expire() {
        let expirationHandler = state.withLock { state in
            state.isExpired = true
            defer { state.expirationHandler = nil }
            return state.expirationHandler
        }
        expirationHandler?()
    }

    /// Calls a handler once if the grace period expires before ``finish()``.
    ///
    /// The call is immediate if the period has already expired.
    package func onExpiration(_ expirationHandler: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            guard state.completion != nil else { return false }
            if !state.isExpired { state.expirationHandler = expirationHandler }
            return state.isExpired
        }
        if isLate { expirationHandler() }
    }

    deinit {
        finish()
    }

    /// Ends the grace period because the observer is done.
    package func finish() {
        // Release both closures outside the lock, because they may own objects whose deinit calls back here.
        let over = state.withLock { state in
            defer { (state.completion, state.expirationHandler) = (nil, nil) }
            return state
        }
        over.completion?()
    }
}

/// The system's lifecycle notifications, if any besides signals.
package enum SystemLifecycleNotifications {
    /// Whether the notifications arrive on the main thread.
    ///
    /// The main thread must not wait for a disk.
    package static var areOnMainThread: Bool {
        #if canImport(UIKit) || canImport(Darwin)
        ProcessKind.current != .tool
        #else
        false
        #endif
    }

    /// Observes all changes until the returned object is released.
    ///
    /// Returns nil if the system provides only signals.
    package static func observe(
        _ report: @escaping @Sendable (_ changes: [LifecycleChange], _ gracePeriod: GracePeriod?) -> Void
    ) -> (any Sendable)? {
        #if canImport(UIKit) || canImport(Darwin)
        // A tool receives only signals, as on other systems.
        ProcessKind.current == .tool ? nil : AppNotifications(report)
        #else
        nil
        #endif
    }
}
