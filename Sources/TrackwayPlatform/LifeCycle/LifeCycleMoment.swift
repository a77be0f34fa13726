// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
internal import TrackwayEvents

/// The bounded moment an observer gets before the system goes on: hold it while working, call `finish` when done.
///
/// Letting go of it finishes it too, so an observer with nothing to do ignores it. Finishing late or twice does no harm.
package final class LifeCycleMoment: Sendable {
    /// The longest the system is held up; work beyond it runs at its own risk.
    package let limit: Duration
    private struct State: Sendable {
        var completion: (@Sendable () -> Void)?
        var hurry: (@Sendable () -> Void)?
        var isExpired = false
    }

    private let state: Locked<State>

    /// Makes a moment; `completion` is called once, when it is over.
    package init(limit: Duration, completion: @escaping @Sendable () -> Void) {
        self.limit = limit
        state = Locked(State(completion: completion))
    }

    /// The system wants the process back before the work was done. Whoever works is told, and finishes the moment when
    /// it has let go of everything.
    package func expire() {
        let hurry = state.withLock { state in
            state.isExpired = true
            defer { state.hurry = nil }
            return state.hurry
        }
        hurry?()
    }

    /// Has `hurry` called once, if the system wants the process back before ``finish()``; at once when it does already.
    package func whenExpired(_ hurry: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            guard state.completion != nil else { return false }
            if !state.isExpired { state.hurry = hurry }
            return state.isExpired
        }
        if isLate { hurry() }
    }

    deinit {
        finish()
    }

    /// Says that the observer is done.
    package func finish() {
        // Let go of outside the lock: both closures may own things whose end calls back here.
        let over = state.withLock { state in
            defer { (state.completion, state.hurry) = (nil, nil) }
            return state
        }
        over.completion?()
    }
}

/// What a system tells apps about their lives in its own words, where it does.
package enum LifeCycleAnnouncements {
    /// Whether they come on the main thread, which must not wait for a disk.
    package static var areOnMainThread: Bool {
        #if canImport(UIKit) || canImport(Darwin)
        ProcessKind.current != .tool
        #else
        false
        #endif
    }

    /// Has every change told until the answer is let go of; nil where the system tells nothing but signals.
    package static func observe(
        _ report: @escaping @Sendable (_ changes: [LifeCycleChange], _ moment: LifeCycleMoment?) -> Void
    ) -> (any Sendable)? {
        #if canImport(UIKit) || canImport(Darwin)
        // A tool is told by signals, as everywhere.
        ProcessKind.current == .tool ? nil : AppNotifications(report)
        #else
        nil
        #endif
    }
}
