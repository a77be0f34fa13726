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
    private let completion: Locked<(@Sendable () -> Void)?>

    /// Makes a moment; `completion` is called once, when it is over.
    package init(limit: Duration, completion: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.completion = Locked(completion)
    }

    deinit {
        finish()
    }

    /// Says that the observer is done.
    package func finish() {
        let completion = completion.withLock { held in
            defer { held = nil }
            return held
        }
        completion?()
    }
}

/// What a system tells apps about their lives in its own words, where it does.
package enum LifeCycleAnnouncements {
    /// Has every change told until the answer is let go of; nil where the system tells nothing but signals.
    package static func observe(
        _ report: @escaping @Sendable (_ changes: [LifeCycleChange], _ moment: LifeCycleMoment?) -> Void
    ) -> (any Sendable)? {
        #if canImport(UIKit) && !os(watchOS)
        AppNotifications(report)
        #else
        nil
        #endif
    }
}
