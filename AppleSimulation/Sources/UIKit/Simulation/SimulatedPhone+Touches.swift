// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// A finger on the screen.
@MainActor public final class SimulatedFinger {
    /// The touch object, which is the same from the beginning of the touch to its end.
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

    /// Moves to a location in the window.
    public func move(to point: CGPoint) {
        touch.previousPoint = touch.point
        touch.point = point
        send(.moved)
    }

    /// Moves to the center of a view.
    public func move(to view: UIView) {
        move(to: view.middleInWindow)
    }

    /// Lifts the finger, which selects a cell below it.
    public func lift() {
        let view = touch.view
        send(.ended)
        guard touch.phase == .ended, let view else { return }
        var current: UIView? = view
        while let ancestor = current {
            // A control inside a cell consumes the touch.
            if ancestor is UIControl { return }
            if let cell = ancestor as? UITableViewCell { return select(cell) }
            if let cell = ancestor as? UICollectionViewCell { return select(cell) }
            current = ancestor.superview
        }
    }

    /// The system cancels the touch, because of a call or the start of scrolling.
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
    /// The window that receives touches: the key window, or else the last one shown.
    public var topWindow: UIWindow? { visibleWindows.last { $0.isKeyWindow } ?? visibleWindows.last }

    /// Touches a location in a window; nil if no window is shown.
    public func touch(at point: CGPoint, in window: UIWindow? = nil, taps: Int = 1) -> SimulatedFinger? {
        guard let window = window ?? topWindow else { return nil }
        return SimulatedFinger(at: point, in: window, taps: taps)
    }

    /// Taps a location in a window.
    public func tap(at point: CGPoint, in window: UIWindow? = nil) {
        touch(at: point, in: window)?.lift()
    }

    /// Taps the center of a view.
    ///
    /// A view that covers it gets the touch. Without a window nothing happens.
    public func tap(_ view: UIView) {
        guard let window = view.window else { return }
        tap(at: view.middleInWindow, in: window)
    }

    /// Touches the center of a view and lifts the finger elsewhere.
    public func drag(from view: UIView, to point: CGPoint) {
        guard let window = view.window, let finger = touch(at: view.middleInWindow, in: window) else { return }
        finger.move(to: point)
        finger.lift()
    }

    /// Presses a button on the remote control.
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
