// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import UIKit

/// The path of a touch from the finger to views, controls, gestures and cells.
@MainActor
@Suite(.serialized)
struct TouchTests {
    private final class TouchedView: UIView {
        var received: [String] = []
        override func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) { received.append("began") }
        override func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) { received.append("moved") }
        override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
            received.append(touches.first?.phase == .ended ? "ended" : "?")
        }
        override func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) { received.append("cancelled") }
    }

    private final class Target: NSObject, SimulatedActionTarget {
        var received: [String] = []
        func simulatedPerform(_ action: Selector, from sender: Any?, for event: UIEvent?) -> Bool {
            received.append("\(action)")
            return true
        }
    }

    private let phone = SimulatedPhone.new()
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))

    init() {
        phone.launch()
        window.rootViewController = UIViewController()
        window.makeKeyAndVisible()
    }

    private var root: UIView { window.rootViewController?.view ?? window }

    private func add<Added: UIView>(_ view: Added, y: CGFloat = 100, height: CGFloat = 50) -> Added {
        view.frame = CGRect(x: 20, y: y, width: 200, height: height)
        root.addSubview(view)
        return view
    }

    @Test func aTapReachesTheHitView() {
        let view = add(TouchedView())
        phone.tap(view)
        #expect(view.received == ["began", "ended"])
        phone.tap(at: CGPoint(x: 5, y: 5))
        #expect(view.received.count == 2)
    }

    @Test func hiddenTransparentAndDisabledViewsAreNotHit() {
        let view = add(TouchedView())
        view.isHidden = true
        phone.tap(view)
        view.isHidden = false
        view.alpha = 0
        phone.tap(view)
        view.alpha = 1
        root.isUserInteractionEnabled = false
        phone.tap(view)
        #expect(view.received.isEmpty)
    }

    @Test func aTouchKeepsItsViewWhenItMoves() {
        let view = add(TouchedView())
        let finger = phone.touch(at: CGPoint(x: 30, y: 110))
        finger?.move(to: CGPoint(x: 380, y: 800))
        #expect(finger?.touch.view === view)
        finger?.cancel()
        #expect(view.received == ["began", "moved", "cancelled"])
    }

    @Test func anUnhandledTouchGoesUpTheResponderChain() {
        let outer = add(TouchedView(), height: 200)
        let inner = UIView(frame: CGRect(x: 10, y: 10, width: 50, height: 50))
        outer.addSubview(inner)
        phone.tap(inner)
        #expect(outer.received == ["began", "ended"])
    }

    @Test func aControlReportsTouchEvents() {
        let button = add(UIButton(type: .system))
        let target = Target()
        for (event, name) in [
            (UIControl.Event.touchDown, "down"), (.touchDragExit, "exit"), (.touchDragEnter, "enter"),
            (.touchUpInside, "up"), (.touchUpOutside, "outside"), (.touchCancel, "cancel"),
        ] {
            button.addTarget(target, action: Selector(name), for: event)
        }
        phone.tap(button)
        #expect(target.received == ["down", "up"])
        phone.drag(from: button, to: CGPoint(x: 380, y: 800))
        #expect(target.received == ["down", "up", "down", "exit", "outside"])
        phone.touch(at: CGPoint(x: 30, y: 110))?.cancel()
        #expect(target.received.suffix(2) == ["down", "cancel"])
        button.isEnabled = false
        phone.tap(button)
        #expect(target.received.count == 7)
    }

    @Test func isTouchInsideIsTrueWhileTheTouchEnds() {
        final class Button: UIButton {
            var wasInside: Bool?
            override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
                wasInside = isTouchInside
                super.touchesEnded(touches, with: event)
            }
        }
        let button = add(Button(frame: .zero))
        phone.tap(button)
        #expect(button.wasInside == true)
        #expect(!button.isTouchInside && !button.isTracking)
    }

    @Test func actionsWithoutATargetGoUpTheResponderChain() {
        final class Controller: UIViewController, SimulatedActionTarget {
            var received: [String] = []
            func simulatedPerform(_ action: Selector, from sender: Any?, for event: UIEvent?) -> Bool {
                received.append("\(action)")
                return true
            }
        }
        let controller = Controller()
        window.rootViewController = controller
        let button = add(UIButton(type: .system))
        button.addTarget(nil, action: "buy:", for: .touchUpInside)
        phone.tap(button)
        #expect(controller.received == ["buy:"])
    }

    @Test func aClosureIsCalledWithItsSender() {
        let button = add(UIButton(type: .system))
        var senders: [UIButton?] = []
        button.addAction(UIAction { senders.append($0.sender as? UIButton) }, for: .touchUpInside)
        phone.tap(button)
        #expect(senders.count == 1 && senders[0] === button)
    }

    @Test func aSwitchChangesWhenItIsTapped() {
        let control = add(UISwitch())
        let target = Target()
        control.addTarget(target, action: "changed:", for: .valueChanged)
        phone.tap(control)
        #expect(control.isOn)
        #expect(target.received == ["changed:"])
    }

    @Test func aRecognizedTapCancelsTheViewsTouch() {
        let view = add(TouchedView())
        let target = Target()
        view.addGestureRecognizer(UITapGestureRecognizer(target: target, action: "tapped:"))
        phone.tap(view)
        #expect(target.received == ["tapped:"])
        #expect(view.received == ["began", "cancelled"])
    }

    @Test func exchangingSendEventObservesEvents() {
        defer { SimulatedPhone.restoreMethods() }
        let view = add(TouchedView())
        var phases: [UITouch.Phase] = []
        let method = UIApplication.simulatedSendEvent
        let before = method.implementation
        let ourImplementation = SimulatedMethod<@MainActor @Sendable (UIApplication, UIEvent) -> Void>.Implementation {
            app,
            event in
            before.body(app, event)
            phases += event.allTouches?.map(\.phase) ?? []
        }
        let replaced = method.setImplementation(ourImplementation)
        #expect(replaced === before)
        phone.tap(view)
        #expect(phases == [.began, .ended])
        #expect(view.received == ["began", "ended"])
        method.setImplementation(before)
        #expect(method.isOriginal)
    }

    @Test func onlyOneFieldIsFirstResponder() {
        final class Delegate: NSObject, UITextFieldDelegate {
            var received: [String] = []
            func textFieldDidBeginEditing(_ textField: UITextField) { received.append("begin \(textField.tag)") }
            func textFieldDidEndEditing(_ textField: UITextField) { received.append("end \(textField.tag)") }
        }
        let delegate = Delegate()
        let first = add(UITextField())
        let second = add(UITextField(), y: 300)
        for (tag, field) in [first, second].enumerated() {
            field.tag = tag
            field.delegate = delegate
        }
        phone.tap(first)
        second.simulate(typing: "shoes")
        second.simulateReturn()
        #expect(second.text == "shoes")
        #expect(delegate.received == ["begin 0", "end 0", "begin 1", "end 1"])
    }

    @Test func aSelectFromTheRemoteControlReachesTheFirstResponder() {
        final class Field: UITextField {
            var presses = 0
            override func pressesEnded(_ presses: Set<UIPress>, with event: UIPressesEvent?) { self.presses += 1 }
        }
        let field = add(Field())
        field.becomeFirstResponder()
        phone.press(.select)
        #expect(field.presses == 1)
    }
}
