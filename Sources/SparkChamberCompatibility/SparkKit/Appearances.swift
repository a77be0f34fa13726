// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import TrackwayTriggers
internal import UIKit

/// The one place that decides whether what somebody says of a view's appearing is news.
///
/// A view can be told of by its controller, by the controllers around that, by a list's delegate, by itself if it is a cell of SparkKit's,
/// and by calls of the app's own. Each of them knows a part. A view appears once until it disappears, and the other way round.
@MainActor
enum Appearances {
    /// What is known of views that do not notice by themselves.
    private static let visibilities = AssociatedStorage<CellVisibility>()

    /// A controller's view came into sight, and this view with it.
    static func controllerAppeared(with view: UIView) {
        change(view) { $0.willDisplay() }
    }

    /// A controller's view went out of sight, and this view with it.
    static func controllerDisappeared(with view: UIView) {
        change(view) { view is any SelfNoticingCell ? $0.didEndDisplaying() : $0.didEndByCall() }
    }

    /// A controller's view appears again, and this view is not in it any more: what was known of it is out of date.
    static func forget(_ view: UIView) {
        if !(view is any SelfNoticingCell) { visibilities[view] = nil }
    }

    /// A list will show this view.
    ///
    /// A list knows its own views: one that does not notice by itself is shown for something new each time, also when nobody was told
    /// that it went.
    static func listWillDisplay(_ view: UIView) {
        if view is any SelfNoticingCell { return change(view) { $0.willDisplay() } }
        var visibility = CellVisibility()
        let change = visibility.willDisplay()
        visibilities[view] = visibility
        if let change { SparkDetector.noticed(change, of: view) }
    }

    /// A list shows this view no more.
    static func listDidEndDisplaying(_ view: UIView) {
        change(view) { view is any SelfNoticingCell ? $0.didEndDisplaying() : $0.didEndByCall() }
    }

    /// The app tells of a view by a call of its own.
    ///
    /// - Parameter fire: Has the view's events fire, and says whether there are any.
    /// - Returns: Whether an event fired, now or when it was noticed before; nil for a view that does not notice by itself, of which the app
    ///   tells what it likes.
    static func call(
        _ trigger: Trigger,
        of view: Any,
        _ fire: (CellVisibility.Change, UIView) -> Bool
    ) -> Bool? {
        guard let cell = view as? any SelfNoticingCell else { return nil }
        let change = trigger == .didAppear ? cell.visibility.willDisplay() : cell.visibility.didEndByCall()
        if let change { return fire(change, cell) }
        return cell.sparkEvents?.contains { $0.current.trigger == trigger } ?? false
    }

    private static func change(_ view: UIView, _ observation: (inout CellVisibility) -> CellVisibility.Change?) {
        if let cell = view as? any SelfNoticingCell { return cell.notice(observation) }
        var visibility = visibilities[view] ?? CellVisibility()
        let change = observation(&visibility)
        visibilities[view] = visibility
        if let change { SparkDetector.noticed(change, of: view) }
    }
}
#endif
