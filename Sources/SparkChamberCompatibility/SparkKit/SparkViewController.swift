// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
public import Foundation
public import UIKit

/// A view controller whose view and its direct subviews appear and disappear by themselves, and that tells the detector what lists
/// and scroll views tell their delegate.
///
/// A subclass declares the delegates it is; it overrides what it needs, and calls `super`.
#if canImport(ObjectiveC)
@objcMembers
#endif
open class SparkViewController: UIViewController {
    private struct Shown {
        weak var view: UIView?
    }

    /// What appeared with the view the last time.
    private var shown: [Shown] = []

    /// The view's direct subviews appear, and the view. One that is known to be in sight does not appear again.
    open override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        let views: [UIView] = view.subviews + [view]
        for former in shown.compactMap(\.view) where !views.contains(where: { $0 === former }) {
            Appearances.forget(former)
        }
        shown = views.map { Shown(view: $0) }
        for view in views { Appearances.controllerAppeared(with: view) }
    }

    /// The view's direct subviews disappear, and the view. One that is known to be out of sight does not disappear again.
    open override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        for view: UIView in view.subviews + [view] { Appearances.controllerDisappeared(with: view) }
    }

    // MARK: Tables

    /// The cell appears.
    #if canImport(ObjectiveC)
    @objc(tableView:willDisplayCell:forRowAtIndexPath:)
    #endif
    open func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) {
        appeared(cell)
    }

    /// The header appears.
    #if canImport(ObjectiveC)
    @objc(tableView:willDisplayHeaderView:forSection:)
    #endif
    open func tableView(_ tableView: UITableView, willDisplayHeaderView view: UIView, forSection section: Int) {
        appeared(view)
    }

    /// The footer appears.
    #if canImport(ObjectiveC)
    @objc(tableView:willDisplayFooterView:forSection:)
    #endif
    open func tableView(_ tableView: UITableView, willDisplayFooterView view: UIView, forSection section: Int) {
        appeared(view)
    }

    /// The cell disappears.
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

    /// The header disappears.
    #if canImport(ObjectiveC)
    @objc(tableView:didEndDisplayingHeaderView:forSection:)
    #endif
    open func tableView(_ tableView: UITableView, didEndDisplayingHeaderView view: UIView, forSection section: Int) {
        disappeared(view)
    }

    /// The footer disappears.
    #if canImport(ObjectiveC)
    @objc(tableView:didEndDisplayingFooterView:forSection:)
    #endif
    open func tableView(_ tableView: UITableView, didEndDisplayingFooterView view: UIView, forSection section: Int) {
        disappeared(view)
    }

    /// The row's cell is acted upon.
    #if canImport(ObjectiveC)
    @objc(tableView:didSelectRowAtIndexPath:)
    #endif
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        SparkDetector.trackTargetAction(forView: tableView.cellForRow(at: indexPath))
    }

    // MARK: Collections

    /// The cell appears.
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

    /// The view beside the cells appears.
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

    /// The cell disappears.
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

    /// The view beside the cells disappears.
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

    /// The item's cell is acted upon.
    #if canImport(ObjectiveC)
    @objc(collectionView:didSelectItemAtIndexPath:)
    #endif
    open func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {
        SparkDetector.trackTargetAction(forView: collectionView.cellForItem(at: indexPath))
    }

    // MARK: Scrolling

    /// Scrolling begins.
    #if canImport(ObjectiveC)
    @objc(scrollViewWillBeginDragging:)
    #endif
    open func scrollViewWillBeginDragging(_ scrollView: UIScrollView) {
        SparkDetector.trackBeganScrolling(forScrollView: scrollView)
    }

    // MARK: Inside

    private func appeared(_ view: UIView) { Appearances.listWillDisplay(view) }
    private func disappeared(_ view: UIView) { Appearances.listDidEndDisplaying(view) }
}
#endif
