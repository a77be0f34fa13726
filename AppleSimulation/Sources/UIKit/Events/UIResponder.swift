// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@_exported public import Foundation

/// Rules modeled here:
/// - An unhandled touch goes to the next responder (Apple, "Using responders and the responder chain to handle
///   events").
/// - A window has at most one first responder: when another one becomes first responder, the current one must resign,
///   and can refuse (the page of `becomeFirstResponder()`).
@MainActor open class UIResponder: NSObject {
    public override init() {
        super.init()
    }

    open var next: UIResponder? { nil }
    open var canBecomeFirstResponder: Bool { false }
    open var canResignFirstResponder: Bool { true }
    open var isFirstResponder: Bool {
        #if !canImport(ObjectiveC)
        return SimulatedPhone.current.firstResponder === self
        #endif
    }

    @discardableResult
    open func becomeFirstResponder() -> Bool {
        #if !canImport(ObjectiveC)
        return SimulatedPhone.current.become(self)
        #endif
    }

    @discardableResult
    open func resignFirstResponder() -> Bool {
        #if !canImport(ObjectiveC)
        return SimulatedPhone.current.resign(self)
        #endif
    }

    open func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) {
        next?.touchesBegan(touches, with: event)
    }

    open func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) {
        next?.touchesMoved(touches, with: event)
    }

    open func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
        next?.touchesEnded(touches, with: event)
    }

    open func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) {
        next?.touchesCancelled(touches, with: event)
    }

    open func pressesBegan(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
        next?.pressesBegan(presses, with: event)
    }

    open func pressesEnded(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
        next?.pressesEnded(presses, with: event)
    }

    open func pressesCancelled(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
        next?.pressesCancelled(presses, with: event)
    }
}
