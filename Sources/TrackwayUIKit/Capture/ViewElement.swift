// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
public import TrackwayTriggers
public import UIKit

extension UIView {
    /// What is to be done when something happens to the view; nil when nobody said anything, which differs from an empty
    /// list: a touch in a view without events of its own is its cell's.
    ///
    /// Events fire while a ``UIKitCapture`` with a detector is kept, or when the app calls the detector itself. They are kept
    /// as long as the view.
    public var triggerEvents: [TriggerEvent]? {
        get { ViewElement.events[self] }
        set { ViewElement.events[self] = newValue }
    }
}

/// A view as the triggers see it.
@MainActor
package struct ViewElement: TriggerElement {
    fileprivate static let events = AssociatedStorage<[TriggerEvent]>()

    private let view: UIView

    /// A view.
    package init(_ view: UIView) {
        self.view = view
    }

    package var triggerEvents: [TriggerEvent]? { view.triggerEvents }
    package var parentElement: (any TriggerElement)? { view.superview.map { ViewElement($0) } }
    package var isCell: Bool { view is UITableViewCell || view is UICollectionViewCell }
    package var isInteractionEnabled: Bool { view.isUserInteractionEnabled }
    package var isTracking: Bool { (view as? UIScrollView)?.isTracking ?? false }
    package var elementType: String { ScreenRules.bareName(of: String(reflecting: type(of: view))) }
    package var elementID: String? { view.accessibilityIdentifier }
}

/// A touch as the triggers see it.
@MainActor
struct TouchInView: TriggerTouch {
    private let touch: UITouch

    init(_ touch: UITouch) {
        self.touch = touch
    }

    var object: AnyObject { touch }
    var timestamp: Double { touch.timestamp }
    var hasEnded: Bool { touch.phase == .ended }
    var element: (any TriggerElement)? { touch.view.map { ViewElement($0) } }
    var isInside: Bool {
        guard let view = touch.view else { return false }
        if let control = view as? UIControl { return control.isTouchInside }
        return view.point(inside: touch.location(in: view), with: nil)
    }
}
#endif
