// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
public import Foundation
public import UIKit

/// A view controller that reports interface events to the detector.
///
/// The events come from the controller's views, lists, and scroll views.
///
/// The appearance and disappearance of the controller's view and the view's direct subviews are reported
/// automatically. Events that lists and scroll views report to their delegate are also forwarded to the detector.
///
/// A subclass declares its delegate protocols, overrides the methods that it needs, and calls `super`.
#if canImport(ObjectiveC)
@objcMembers
#endif
open class SparkViewController: UIViewController {
    private struct WeakView {
        weak var view: UIView?
    }

    /// The views that were reported at the last appearance.
    private var shownViews: [WeakView] = []

    /// Reports the appearance of the view's direct subviews, then of the view.
    ///
    /// Views already known to be visible are not reported again.
    open override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        let views: [UIView] = view.subviews + [view]
        for previous in shownViews.compactMap(\.view) where !views.contains(where: { $0 === previous }) {
            AppearanceTracker.forget(previous)
        }
        shownViews = views.map { WeakView(view: $0) }
        for view in views { AppearanceTracker.controllerAppeared(with: view) }
    }

    /// Reports the disappearance of the view's direct subviews, then of the view.
    ///
    /// Views already known to have disappeared are not reported again.
    open override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        for view: UIView in view.subviews + [view] { AppearanceTracker.controllerDisappeared(with: view) }
    }

    // MARK: Tables

    /// Reports that the cell appears.
    #if canImport(ObjectiveC)
    @objc(tableView:willDisplayCell:forRowAtIndexPath:)
    #endif
    open func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) {
        reportAppearance(cell)
    }

    /// Reports that the header appears.
    #if canImport(ObjectiveC)
    @objc(tableView:willDisplayHeaderView:forSection:)
    #endif
    open func tableView(_ tableView: UITableView, willDisplayHeaderView view: UIView, forSection section: Int) {
        reportAppearance(view)
    }

    /// Reports that the footer appears.
    #if canImport(ObjectiveC)
    @objc(tableView:willDisplayFooterView:forSection:)
    #endif
    open func tableView(_ tableView: UITableView, willDisplayFooterView view: UIView, forSection section: Int) {
        reportAppearance(view)
    }

    /// Reports that the cell disappeared.
    #if canImport(ObjectiveC)
    @objc(tableView:didEndDisplayingCell:forRowAtIndexPath:)
    #endif
    open func tableView(
        _ tableView: UITableView,
        didEndDisplaying cell: UITableViewCell,
        forRowAt indexPath: IndexPath
    ) {
        reportDisappearance(cell)
    }

    /// Reports that the header disappeared.
    #if canImport(ObjectiveC)
    @objc(tableView:didEndDisplayingHeaderView:forSection:)
    #endif
    open func tableView(_ tableView: UITableView, didEndDisplayingHeaderView view: UIView, forSection section: Int) {
        reportDisappearance(view)
    }

    /// Reports that the footer disappeared.
    #if canImport(ObjectiveC)
    @objc(tableView:didEndDisplayingFooterView:forSection:)
    #endif
    open func tableView(_ tableView: UITableView, didEndDisplayingFooterView view: UIView, forSection section: Int) {
        reportDisappearance(view)
    }

    /// Reports the target action of the row's cell.
    #if canImport(ObjectiveC)
    @objc(tableView:didSelectRowAtIndexPath:)
    #endif
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        SparkDetector.trackTargetAction(forView: tableView.cellForRow(at: indexPath))
    }

    // MARK: Collections

    /// Reports that the cell appears.
    #if canImport(ObjectiveC)
    @objc(collectionView:willDisplayCell:forItemAtIndexPath:)
    #endif
    open func collectionView(
        _ collectionView: UICollectionView,
        willDisplay cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    ) {
        reportAppearance(cell)
    }

    /// Reports that the supplementary view appears.
    #if canImport(ObjectiveC)
    @objc(collectionView:willDisplaySupplementaryView:forElementKind:atIndexPath:)
    #endif
    open func collectionView(
        _ collectionView: UICollectionView,
        willDisplaySupplementaryView view: UICollectionReusableView,
        forElementKind elementKind: String,
        at indexPath: IndexPath
    ) {
        reportAppearance(view)
    }

    /// Reports that the cell disappeared.
    #if canImport(ObjectiveC)
    @objc(collectionView:didEndDisplayingCell:forItemAtIndexPath:)
    #endif
    open func collectionView(
        _ collectionView: UICollectionView,
        didEndDisplaying cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    ) {
        reportDisappearance(cell)
    }

    /// Reports that the supplementary view disappeared.
    #if canImport(ObjectiveC)
    @objc(collectionView:didEndDisplayingSupplementaryView:forElementOfKind:atIndexPath:)
    #endif
    open func collectionView(
        _ collectionView: UICollectionView,
        didEndDisplayingSupplementaryView view: UICollectionReusableView,
        forElementOfKind elementKind: String,
        at indexPath: IndexPath
    ) {
        reportDisappearance(view)
    }

    /// Reports the target action of the item's cell.
    #if canImport(ObjectiveC)
    @objc(collectionView:didSelectItemAtIndexPath:)
    #endif
    open func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {
        SparkDetector.trackTargetAction(forView: collectionView.cellForItem(at: indexPath))
    }

    // MARK: Scrolling

    /// Reports that scrolling is about to begin.
    #if canImport(ObjectiveC)
    @objc(scrollViewWillBeginDragging:)
    #endif
    open func scrollViewWillBeginDragging(_ scrollView: UIScrollView) {
        SparkDetector.trackBeganScrolling(forScrollView: scrollView)
    }

    // MARK: Implementation

    private func reportAppearance(_ view: UIView) { AppearanceTracker.listWillDisplay(view) }
    private func reportDisappearance(_ view: UIView) { AppearanceTracker.listDidEndDisplaying(view) }
}
#endif
