// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Decides which events fire when something happened to elements of an interface, and has their actions run.
///
/// ```swift
/// let detector = Detector()
/// detector.trackDisplay(for: [cell.triggerElement])
/// ```
/// Each call answers at once whether anything fired; see ``TriggerEvent`` for when actions run. What is called here is what
/// happened: nothing looks at whether an element is in sight.
@MainActor
public final class Detector {
    /// Tells what fired, as it fires.
    public nonisolated let trace: TriggerTrace
    private nonisolated let clock: any EventClock
    private var touches = TouchMemory()

    /// A detector.
    ///
    /// - Parameters:
    ///   - clock: says when triggers are met.
    ///   - trace: is told what fired.
    public nonisolated init(clock: any EventClock = SystemClock(), trace: TriggerTrace = TriggerTrace()) {
        self.clock = clock
        self.trace = trace
    }

    // MARK: What happened

    /// Elements came into sight: ``Trigger/didAppear``.
    ///
    /// - Returns: Whether an event of any of them fired.
    @discardableResult
    public func trackDisplay(for elements: [any TriggerElement]) -> Bool {
        track(.didAppear, for: elements)
    }

    /// Elements went out of sight: ``Trigger/didDisappear``.
    ///
    /// - Returns: Whether an event of any of them fired.
    @discardableResult
    public func trackEndDisplaying(for elements: [any TriggerElement]) -> Bool {
        track(.didDisappear, for: elements)
    }

    /// Touches ended: ``Trigger/didEndTouch``. One counts when its finger was lifted inside its element, and the element takes
    /// touches. The same touch may be told several times; each event fires once for it.
    ///
    /// - Returns: Whether any of them fired an event, now or when it was told before.
    @discardableResult
    public func trackEnded(withTouches touches: [any TriggerTouch]) -> Bool {
        var hasFired = false
        for touch in touches {
            guard touch.hasEnded, let element = touch.element, element.isInteractionEnabled, touch.isInside else {
                continue
            }
            if fire(.didEndTouch, on: element, by: touch) { hasFired = true }
        }
        return hasFired
    }

    /// Scrolling began: ``Trigger/didBeginScroll``. It counts when it is the user who moves the content.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public func trackBeganScrolling(for element: (any TriggerElement)?) -> Bool {
        guard let element, element.isTracking else { return false }
        return fire(.didBeginScroll, on: element)
    }

    /// An element became the one that text is typed into: ``Trigger/didBecomeFirstResponder``.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public func trackBecameFirstResponder(for element: (any TriggerElement)?) -> Bool {
        track(.didBecomeFirstResponder, for: element)
    }

    /// An element is no longer the one that text is typed into: ``Trigger/didResignFirstResponder``.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public func trackResignedFirstResponder(for element: (any TriggerElement)?) -> Bool {
        track(.didResignFirstResponder, for: element)
    }

    /// An element's own action was carried out: ``Trigger/targetAction``.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public func trackTargetAction(for element: (any TriggerElement)?) -> Bool {
        track(.targetAction, for: element)
    }

    /// Something happened to an element; the way for triggers of the app's own. ``Trigger/never`` is nothing.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public func track(_ trigger: Trigger, for element: (any TriggerElement)?) -> Bool {
        guard let element else { return false }
        return fire(trigger, on: element)
    }

    /// The same for several elements, in order.
    ///
    /// - Returns: Whether an event of any of them fired.
    @discardableResult
    public func track(_ trigger: Trigger, for elements: [any TriggerElement]) -> Bool {
        var hasFired = false
        for element in elements where fire(trigger, on: element) { hasFired = true }
        return hasFired
    }

    /// Has events fire that belong to no element, whatever their triggers, in order. Any thread.
    ///
    /// - Returns: Whether any fired.
    @discardableResult
    public nonisolated func send(_ events: [TriggerEvent]) -> Bool {
        let moment = clock.now()
        var hasFired = false
        for event in events where event.fire(event.trigger, at: moment, on: nil, trace) { hasFired = true }
        return hasFired
    }

    // MARK: What comes of it

    private func fire(_ trigger: Trigger, on element: any TriggerElement, by touch: (any TriggerTouch)? = nil) -> Bool {
        let events = element.events(for: trigger)
        guard !events.isEmpty else { return false }
        let moment = clock.now()
        var hasFired = false
        var objects: ObjectsInUse?
        for event in events {
            if let touch, !touches.isFirst(touch.object, at: touch.timestamp, of: event) {
                hasFired = true
                continue
            }
            let shown =
                trace.wants(event)
                ? TriggerReport.Element(type: element.elementType, id: element.elementID) : nil
            if objects == nil, event.executor.runsLater { objects = ObjectsInUse(element.objectsInUse) }
            if event.fire(trigger, at: moment, on: shown, keeping: objects, isOnMainActor: true, trace) {
                hasFired = true
            }
        }
        return hasFired
    }
}
