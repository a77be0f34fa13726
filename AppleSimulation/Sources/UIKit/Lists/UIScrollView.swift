// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Rules modelled here: `isTracking` holds from the finger's touching, `isDragging` from its first move on, and the delegate
/// hears of the beginning of the dragging before the first move (Apple, pages of `isTracking`, `isDragging` and
/// `UIScrollViewDelegate`). A content offset that code sets moves the bounds' origin and is told by `scrollViewDidScroll`.
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
        get { isPaged }
        set { isPaged = newValue }
    }
    private var isPaged = false
    open internal(set) var isTracking = false
    open internal(set) var isDragging = false
    open internal(set) var isDecelerating = false

    weak var scrollDelegate: (any UIScrollViewDelegate)?

    open func setContentOffset(_ contentOffset: CGPoint, animated: Bool) {
        self.contentOffset = contentOffset
    }

    #if !canImport(ObjectiveC)
    /// The person scrolls: puts a finger down, drags it over the distance, and lifts it.
    ///
    /// - Parameters:
    ///   - distance: How far the content moves up.
    ///   - decelerates: Whether the content runs on by itself; it stands still when this call returns.
    public func simulate(scrollingBy distance: CGFloat, decelerates: Bool = false) {
        guard isScrollEnabled, isUserInteractionEnabled else { return }
        simulateBeginOfScrolling()
        simulateMove(by: distance)
        simulateEndOfScrolling(decelerates: decelerates)
    }

    /// The finger touches and begins to drag.
    public func simulateBeginOfScrolling() {
        isTracking = true
        isDragging = true
        scrollDelegate?.scrollViewWillBeginDragging(self)
    }

    /// The finger drags.
    public func simulateMove(by distance: CGFloat) {
        contentOffset = CGPoint(x: contentOffset.x, y: max(0, contentOffset.y + distance))
    }

    /// The finger is lifted.
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

/// Gives scroll views their `delegate`. A table's and a collection's has a type of its own, which Swift does not let a subclass
/// declare; a member of a protocol's extension may be hidden by one of the class.
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
