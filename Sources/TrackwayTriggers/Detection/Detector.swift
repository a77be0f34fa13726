// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A detector that fires interface elements' events and runs their actions.
///
/// ```swift
/// let detector = Detector()
/// detector.trackDisplay(for: [cell.triggerElement])
/// ```
/// Each call returns immediately and indicates whether an event fired; see ``TriggerEvent`` for when actions run. The
/// detector relies on these calls and does not check whether an element is visible.
@MainActor
public final class Detector {
    /// The trace that reports events as they fire.
    public nonisolated let trace: TriggerTrace
    private nonisolated let clock: any EventClock
    private var touches = TouchMemory()

    /// Creates a detector.
    ///
    /// - Parameters:
    ///   - clock: the clock that provides the times at which triggers occur.
    ///   - trace: the trace that receives reports of fired events.
    public nonisolated init(clock: any EventClock = SystemClock(), trace: TriggerTrace = TriggerTrace()) {
        self.clock = clock
        self.trace = trace
    }

    // MARK: Tracking

    /// Reports that elements appeared: ``Trigger/didAppear``.
    ///
    /// - Returns: Whether any of their events fired.
    @discardableResult
    public func trackDisplay(for elements: [any TriggerElement]) -> Bool {
        track(.didAppear, for: elements)
    }

    /// Reports that elements disappeared: ``Trigger/didDisappear``.
    ///
    /// - Returns: Whether any of their events fired.
    @discardableResult
    public func trackEndDisplaying(for elements: [any TriggerElement]) -> Bool {
        track(.didDisappear, for: elements)
    }

    /// Reports that touches ended: ``Trigger/didEndTouch``.
    ///
    /// A touch counts if the finger was lifted inside its element and the element accepts touches. The same touch may
    /// be reported several times; each event fires only once per touch.
    ///
    /// - Returns: Whether any touch fired an event, in this call or when it was reported earlier.
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

    /// Reports that scrolling began: ``Trigger/didBeginScroll``.
    ///
    /// Scrolling counts only if the user moves the content.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public func trackBeganScrolling(for element: (any TriggerElement)?) -> Bool {
        guard let element, element.isTracking else { return false }
        return fire(.didBeginScroll, on: element)
    }

    /// Reports that an element became the first responder: ``Trigger/didBecomeFirstResponder``.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public func trackBecameFirstResponder(for element: (any TriggerElement)?) -> Bool {
        track(.didBecomeFirstResponder, for: element)
    }

    /// Reports that an element is no longer the first responder: ``Trigger/didResignFirstResponder``.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public func trackResignedFirstResponder(for element: (any TriggerElement)?) -> Bool {
        track(.didResignFirstResponder, for: element)
    }

    /// Reports that an element's own action was performed: ``Trigger/targetAction``.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public func trackTargetAction(for element: (any TriggerElement)?) -> Bool {
        track(.targetAction, for: element)
    }

    /// Reports a trigger for an element, such as an app-defined trigger.
    ///
    /// ``Trigger/never`` has no effect.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public func track(_ trigger: Trigger, for element: (any TriggerElement)?) -> Bool {
        guard let element else { return false }
        return fire(trigger, on: element)
    }

    /// Reports a trigger for several elements, in order.
    ///
    /// - Returns: Whether any of their events fired.
    @discardableResult
    public func track(_ trigger: Trigger, for elements: [any TriggerElement]) -> Bool {
        var hasFired = false
        for element in elements where fire(trigger, on: element) { hasFired = true }
        return hasFired
    }

    /// Fires events that do not belong to an element, in order.
    ///
    /// The events fire regardless of their triggers. Callable from any thread.
    ///
    /// - Returns: Whether any event fired.
    @discardableResult
    public nonisolated func send(_ events: [TriggerEvent]) -> Bool {
        let timestamp = clock.now()
        var hasFired = false
        for event in events where event.fire(event.trigger, at: timestamp, on: nil, trace) { hasFired = true }
        return hasFired
    }

    // MARK: Firing

    private func fire(_ trigger: Trigger, on element: any TriggerElement, by touch: (any TriggerTouch)? = nil) -> Bool {
        let events = element.events(for: trigger)
        guard !events.isEmpty else { return false }
        let timestamp = clock.now()
        var hasFired = false
        var objects: ObjectsInUse?
        for event in events {
            if let touch, !touches.insert(touch.object, at: touch.timestamp, of: event) {
                hasFired = true
                continue
            }
            let shown =
                trace.includes(event)
                ? TriggerReport.Element(type: element.elementType, id: element.elementID) : nil
            if objects == nil, event.executor.runsLater { objects = ObjectsInUse(element.objectsInUse) }
            if event.fire(trigger, at: timestamp, on: shown, keeping: objects, isOnMainActor: true, trace) {
                hasFired = true
            }
        }
        return hasFired
    }
}
