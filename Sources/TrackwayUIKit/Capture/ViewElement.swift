// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
public import TrackwayTriggers
public import UIKit

extension UIView {
    /// What is to be done when something happens to the view; nil when nobody said anything, which differs from an empty
    /// list: a touch in a view without events of its own is its cell's.
    ///
    /// Events of touches, actions, scrolling and typing fire while a ``UIKitCapture`` with a detector is kept; others, and
    /// actions that are closures (`UIAction`), when the app calls the detector with the view's ``triggerElement``. They are
    /// kept as long as the view.
    public var triggerEvents: [TriggerEvent]? {
        get { ViewElement.events[self] }
        set { ViewElement.events[self] = newValue }
    }

    /// The view as a detector takes it.
    ///
    /// ```swift
    /// override func viewDidAppear(_ animated: Bool) {
    ///     super.viewDidAppear(animated)
    ///     detector.trackDisplay(for: [offer.triggerElement])
    /// }
    /// ```
    public var triggerElement: any TriggerElement { ViewElement(self) }
}

extension UIView {
    private static let ignored = AssociatedStorage<Bool>()

    /// Whether clicks on the view, and on anything inside of it, are not recorded. False by default.
    ///
    /// Unlike an `accessibilityIdentifier` that says so, it leaves identifiers to those who test the interface.
    public var ignoresCapture: Bool {
        get { Self.ignored[self] ?? false }
        set { Self.ignored[self] = newValue ? true : nil }
    }
}

/// A view as the triggers see it.
@MainActor
package struct ViewElement: TriggerElement {
    fileprivate static let events = AssociatedStorage<[TriggerEvent]>()

    private let view: UIView
    private let said: @MainActor (UIView) -> [TriggerEvent]?

    /// A view.
    ///
    /// - Parameters:
    ///   - view: the view.
    ///   - events: what the app wants done when something happens to a view: its `triggerEvents`, unless they are kept elsewhere.
    package init(_ view: UIView, events: @escaping @MainActor (UIView) -> [TriggerEvent]? = { $0.triggerEvents }) {
        self.view = view
        said = events
    }

    package var triggerEvents: [TriggerEvent]? { said(view) }
    package var parentElement: (any TriggerElement)? { view.superview.map { ViewElement($0, events: said) } }
    package var isCell: Bool { view is UITableViewCell || view is UICollectionViewCell }
    package var isInteractionEnabled: Bool { view.isUserInteractionEnabled }
    package var isTracking: Bool { (view as? UIScrollView)?.isTracking ?? false }
    package var elementType: String { ScreenRules.bareName(of: ViewFacts.className(of: view)) }
    package var elementID: String? { view.accessibilityIdentifier }

    /// The view, and the views and controllers around it. A view that is being taken away may have nothing around it but its
    /// controller, whose parents are named by the controller alone.
    package var objectsInUse: [AnyObject] {
        var objects: [AnyObject] = []
        var next: UIResponder? = view
        while let responder = next, objects.count < Self.maxDepth {
            objects.append(responder)
            next = responder.next ?? (responder as? UIViewController)?.parent
        }
        return objects
    }

    /// More views and controllers than lie around any view.
    private static let maxDepth = 1000
}

/// A touch as the triggers see it.
@MainActor
package struct ViewTouch: TriggerTouch {
    private let touch: UITouch
    private let said: @MainActor (UIView) -> [TriggerEvent]?

    /// A touch.
    ///
    /// - Parameters:
    ///   - touch: the touch.
    ///   - events: what the app wants done when something happens to a view, as for ``ViewElement``.
    package init(_ touch: UITouch, events: @escaping @MainActor (UIView) -> [TriggerEvent]? = { $0.triggerEvents }) {
        self.touch = touch
        said = events
    }

    package var object: AnyObject { touch }
    package var timestamp: Double { touch.timestamp }
    package var hasEnded: Bool { touch.phase == .ended }
    package var element: (any TriggerElement)? { touch.view.map { ViewElement($0, events: said) } }
    package var isInside: Bool {
        guard let view = touch.view else { return false }
        if let control = view as? UIControl { return control.isTouchInside }
        return view.point(inside: touch.location(in: view), with: nil)
    }
}
#endif
