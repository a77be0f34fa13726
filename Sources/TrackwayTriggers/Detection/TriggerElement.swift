// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An interface element with triggers.
///
/// The element is a view, or an object that represents a view. It is used only on the main actor, when something
/// happens to the view.
@MainActor
public protocol TriggerElement {
    /// The element's events.
    ///
    /// nil if no events were set, which differs from an empty list; see ``isCell``.
    var triggerEvents: [TriggerEvent]? { get }
    /// The enclosing element.
    var parentElement: (any TriggerElement)? { get }
    /// Whether the element is a list cell.
    ///
    /// A touch in an element without its own events is handled by its cell.
    var isCell: Bool { get }
    /// Whether the element accepts touches.
    var isInteractionEnabled: Bool { get }
    /// Whether the user is moving the element's content.
    var isTracking: Bool { get }
    /// The kind of element, for debugging.
    var elementType: String { get }
    /// The app's name for the element, for debugging.
    var elementID: String? { get }
    /// The objects that an action of the element may use.
    ///
    /// These objects are retained until the action has run. If an action runs later than its trigger, its screen may
    /// already have been closed. The objects in this list still exist at that time, even if the action refers to them
    /// with `weak` or `unowned`.
    var objectsInUse: [AnyObject] { get }
}

extension TriggerElement {
    /// Nil by default.
    public var parentElement: (any TriggerElement)? { nil }
    /// False by default.
    public var isCell: Bool { false }
    /// True by default.
    public var isInteractionEnabled: Bool { true }
    /// False by default.
    public var isTracking: Bool { false }
    /// By default, the name of the element's type.
    public var elementType: String { String(describing: type(of: self)) }
    /// Nil by default.
    public var elementID: String? { nil }
    /// By default, the element and its ancestors, if they are objects.
    public var objectsInUse: [AnyObject] {
        var objects: [AnyObject] = []
        var element: (any TriggerElement)? = self
        for _ in 0..<1000 {
            guard let current = element else { break }
            if type(of: current) is AnyClass { objects.append(current as AnyObject) }
            element = current.parentElement
        }
        return objects
    }

    /// Returns the events that a trigger fires for this element.
    ///
    /// An element with its own list of events handles the trigger, even if the list is empty or has no event for this
    /// trigger. For an element without a list, the cell that contains the element handles touches. No other triggers
    /// are passed to ancestors.
    func events(for trigger: Trigger) -> [TriggerEvent] {
        guard trigger != .never else { return [] }
        if let events = triggerEvents { return events.filter { $0.trigger == trigger } }
        guard trigger == .didEndTouch else { return [] }
        var element: (any TriggerElement)? = self
        // The depth limit guards against cycles.
        for _ in 0..<1000 {
            guard let current = element else { return [] }
            if current.isCell { return current.triggerEvents?.filter { $0.trigger == trigger } ?? [] }
            element = current.parentElement
        }
        return []
    }
}

/// A finger on the screen, as a source of triggers.
@MainActor
public protocol TriggerTouch {
    /// The object that identifies the touch during its lifetime.
    var object: AnyObject { get }
    /// The time at which the touch last changed, in seconds since boot.
    ///
    /// An object may represent several touches in succession.
    var timestamp: Double { get }
    /// Whether the finger was lifted.
    var hasEnded: Bool { get }
    /// The element in which the touch began.
    var element: (any TriggerElement)? { get }
    /// Whether the touch is inside that element.
    ///
    /// A control determines this by itself; other elements use their bounds.
    var isInside: Bool { get }
}

extension TriggerTouch where Self: AnyObject {
    /// The touch itself.
    public var object: AnyObject { self }
}
