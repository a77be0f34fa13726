// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// A finger on the screen.
@MainActor public final class SimulatedFinger {
    /// The touch, which is one object from the finger's touching to its lifting.
    public let touch: UITouch
    private let event: UIEvent

    init(at point: CGPoint, in window: UIWindow, taps: Int) {
        touch = UITouch()
        touch.window = window
        touch.point = point
        touch.previousPoint = point
        touch.tapCount = taps
        touch.view = window.hitTest(point, with: nil)
        event = UIEvent()
        event.allTouches = [touch]
        send(.began)
    }

    /// Moves to a place of the window.
    public func move(to point: CGPoint) {
        touch.previousPoint = touch.point
        touch.point = point
        send(.moved)
    }

    /// Moves to the middle of a view.
    public func move(to view: UIView) {
        move(to: view.middleInWindow)
    }

    /// Lifts. A cell beneath it is selected.
    public func lift() {
        let view = touch.view
        send(.ended)
        guard touch.phase == .ended, let view else { return }
        var current: UIView? = view
        while let ancestor = current {
            // A control within a cell takes the touch for itself.
            if ancestor is UIControl { return }
            if let cell = ancestor as? UITableViewCell { return select(cell) }
            if let cell = ancestor as? UICollectionViewCell { return select(cell) }
            current = ancestor.superview
        }
    }

    /// The system takes the touch away: a call comes, a scroll view begins to scroll.
    public func cancel() {
        send(.cancelled)
    }

    private func select(_ cell: UITableViewCell) {
        (cell.superview as? UITableView)?.simulateSelection(of: cell)
    }

    private func select(_ cell: UICollectionViewCell) {
        (cell.superview as? UICollectionView)?.simulateSelection(of: cell)
    }

    private func send(_ phase: UITouch.Phase) {
        SimulatedPhone.current.seconds += 0.05
        touch.timestamp = SimulatedPhone.current.seconds
        event.timestamp = touch.timestamp
        touch.phase = phase
        UIApplication.shared.sendEvent(event)
    }
}

extension SimulatedPhone {
    /// The window that a finger meets first: the key window, else the last one shown.
    public var topWindow: UIWindow? { shownWindows.last { $0.isKeyWindow } ?? shownWindows.last }

    /// Puts a finger down on a place of a window; nil when no window is shown.
    public func touch(at point: CGPoint, in window: UIWindow? = nil, taps: Int = 1) -> SimulatedFinger? {
        guard let window = window ?? topWindow else { return nil }
        return SimulatedFinger(at: point, in: window, taps: taps)
    }

    /// Taps on a place of a window.
    public func tap(at point: CGPoint, in window: UIWindow? = nil) {
        touch(at: point, in: window)?.lift()
    }

    /// Taps on the middle of a view. What covers it takes the touch, and nothing happens when it is in no window.
    public func tap(_ view: UIView) {
        guard let window = view.window else { return }
        tap(at: view.middleInWindow, in: window)
    }

    /// Puts a finger down on the middle of a view and lifts it elsewhere.
    public func drag(from view: UIView, to point: CGPoint) {
        guard let window = view.window, let finger = touch(at: view.middleInWindow, in: window) else { return }
        finger.move(to: point)
        finger.lift()
    }

    /// Presses a button of the remote control.
    public func press(_ type: UIPress.PressType, on responder: UIResponder? = nil) {
        guard let window = topWindow else { return }
        let press = UIPress()
        press.type = type
        press.window = window
        press.responder = responder ?? firstResponder
        let event = UIPressesEvent()
        event.allPresses = [press]
        for phase in [UIPress.Phase.began, .ended] {
            press.phase = phase
            UIApplication.shared.sendEvent(event)
        }
    }
}
#endif
