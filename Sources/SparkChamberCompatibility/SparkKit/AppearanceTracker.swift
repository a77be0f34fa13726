// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import TrackwayTriggers
internal import UIKit

/// A tracker for whether reports of appearance or disappearance are new.
///
/// A view can be reported by its controller, by the enclosing controllers, by a list's delegate, by itself if it is a
/// SparkKit cell, and by the app. Each of these sources has only part of the information. A view's appearances and
/// disappearances alternate; repeated reports are ignored.
@MainActor
enum AppearanceTracker {
    /// The visibility of views that do not observe themselves.
    private static let visibilities = AssociatedStorage<CellVisibility>()

    /// Handles the appearance of a view together with its controller's view.
    static func controllerAppeared(with view: UIView) {
        update(view) { $0.willDisplay() }
    }

    /// Handles the disappearance of a view together with its controller's view.
    static func controllerDisappeared(with view: UIView) {
        update(view) { view is any SelfObservingCell ? $0.didEndDisplaying() : $0.didEndByCall() }
    }

    /// Discards the state of a view removed from its controller's view.
    ///
    /// Called when the controller's view appears again.
    static func forget(_ view: UIView) {
        if !(view is any SelfObservingCell) { visibilities[view] = nil }
    }

    /// Handles a list's notification that it will show this view.
    ///
    /// A list's notifications about its own views are reliable. Each notification for a view that does not observe
    /// itself counts as an appearance with new content, even if the view's disappearance was never reported.
    static func listWillDisplay(_ view: UIView) {
        if view is any SelfObservingCell { return update(view) { $0.willDisplay() } }
        var visibility = CellVisibility()
        let change = visibility.willDisplay()
        visibilities[view] = visibility
        if let change { SparkDetector.track(change, of: view) }
    }

    /// Handles a list's notification that it no longer shows this view.
    static func listDidEndDisplaying(_ view: UIView) {
        update(view) { view is any SelfObservingCell ? $0.didEndDisplaying() : $0.didEndByCall() }
    }

    /// Handles the app's report of a view's appearance or disappearance.
    ///
    /// - Parameter fire: A closure that fires the view's events and returns whether any event fired.
    /// - Returns: Whether an event fired, in this call or when the change was detected earlier; nil for a view that
    ///   does not observe itself, for which every report by the app counts.
    static func handleCall(
        _ trigger: Trigger,
        of view: Any,
        _ fire: (CellVisibility.Change, UIView) -> Bool
    ) -> Bool? {
        guard let cell = view as? any SelfObservingCell else { return nil }
        let change = trigger == .didAppear ? cell.visibility.willDisplay() : cell.visibility.didEndByCall()
        if let change { return fire(change, cell) }
        return cell.sparkEvents?.contains { $0.updatedCore.trigger == trigger } ?? false
    }

    private static func update(_ view: UIView, _ observation: (inout CellVisibility) -> CellVisibility.Change?) {
        if let cell = view as? any SelfObservingCell { return cell.updateVisibility(observation) }
        var visibility = visibilities[view] ?? CellVisibility()
        let change = observation(&visibility)
        visibilities[view] = visibility
        if let change { SparkDetector.track(change, of: view) }
    }
}
#endif
