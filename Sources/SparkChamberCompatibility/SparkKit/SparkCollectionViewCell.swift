// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
public import UIKit

/// A cell whose `didAppear`, `didDisappear` and `didEndTouch` events fire automatically.
///
/// This does not depend on the delegate of its list.
///
/// It appears when it is laid out in a window and not hidden, or when a ``SparkViewController`` is notified that it
/// will be shown, whichever is first. It disappears when it is hidden, leaves its window or is reused, or when the
/// controller is notified.
#if canImport(ObjectiveC)
@objcMembers
#endif
open class SparkCollectionViewCell: UICollectionViewCell, SelfObservingCell {
    var visibility = CellVisibility()

    /// Notifies the detector, then the cell.
    open override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
        SparkDetector.ended(touches)
        super.touchesEnded(touches, with: event)
    }

    /// Handles the cell entering or leaving a window.
    open override func didMoveToWindow() {
        super.didMoveToWindow()
        if isInSight { setNeedsLayout() } else { notice { $0.left() } }
    }

    /// Handles the cell's visibility after layout.
    open override func layoutSubviews() {
        super.layoutSubviews()
        let isInSight = isInSight
        notice { $0.laidOut(isInSight: isInSight) }
    }

    /// Handles the disappearance of the cell before it is reused.
    ///
    /// Pending actions run first, because they may read the cell's content.
    open override func prepareForReuse() {
        notice { $0.left() }
        SparkDetector.executor.runPending()
        super.prepareForReuse()
        setNeedsLayout()
    }

    /// Handles the hiding of the cell.
    ///
    /// For example, a list hides a cell that it keeps for later.
    open override var isHidden: Bool {
        didSet {
            if isInSight { setNeedsLayout() } else { notice { $0.left() } }
        }
    }
}
#endif
