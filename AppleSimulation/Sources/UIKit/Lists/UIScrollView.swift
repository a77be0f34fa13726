// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Rules modeled here:
/// - `isTracking` is true from the touch, `isDragging` from its first move, and the delegate is notified of the
///   beginning of the drag before the first move (Apple, pages of `isTracking`, `isDragging` and
///   `UIScrollViewDelegate`).
/// - Setting the content offset in code moves the origin of the bounds and is reported by `scrollViewDidScroll`.
@MainActor open class UIScrollView: UIView {
    open var contentOffset: CGPoint {
        get { bounds.origin }
        set {
            #if !canImport(ObjectiveC)
            guard newValue != bounds.origin else { return }
            bounds.origin = newValue
            scrollDelegate?.scrollViewDidScroll(self)
            layoutSubviews()
            #endif
        }
    }
    open var contentSize = CGSize.zero
    open var isScrollEnabled = true
    open var isPagingEnabled: Bool {
        get { storedIsPagingEnabled }
        set { storedIsPagingEnabled = newValue }
    }
    private var storedIsPagingEnabled = false
    open internal(set) var isTracking = false
    open internal(set) var isDragging = false
    open internal(set) var isDecelerating = false

    weak var scrollDelegate: (any UIScrollViewDelegate)?

    open func setContentOffset(_ contentOffset: CGPoint, animated: Bool) {
        self.contentOffset = contentOffset
    }

    #if !canImport(ObjectiveC)
    /// The user scrolls: touches, drags over the distance, and lifts the finger.
    ///
    /// - Parameters:
    ///   - distance: How far the content moves up.
    ///   - decelerates: Whether the content continues to scroll; it has stopped when this call returns.
    public func simulate(scrollingBy distance: CGFloat, decelerates: Bool = false) {
        guard isScrollEnabled, isUserInteractionEnabled else { return }
        simulateBeginOfScrolling()
        simulateMove(by: distance)
        simulateEndOfScrolling(decelerates: decelerates)
    }

    /// The user touches and begins to drag.
    public func simulateBeginOfScrolling() {
        isTracking = true
        isDragging = true
        scrollDelegate?.scrollViewWillBeginDragging(self)
    }

    /// The user drags.
    public func simulateMove(by distance: CGFloat) {
        contentOffset = CGPoint(x: contentOffset.x, y: max(0, contentOffset.y + distance))
    }

    /// The user lifts the finger.
    public func simulateEndOfScrolling(decelerates: Bool = false) {
        isTracking = false
        isDragging = false
        scrollDelegate?.scrollViewDidEndDragging(self, willDecelerate: decelerates)
        guard decelerates else { return }
        isDecelerating = true
        scrollDelegate?.scrollViewWillBeginDecelerating(self)
        isDecelerating = false
        scrollDelegate?.scrollViewDidEndDecelerating(self)
    }
    #endif
}

/// Gives scroll views their `delegate`.
///
/// Tables and collections have a `delegate` of a different type, which Swift does not let a subclass declare; but a
/// member of a protocol extension can be shadowed by one of the class.
@MainActor public protocol ScrollViewDelegating: UIScrollView {}

extension ScrollViewDelegating {
    public var delegate: (any UIScrollViewDelegate)? {
        get { scrollDelegate }
        set { scrollDelegate = newValue }
    }
}

extension UIScrollView: ScrollViewDelegating {}

@MainActor /*@objc*/ public protocol UIScrollViewDelegate: NSObjectProtocol {
    /*@objc*/ /*optional*/ func scrollViewDidScroll(_ scrollView: UIScrollView)
    /*@objc*/ /*optional*/ func scrollViewWillBeginDragging(_ scrollView: UIScrollView)
    /*@objc*/ /*optional*/ func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool)
    /*@objc*/ /*optional*/ func scrollViewWillBeginDecelerating(_ scrollView: UIScrollView)
    /*@objc*/ /*optional*/ func scrollViewDidEndDecelerating(_ scrollView: UIScrollView)
    /*@objc*/ /*optional*/ func scrollViewDidScrollToTop(_ scrollView: UIScrollView)
}

#if !canImport(ObjectiveC)
extension UIScrollViewDelegate {
    public func scrollViewDidScroll(_ scrollView: UIScrollView) {}
    public func scrollViewWillBeginDragging(_ scrollView: UIScrollView) {}
    public func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool) {}
    public func scrollViewWillBeginDecelerating(_ scrollView: UIScrollView) {}
    public func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) {}
    public func scrollViewDidScrollToTop(_ scrollView: UIScrollView) {}
}
#endif
