// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

#if canImport(ObjectiveC)
public import ObjectiveC
#endif

/// Rules modeled here:
/// - A control tracks one touch. Touch down, drag, drag inside and outside, and touch up are reported in the order
///   given on Apple's `UIControl.Event` page; `isTouchInside` and `isTracking` are true while `touchesEnded` runs and
///   false afterward.
/// - Each pair of target and action goes through `sendAction(_:to:for:)` to `UIApplication.sendAction(_:to:from:for:)`
///   (Apple, page of `UIControl.sendAction(_:to:for:)`); a `UIAction` goes only through `sendAction(_:)`.
/// - UIKit tolerates a touch slightly outside a button; here the bounds decide.
@MainActor open class UIControl: UIView {
    public struct Event: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let touchDown = Event(rawValue: 1 << 0)
        public static let touchDownRepeat = Event(rawValue: 1 << 1)
        public static let touchDragInside = Event(rawValue: 1 << 2)
        public static let touchDragOutside = Event(rawValue: 1 << 3)
        public static let touchDragEnter = Event(rawValue: 1 << 4)
        public static let touchDragExit = Event(rawValue: 1 << 5)
        public static let touchUpInside = Event(rawValue: 1 << 6)
        public static let touchUpOutside = Event(rawValue: 1 << 7)
        public static let touchCancel = Event(rawValue: 1 << 8)
        public static let valueChanged = Event(rawValue: 1 << 12)
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
        public static let menuActionTriggered = Event(rawValue: 1 << 14)
        public static let editingDidBegin = Event(rawValue: 1 << 16)
        public static let editingChanged = Event(rawValue: 1 << 17)
        public static let editingDidEnd = Event(rawValue: 1 << 18)
        public static let editingDidEndOnExit = Event(rawValue: 1 << 19)
        public static let allTouchEvents = Event(rawValue: 0x0000_0FFF)
        public static let allEditingEvents = Event(rawValue: 0x000F_0000)
        public static let applicationReserved = Event(rawValue: 0x0F00_0000)
        public static let systemReserved = Event(rawValue: 0xF000_0000)
        public static let allEvents = Event(rawValue: 0xFFFF_FFFF)
    }

    public struct State: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let normal: State = []
        public static let highlighted = State(rawValue: 1 << 0)
        public static let disabled = State(rawValue: 1 << 1)
        public static let selected = State(rawValue: 1 << 2)
    }

    private struct Pair {
        weak var target: AnyObject?
        var hasTarget: Bool
        var action: Selector
        var events: Event
    }

    open var isEnabled = true
    open var isSelected = false
    open var isHighlighted = false
    open internal(set) var isTracking = false
    open internal(set) var isTouchInside = false
    private var pairs: [Pair] = []
    private var actions: [(action: UIAction, events: Event)] = []

    open var state: State {
        var state: State = isEnabled ? [] : .disabled
        if isSelected { state.insert(.selected) }
        if isHighlighted { state.insert(.highlighted) }
        return state
    }

    open var allTargets: Set<AnyHashable> {
        Set(pairs.compactMap { $0.target as? NSObject })
    }

    open var allControlEvents: Event {
        var all: Event = []
        for pair in pairs { all.formUnion(pair.events) }
        for entry in actions { all.formUnion(entry.events) }
        return all
    }

    open func addTarget(_ target: Any?, action: Selector, for controlEvents: Event) {
        let object = target.map { $0 as AnyObject }
        pairs.append(Pair(target: object, hasTarget: object != nil, action: action, events: controlEvents))
    }

    open func removeTarget(_ target: Any?, action: Selector?, for controlEvents: Event) {
        #if !canImport(ObjectiveC)
        let object = target.map { $0 as AnyObject }
        for index in pairs.indices where object == nil || pairs[index].target === object {
            guard action == nil || pairs[index].action == action else { continue }
            pairs[index].events.subtract(controlEvents)
        }
        pairs.removeAll { $0.events.isEmpty }
        #endif
    }

    open func actions(forTarget target: Any?, forControlEvent controlEvent: Event) -> [String]? {
        let object = target.map { $0 as AnyObject }
        let found = pairs.filter { $0.target === object && $0.events.contains(controlEvent) }.map { "\($0.action)" }
        return found.isEmpty ? nil : found
    }

    open func addAction(_ action: UIAction, for controlEvents: Event) {
        actions.append((action, controlEvents))
    }

    open func removeAction(_ action: UIAction, for controlEvents: Event) {
        actions.removeAll { $0.action === action && !$0.events.isDisjoint(with: controlEvents) }
    }

    open func sendAction(_ action: Selector, to target: Any?, for event: UIEvent?) {
        #if !canImport(ObjectiveC)
        _ = UIApplication.shared.sendAction(action, to: target, from: self, for: event)
        #endif
    }

    open func sendAction(_ action: UIAction) {
        action.handler(action)
    }

    open func sendActions(for controlEvents: Event) {
        send(controlEvents, with: nil)
    }

    private func send(_ events: Event, with event: UIEvent?) {
        #if !canImport(ObjectiveC)
        for entry in actions where !entry.events.isDisjoint(with: events) {
            entry.action.sender = self
            sendAction(entry.action)
        }
        for pair in pairs where !pair.events.isDisjoint(with: events) {
            guard !pair.hasTarget || pair.target != nil else { continue }
            sendAction(pair.action, to: pair.target, for: event)
        }
        #endif
    }

    // MARK: Tracking

    open func beginTracking(_ touch: UITouch, with event: UIEvent?) -> Bool { true }
    open func continueTracking(_ touch: UITouch, with event: UIEvent?) -> Bool { true }
    open func endTracking(_ touch: UITouch?, with event: UIEvent?) {}
    open func cancelTracking(with event: UIEvent?) {}

    open override func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) {
        #if !canImport(ObjectiveC)
        guard isEnabled, !isTracking, let touch = touches.first, beginTracking(touch, with: event) else { return }
        isTracking = true
        isTouchInside = true
        isHighlighted = true
        send(touch.tapCount > 1 ? [.touchDown, .touchDownRepeat] : .touchDown, with: event)
        #endif
    }

    open override func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) {
        #if !canImport(ObjectiveC)
        guard isTracking, let touch = touches.first, continueTracking(touch, with: event) else { return }
        let wasInside = isTouchInside
        isTouchInside = point(inside: touch.location(in: self), with: event)
        isHighlighted = isTouchInside
        if wasInside != isTouchInside { send(isTouchInside ? .touchDragEnter : .touchDragExit, with: event) }
        send(isTouchInside ? .touchDragInside : .touchDragOutside, with: event)
        #endif
    }

    open override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
        #if !canImport(ObjectiveC)
        guard isTracking, let touch = touches.first else { return }
        isTouchInside = point(inside: touch.location(in: self), with: event)
        endTracking(touch, with: event)
        send(isTouchInside ? .touchUpInside : .touchUpOutside, with: event)
        if isTouchInside { simulateUse(with: event) }
        isTracking = false
        isTouchInside = false
        isHighlighted = false
        #endif
    }

    open override func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) {
        #if !canImport(ObjectiveC)
        guard isTracking else { return }
        cancelTracking(with: event)
        send(.touchCancel, with: event)
        isTracking = false
        isTouchInside = false
        isHighlighted = false
        #endif
    }

    #if !canImport(ObjectiveC)
    /// The control's own reaction when a touch ends inside it.
    func simulateUse(with event: UIEvent?) {
        send(.primaryActionTriggered, with: event)
    }

    /// Notifies the targets that the user changed the control's value.
    func simulateChange() {
        send([.valueChanged, .primaryActionTriggered], with: nil)
    }
    #endif
}
