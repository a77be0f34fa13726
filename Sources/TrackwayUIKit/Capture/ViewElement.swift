// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
public import TrackwayTriggers
public import UIKit

extension UIView {
    /// The events to fire when something happens to the view.
    ///
    /// nil means that no events were set, which differs from an empty list: a touch in a view without its own events is
    /// handled by its cell. Events for touches, actions, scrolling, and text editing fire while a ``UIKitCapture`` with
    /// a detector exists. Other events, and events for actions that are closures (`UIAction`), fire when the app calls
    /// the detector with the view's ``triggerElement``. The events are retained until the view is released.
    public var triggerEvents: [TriggerEvent]? {
        get { ViewElement.events[self] }
        set { ViewElement.events[self] = newValue }
    }

    /// The view as an element for a detector.
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
    private static let ignoredViews = AssociatedStorage<Bool>()

    /// Whether clicks on the view and its contents are ignored.
    ///
    /// False by default. Unlike a marker in an `accessibilityIdentifier`, this leaves identifiers free for UI tests.
    public var ignoresCapture: Bool {
        get { Self.ignoredViews[self] ?? false }
        set { Self.ignoredViews[self] = newValue ? true : nil }
    }
}

/// A view as a trigger element.
@MainActor
package struct ViewElement: TriggerElement {
    fileprivate static let events = AssociatedStorage<[TriggerEvent]>()

    private let view: UIView
    private let eventProvider: @MainActor (UIView) -> [TriggerEvent]?

    /// Creates an element for a view.
    ///
    /// - Parameters:
    ///   - view: the view.
    ///   - events: returns a view's events; by default, its `triggerEvents`.
    package init(_ view: UIView, events: @escaping @MainActor (UIView) -> [TriggerEvent]? = { $0.triggerEvents }) {
        self.view = view
        eventProvider = events
    }

    package var triggerEvents: [TriggerEvent]? { eventProvider(view) }
    package var parentElement: (any TriggerElement)? { view.superview.map { ViewElement($0, events: eventProvider) } }
    package var isCell: Bool { view is UITableViewCell || view is UICollectionViewCell }
    package var isInteractionEnabled: Bool { view.isUserInteractionEnabled }
    package var isTracking: Bool { (view as? UIScrollView)?.isTracking ?? false }
    package var elementType: String { ScreenRules.bareName(of: ViewFacts.className(of: view)) }
    package var elementID: String? { view.accessibilityIdentifier }

    /// The view, and the views and controllers around it.
    ///
    /// While a view is being removed, it may be connected only to its controller, and to the controller's parents only
    /// through that controller.
    package var objectsInUse: [AnyObject] {
        var objects: [AnyObject] = []
        var next: UIResponder? = view
        while let responder = next, objects.count < Self.maxDepth {
            objects.append(responder)
            next = responder.next ?? (responder as? UIViewController)?.parent
        }
        return objects
    }

    /// The maximum depth, greater than that of any real hierarchy.
    private static let maxDepth = 1000
}

/// A touch as a trigger touch.
@MainActor
package struct ViewTouch: TriggerTouch {
    private let touch: UITouch
    private let eventProvider: @MainActor (UIView) -> [TriggerEvent]?

    /// Creates a trigger touch for a touch.
    ///
    /// - Parameters:
    ///   - touch: the touch.
    ///   - events: returns a view's events, as for ``ViewElement``.
    package init(_ touch: UITouch, events: @escaping @MainActor (UIView) -> [TriggerEvent]? = { $0.triggerEvents }) {
        self.touch = touch
        eventProvider = events
    }

    package var object: AnyObject { touch }
    package var timestamp: Double { touch.timestamp }
    package var hasEnded: Bool { touch.phase == .ended }
    package var element: (any TriggerElement)? { touch.view.map { ViewElement($0, events: eventProvider) } }
    package var isInside: Bool {
        guard let view = touch.view else { return false }
        if let control = view as? UIControl { return control.isTouchInside }
        return view.point(inside: touch.location(in: view), with: nil)
    }
}
#endif
