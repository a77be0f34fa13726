// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
public import UIKit

/// A cell whose `didAppear`, `didDisappear`, and `didEndTouch` events fire automatically.
///
/// The events do not depend on the list's delegate.
///
/// The cell appears when it is laid out in a window and not hidden, or when a ``SparkViewController`` is notified
/// that the cell will be shown, whichever comes first. It disappears when it is hidden, leaves its window, or is
/// reused, or when the controller is notified that the cell is no longer shown.
#if canImport(ObjectiveC)
@objcMembers
#endif
open class SparkCollectionViewCell: UICollectionViewCell, SelfObservingCell {
    var visibility = CellVisibility()

    /// Notifies the detector, then passes the touches to the superclass.
    open override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
        SparkDetector.reportEndedTouches(touches)
        super.touchesEnded(touches, with: event)
    }

    /// Updates the cell's visibility when it enters or leaves a window.
    open override func didMoveToWindow() {
        super.didMoveToWindow()
        if isVisibleInWindow { setNeedsLayout() } else { updateVisibility { $0.didBecomeInvisible() } }
    }

    /// Updates the cell's visibility after layout.
    open override func layoutSubviews() {
        super.layoutSubviews()
        let isVisible = isVisibleInWindow
        updateVisibility { $0.didLayOut(isVisible: isVisible) }
    }

    /// Handles the cell's disappearance before it is reused.
    ///
    /// Pending actions run first, because they may read the cell's content.
    open override func prepareForReuse() {
        updateVisibility { $0.didBecomeInvisible() }
        SparkDetector.executor.runPending()
        super.prepareForReuse()
        setNeedsLayout()
    }

    /// Whether the cell is hidden; a change updates its visibility.
    ///
    /// For example, a list hides a cell that it keeps for later use.
    open override var isHidden: Bool {
        didSet {
            if isVisibleInWindow { setNeedsLayout() } else { updateVisibility { $0.didBecomeInvisible() } }
        }
    }
}
#endif
