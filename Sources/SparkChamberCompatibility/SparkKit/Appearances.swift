// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import TrackwayTriggers
internal import UIKit

/// Decides whether a report of a view's appearance or disappearance is new.
///
/// A view can be reported by its controller, by the enclosing controllers, by a list's delegate, by itself if it is a
/// SparkKit cell, and by the app. Each of them has part of the information. A view appears once until it disappears,
/// and vice versa.
@MainActor
enum Appearances {
    /// The visibility of views that do not observe themselves.
    private static let visibilities = AssociatedStorage<CellVisibility>()

    /// Handles the appearance of a view together with its controller's view.
    static func controllerAppeared(with view: UIView) {
        change(view) { $0.willDisplay() }
    }

    /// Handles the disappearance of a view together with its controller's view.
    static func controllerDisappeared(with view: UIView) {
        change(view) { view is any SelfObservingCell ? $0.didEndDisplaying() : $0.didEndByCall() }
    }

    /// Discards the state of a view that left its controller's view.
    ///
    /// Called when the controller's view appears again.
    static func forget(_ view: UIView) {
        if !(view is any SelfObservingCell) { visibilities[view] = nil }
    }

    /// Handles a list's notification that it will show this view.
    ///
    /// A list knows its own views. A view that does not observe itself is shown for new content each time, even if its
    /// disappearance was never reported.
    static func listWillDisplay(_ view: UIView) {
        if view is any SelfObservingCell { return change(view) { $0.willDisplay() } }
        var visibility = CellVisibility()
        let change = visibility.willDisplay()
        visibilities[view] = visibility
        if let change { SparkDetector.noticed(change, of: view) }
    }

    /// Handles a list's notification that it no longer shows this view.
    static func listDidEndDisplaying(_ view: UIView) {
        change(view) { view is any SelfObservingCell ? $0.didEndDisplaying() : $0.didEndByCall() }
    }

    /// Handles a call in which the app reports a view.
    ///
    /// - Parameter fire: Fires the view's events, and returns whether there are any.
    /// - Returns: Whether an event fired, now or when it was noticed before; nil for a view that does not observe
    ///   itself, for which every report of the app counts.
    static func call(
        _ trigger: Trigger,
        of view: Any,
        _ fire: (CellVisibility.Change, UIView) -> Bool
    ) -> Bool? {
        guard let cell = view as? any SelfObservingCell else { return nil }
        let change = trigger == .didAppear ? cell.visibility.willDisplay() : cell.visibility.didEndByCall()
        if let change { return fire(change, cell) }
        return cell.sparkEvents?.contains { $0.current.trigger == trigger } ?? false
    }

    private static func change(_ view: UIView, _ observation: (inout CellVisibility) -> CellVisibility.Change?) {
        if let cell = view as? any SelfObservingCell { return cell.notice(observation) }
        var visibility = visibilities[view] ?? CellVisibility()
        let change = observation(&visibility)
        visibilities[view] = visibility
        if let change { SparkDetector.noticed(change, of: view) }
    }
}
#endif
