// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

#if canImport(ObjectiveC)
public import ObjectiveC
#endif

/// Rules modeled here:
/// - Hit testing goes from the last subview to the first and skips views that are hidden, not interactive, or nearly
///   transparent (alpha below 0.01; Apple, page of `hitTest(_:with:)`).
/// - The next responder is the controller that the view belongs to, or else the superview (page of `UIResponder.next`).
/// - A view is notified before and after it moves to a window or superview, outer views first.
@MainActor open class UIView: UIResponder, NSCoding {
    public enum ContentMode: Int, Sendable {
        case scaleToFill = 0
        case scaleAspectFit = 1
        case scaleAspectFill = 2
        case center = 4
    }

    open var frame: CGRect {
        didSet { bounds.size = frame.size }
    }
    open var bounds: CGRect
    open var center: CGPoint {
        get { CGPoint(x: frame.midX, y: frame.midY) }
        set { frame.origin = CGPoint(x: newValue.x - frame.width / 2, y: newValue.y - frame.height / 2) }
    }
    open var isHidden = false
    open var alpha: CGFloat = 1
    open var isUserInteractionEnabled = true
    open var tag = 0
    open var backgroundColor: UIColor?
    open var contentMode = ContentMode.scaleToFill
    open var accessibilityIdentifier: String?
    open internal(set) weak var superview: UIView?
    open internal(set) var subviews: [UIView] = []
    open var gestureRecognizers: [UIGestureRecognizer]?

    weak var controller: UIViewController?

    public init(frame: CGRect) {
        self.frame = frame
        bounds = CGRect(origin: .zero, size: frame.size)
        super.init()
    }

    public required init?(coder: NSCoder) {
        frame = .zero
        bounds = .zero
        super.init()
    }

    public convenience override init() {
        self.init(frame: .zero)
    }

    public nonisolated func encode(with coder: NSCoder) {}

    open var window: UIWindow? {
        (self as? UIWindow) ?? superview?.window
    }

    open override var next: UIResponder? {
        controller ?? superview
    }

    // MARK: The tree

    open func addSubview(_ view: UIView) {
        insertSubview(view, at: subviews.count)
    }

    open func insertSubview(_ view: UIView, at index: Int) {
        #if !canImport(ObjectiveC)
        view.move(to: self, at: index)
        #endif
    }

    open func bringSubviewToFront(_ view: UIView) {
        #if !canImport(ObjectiveC)
        guard let index = subviews.firstIndex(where: { $0 === view }) else { return }
        subviews.append(subviews.remove(at: index))
        #endif
    }

    open func removeFromSuperview() {
        #if !canImport(ObjectiveC)
        if superview != nil { move(to: nil, at: 0) }
        #endif
    }

    open func isDescendant(of view: UIView) -> Bool {
        self === view || (superview?.isDescendant(of: view) ?? false)
    }

    open func viewWithTag(_ tag: Int) -> UIView? {
        self.tag == tag ? self : subviews.lazy.compactMap { $0.viewWithTag(tag) }.first
    }

    open func willMove(toSuperview newSuperview: UIView?) {}
    open func didMoveToSuperview() {}
    open func willMove(toWindow newWindow: UIWindow?) {}
    open func didMoveToWindow() {}
    open func didAddSubview(_ subview: UIView) {}
    open func willRemoveSubview(_ subview: UIView) {}
    open func setNeedsLayout() {}
    open func layoutSubviews() {}

    open func layoutIfNeeded() {
        layoutSubviews()
        for subview in subviews { subview.layoutIfNeeded() }
    }

    // MARK: Coordinates

    open func point(inside point: CGPoint, with event: UIEvent?) -> Bool {
        bounds.contains(point)
    }

    open func hitTest(_ point: CGPoint, with event: UIEvent?) -> UIView? {
        guard isUserInteractionEnabled, !isHidden, alpha >= 0.01, self.point(inside: point, with: event) else {
            return nil
        }
        for view in subviews.reversed() {
            if let hit = view.hitTest(view.convert(point, from: self), with: event) { return hit }
        }
        return self
    }

    open func convert(_ point: CGPoint, from view: UIView?) -> CGPoint {
        let otherOrigin = view?.originInWindow ?? .zero
        let ownOrigin = originInWindow
        return CGPoint(x: point.x + otherOrigin.x - ownOrigin.x, y: point.y + otherOrigin.y - ownOrigin.y)
    }

    open func convert(_ point: CGPoint, to view: UIView?) -> CGPoint {
        let otherOrigin = view?.originInWindow ?? .zero
        let ownOrigin = originInWindow
        return CGPoint(x: point.x + ownOrigin.x - otherOrigin.x, y: point.y + ownOrigin.y - otherOrigin.y)
    }

    open func convert(_ rect: CGRect, to view: UIView?) -> CGRect {
        CGRect(origin: convert(rect.origin, to: view), size: rect.size)
    }

    /// The origin of the bounds in the window, or in the outermost view outside a window.
    private var originInWindow: CGPoint {
        let outer = superview?.originInWindow ?? .zero
        guard superview != nil else { return CGPoint(x: -bounds.minX, y: -bounds.minY) }
        return CGPoint(x: outer.x + frame.minX - bounds.minX, y: outer.y + frame.minY - bounds.minY)
    }

    open func addGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
        gestureRecognizers = (gestureRecognizers ?? []) + [gestureRecognizer]
        gestureRecognizer.view = self
    }

    open func removeGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
        gestureRecognizers?.removeAll { $0 === gestureRecognizer }
        gestureRecognizer.view = nil
    }
}

#if !canImport(ObjectiveC)
extension UIView {
    fileprivate func move(to parent: UIView?, at index: Int) {
        let before = window
        let after = parent?.window
        willMove(toSuperview: parent)
        if before !== after { forEachInHierarchy { $0.willMove(toWindow: after) } }
        if let old = superview {
            old.willRemoveSubview(self)
            old.subviews.removeAll { $0 === self }
        }
        superview = parent
        parent?.subviews.insert(self, at: min(index, parent?.subviews.count ?? 0))
        if before !== after { forEachInHierarchy { $0.didMoveToWindow() } }
        didMoveToSuperview()
        parent?.didAddSubview(self)
    }

    private func forEachInHierarchy(_ body: (UIView) -> Void) {
        body(self)
        for view in subviews { view.forEachInHierarchy(body) }
    }

    /// The center in window coordinates, where a simulated touch on this view begins.
    var middleInWindow: CGPoint {
        convert(CGPoint(x: bounds.midX, y: bounds.midY), to: nil)
    }
}
#endif
