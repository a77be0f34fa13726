// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
public import Foundation
public import UIKit

/// A view controller that reports its interface to the detector.
///
/// It reports its views, lists and scroll views.
///
/// Its view and the view's direct subviews appear and disappear automatically. The detector also receives what lists
/// and scroll views report to their delegate.
///
/// A subclass declares its delegate protocols, overrides the methods it needs, and calls `super`.
#if canImport(ObjectiveC)
@objcMembers
#endif
open class SparkViewController: UIViewController {
    private struct Shown {
        weak var view: UIView?
    }

    /// The views that last appeared with the view.
    private var shown: [Shown] = []

    /// Reports that the view's direct subviews appear, then the view.
    ///
    /// Views known to be visible do not appear again.
    open override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        let views: [UIView] = view.subviews + [view]
        for former in shown.compactMap(\.view) where !views.contains(where: { $0 === former }) {
            Appearances.forget(former)
        }
        shown = views.map { Shown(view: $0) }
        for view in views { Appearances.controllerAppeared(with: view) }
    }

    /// Reports that the view's direct subviews disappear, then the view.
    ///
    /// Views known not to be visible do not disappear again.
    open override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        for view: UIView in view.subviews + [view] { Appearances.controllerDisappeared(with: view) }
    }

    // MARK: Tables

    /// Reports that the cell appears.
    #if canImport(ObjectiveC)
    @objc(tableView:willDisplayCell:forRowAtIndexPath:)
    #endif
    open func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) {
        appeared(cell)
    }

    /// Reports that the header appears.
    #if canImport(ObjectiveC)
    @objc(tableView:willDisplayHeaderView:forSection:)
    #endif
    open func tableView(_ tableView: UITableView, willDisplayHeaderView view: UIView, forSection section: Int) {
        appeared(view)
    }

    /// Reports that the footer appears.
    #if canImport(ObjectiveC)
    @objc(tableView:willDisplayFooterView:forSection:)
    #endif
    open func tableView(_ tableView: UITableView, willDisplayFooterView view: UIView, forSection section: Int) {
        appeared(view)
    }

    /// Reports that the cell disappears.
    #if canImport(ObjectiveC)
    @objc(tableView:didEndDisplayingCell:forRowAtIndexPath:)
    #endif
    open func tableView(
        _ tableView: UITableView,
        didEndDisplaying cell: UITableViewCell,
        forRowAt indexPath: IndexPath
    ) {
        disappeared(cell)
    }

    /// Reports that the header disappears.
    #if canImport(ObjectiveC)
    @objc(tableView:didEndDisplayingHeaderView:forSection:)
    #endif
    open func tableView(_ tableView: UITableView, didEndDisplayingHeaderView view: UIView, forSection section: Int) {
        disappeared(view)
    }

    /// Reports that the footer disappears.
    #if canImport(ObjectiveC)
    @objc(tableView:didEndDisplayingFooterView:forSection:)
    #endif
    open func tableView(_ tableView: UITableView, didEndDisplayingFooterView view: UIView, forSection section: Int) {
        disappeared(view)
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
        appeared(cell)
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
        appeared(view)
    }

    /// Reports that the cell disappears.
    #if canImport(ObjectiveC)
    @objc(collectionView:didEndDisplayingCell:forItemAtIndexPath:)
    #endif
    open func collectionView(
        _ collectionView: UICollectionView,
        didEndDisplaying cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    ) {
        disappeared(cell)
    }

    /// Reports that the supplementary view disappears.
    #if canImport(ObjectiveC)
    @objc(collectionView:didEndDisplayingSupplementaryView:forElementOfKind:atIndexPath:)
    #endif
    open func collectionView(
        _ collectionView: UICollectionView,
        didEndDisplayingSupplementaryView view: UICollectionReusableView,
        forElementOfKind elementKind: String,
        at indexPath: IndexPath
    ) {
        disappeared(view)
    }

    /// Reports the target action of the item's cell.
    #if canImport(ObjectiveC)
    @objc(collectionView:didSelectItemAtIndexPath:)
    #endif
    open func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {
        SparkDetector.trackTargetAction(forView: collectionView.cellForItem(at: indexPath))
    }

    // MARK: Scrolling

    /// Reports that scrolling begins.
    #if canImport(ObjectiveC)
    @objc(scrollViewWillBeginDragging:)
    #endif
    open func scrollViewWillBeginDragging(_ scrollView: UIScrollView) {
        SparkDetector.trackBeganScrolling(forScrollView: scrollView)
    }

    // MARK: Implementation

    private func appeared(_ view: UIView) { Appearances.listWillDisplay(view) }
    private func disappeared(_ view: UIView) { Appearances.listDidEndDisplaying(view) }
}
#endif
