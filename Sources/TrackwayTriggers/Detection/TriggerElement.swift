// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An interface element with triggers.
///
/// It is a view, or an object that represents one. Used only on the main actor, when something happens to the element.
@MainActor
public protocol TriggerElement {
    /// The element's events.
    ///
    /// Nil if none were set, which differs from an empty list: see ``isCell``.
    var triggerEvents: [TriggerEvent]? { get }
    /// The enclosing element.
    var parentElement: (any TriggerElement)? { get }
    /// Whether it is a list cell.
    ///
    /// A touch in an element without its own events is handled by its cell.
    var isCell: Bool { get }
    /// Whether the element accepts touches.
    var isInteractionEnabled: Bool { get }
    /// Whether the user is moving its content.
    var isTracking: Bool { get }
    /// The kind of element, for debugging.
    var elementType: String { get }
    /// The app's name for the element, for debugging.
    var elementID: String? { get }
    /// The objects that an action of the element may use.
    ///
    /// They are retained until the action has run. When an action runs later than its trigger, its screen may already
    /// have been closed. Objects in this list still exist then, even if the action refers to them with `weak` or
    /// `unowned`.
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
    /// The name of its type by default.
    public var elementType: String { String(describing: type(of: self)) }
    /// Nil by default.
    public var elementID: String? { nil }
    /// The element and its ancestors, if they are objects, by default.
    public var objectsInUse: [AnyObject] {
        var objects: [AnyObject] = []
        var element: (any TriggerElement)? = self
        for _ in 0..<1000 {
            guard let here = element else { break }
            if type(of: here) is AnyClass { objects.append(here as AnyObject) }
            element = here.parentElement
        }
        return objects
    }

    /// Returns the events that a trigger fires for this element.
    ///
    /// An element that has its own events, even an empty list or none for this trigger, handles the trigger. Otherwise
    /// the cell that contains it handles touches. Nothing else is passed to ancestors.
    func events(for trigger: Trigger) -> [TriggerEvent] {
        guard trigger != .never else { return [] }
        if let events = triggerEvents { return events.filter { $0.trigger == trigger } }
        guard trigger == .didEndTouch else { return [] }
        var element: (any TriggerElement)? = self
        // The depth limit guards against cycles.
        for _ in 0..<1000 {
            guard let here = element else { return [] }
            if here.isCell { return here.triggerEvents?.filter { $0.trigger == trigger } ?? [] }
            element = here.parentElement
        }
        return []
    }
}

/// A finger on the screen, as a source of triggers.
@MainActor
public protocol TriggerTouch {
    /// Identifies the touch during its lifetime.
    var object: AnyObject { get }
    /// When the touch last changed, in seconds since boot.
    ///
    /// An object may represent several touches in succession.
    var timestamp: Double { get }
    /// Whether the finger was lifted.
    var hasEnded: Bool { get }
    /// The element in which the touch began.
    var element: (any TriggerElement)? { get }
    /// Whether it is inside that element.
    ///
    /// A control determines this itself; for other elements, their bounds determine it.
    var isInside: Bool { get }
}

extension TriggerTouch where Self: AnyObject {
    /// The touch itself.
    public var object: AnyObject { self }
}
