// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An element of an interface, as far as triggers go: a view, or something that stands for one.
///
/// Asked on the main actor alone, when something happened to it.
@MainActor
public protocol TriggerElement {
    /// What the app wants done; nil when it said nothing, which differs from an empty list: see ``isCell``.
    var triggerEvents: [TriggerEvent]? { get }
    /// The element around it.
    var parentElement: (any TriggerElement)? { get }
    /// Whether it is a cell of a list. A touch in an element without events of its own is its cell's.
    var isCell: Bool { get }
    /// Whether touches count.
    var isInteractionEnabled: Bool { get }
    /// Whether the user is moving its content.
    var isTracking: Bool { get }
    /// What kind of element it is, for whoever debugs.
    var elementType: String { get }
    /// What the app calls it, for whoever debugs.
    var elementID: String? { get }
    /// The objects that an action of the element may use, kept until the action has run.
    ///
    /// An action that runs later than its trigger may find that the screen it belongs to was closed meanwhile. What it refers to
    /// with `weak` or `unowned` is still there when it is among these.
    var objectsInUse: [AnyObject] { get }
}

extension TriggerElement {
    /// None.
    public var parentElement: (any TriggerElement)? { nil }
    /// False.
    public var isCell: Bool { false }
    /// True.
    public var isInteractionEnabled: Bool { true }
    /// False.
    public var isTracking: Bool { false }
    /// The name of its type.
    public var elementType: String { String(describing: type(of: self)) }
    /// None.
    public var elementID: String? { nil }
    /// The element and those around it, as far as they are objects.
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

    /// The events that a trigger fires here.
    ///
    /// An element with events of its own, even an empty list or none of this trigger, answers for itself. Another leaves touches
    /// to the cell it lies in. Otherwise nothing is passed on to elements around it.
    func events(for trigger: Trigger) -> [TriggerEvent] {
        guard trigger != .never else { return [] }
        if let events = triggerEvents { return events.filter { $0.trigger == trigger } }
        guard trigger == .didEndTouch else { return [] }
        var element: (any TriggerElement)? = self
        // No interface is so deep; one that contains itself would be.
        for _ in 0..<1000 {
            guard let here = element else { return [] }
            if here.isCell { return here.triggerEvents?.filter { $0.trigger == trigger } ?? [] }
            element = here.parentElement
        }
        return []
    }
}

/// A finger on the screen, as far as triggers go.
@MainActor
public protocol TriggerTouch {
    /// What tells this touch from others while it lives.
    var object: AnyObject { get }
    /// When the touch last changed, in seconds since the system's start: an object may stand for one touch after another.
    var timestamp: Double { get }
    /// Whether the finger was lifted.
    var hasEnded: Bool { get }
    /// The element it began in.
    var element: (any TriggerElement)? { get }
    /// Whether it lies inside that element: inside a control as the control sees it, inside the bounds of anything else.
    var isInside: Bool { get }
}

extension TriggerTouch where Self: AnyObject {
    /// The touch itself.
    public var object: AnyObject { self }
}
