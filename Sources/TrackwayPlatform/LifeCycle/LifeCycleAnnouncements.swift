// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior

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
