// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
public import UIKit

/// A cell whose `didAppear`, `didDisappear` and `didEndTouch` events fire by themselves, whatever the delegate of its list.
///
/// It appears when it is laid out in a window and not hidden, or when a ``SparkViewController`` is told that it will be shown,
/// whichever is first; it disappears when it is hidden, leaves its window or is used again, or when the controller is told.
#if canImport(ObjectiveC)
@objcMembers
#endif
open class SparkTableViewCell: UITableViewCell, SelfNoticingCell {
    var visibility = CellVisibility()

    /// Tells the detector, then the cell.
    open override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
        SparkDetector.ended(touches)
        super.touchesEnded(touches, with: event)
    }

    /// Notices that the cell came into a window or left it.
    open override func didMoveToWindow() {
        super.didMoveToWindow()
        if isInSight { setNeedsLayout() } else { notice { $0.left() } }
    }

    /// Notices that the cell is in sight.
    open override func layoutSubviews() {
        super.layoutSubviews()
        let isInSight = isInSight
        notice { $0.laidOut(isInSight: isInSight) }
    }

    /// Notices that the cell goes out of sight to be used for something else. Actions that wait run before: they may look at what the
    /// cell shows.
    open override func prepareForReuse() {
        notice { $0.left() }
        SparkDetector.executor.runWaiting()
        super.prepareForReuse()
        setNeedsLayout()
    }

    /// Notices that the cell is hidden, as a list hides one that it keeps for later.
    open override var isHidden: Bool {
        didSet {
            if isInSight { setNeedsLayout() } else { notice { $0.left() } }
        }
    }
}
#endif
