// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

#if canImport(ObjectiveC)
public import ObjectiveC
#endif

/// Rules modeled here:
/// - A window that is made key and visible makes its root controller appear, even in the background (Sensors Analytics,
///   article on automatic screens: controllers that appear during a passive launch).
/// - A window sends a touch to the gesture recognizers of the hit view and its ancestors, then to the view; and a press
///   to the first responder, or else to its root controller's view.
@MainActor open class UIWindow: UIView {
    public struct Level: RawRepresentable, Hashable, Sendable {
        public let rawValue: CGFloat
        public init(rawValue: CGFloat) { self.rawValue = rawValue }
        public init(_ rawValue: CGFloat) { self.rawValue = rawValue }
        public static let normal = Level(0)
        public static let statusBar = Level(1_000)
        public static let alert = Level(2_000)
    }

    public nonisolated class var didBecomeVisibleNotification: NSNotification.Name {
        .init("UIWindowDidBecomeVisibleNotification")
    }
    public nonisolated class var didBecomeHiddenNotification: NSNotification.Name {
        .init("UIWindowDidBecomeHiddenNotification")
    }
    public nonisolated class var didBecomeKeyNotification: NSNotification.Name {
        .init("UIWindowDidBecomeKeyNotification")
    }
    public nonisolated class var didResignKeyNotification: NSNotification.Name {
        .init("UIWindowDidResignKeyNotification")
    }

    open weak var windowScene: UIWindowScene?
    open var windowLevel = Level.normal
    open internal(set) var isKeyWindow = false
    open var rootViewController: UIViewController? {
        didSet {
            #if !canImport(ObjectiveC)
            guard oldValue !== rootViewController else { return }
            exchange(oldValue)
            #endif
        }
    }
    open var screen: UIScreen {
        #if !canImport(ObjectiveC)
        return SimulatedPhone.current.screen
        #endif
    }

    var isShown = false

    public override init(frame: CGRect) {
        super.init(frame: frame)
        isHidden = true
    }

    public init(windowScene: UIWindowScene) {
        self.windowScene = windowScene
        super.init(frame: windowScene.screen.bounds)
        isHidden = true
        windowScene.windows.append(self)
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    open override var isHidden: Bool {
        didSet {
            #if !canImport(ObjectiveC)
            if oldValue != isHidden { changeVisibility() }
            #endif
        }
    }

    open override var next: UIResponder? {
        windowScene ?? UIApplication.shared
    }

    open func makeKey() {
        #if !canImport(ObjectiveC)
        SimulatedPhone.current.makeKey(self)
        #endif
    }

    open func makeKeyAndVisible() {
        makeKey()
        isHidden = false
    }

    open func sendEvent(_ event: UIEvent) {
        #if !canImport(ObjectiveC)
        deliver(event)
        #endif
    }
}

#if !canImport(ObjectiveC)
extension UIWindow {
    private func exchange(_ old: UIViewController?) {
        if isShown { old?.simulateDisappearing(animated: false) }
        old?.viewIfLoaded?.removeFromSuperview()
        guard let root = rootViewController else { return }
        root.view.frame = bounds
        insertSubview(root.view, at: 0)
        if isShown { root.simulateAppearing(animated: false) }
    }

    private func changeVisibility() {
        let phone = SimulatedPhone.current
        if isHidden, isShown {
            isShown = false
            rootViewController?.simulateDisappearing(animated: false)
            phone.visibleWindows.removeAll { $0 === self }
            NotificationCenter.default.post(name: Self.didBecomeHiddenNotification, object: self)
        } else if !isHidden, !isShown {
            isShown = true
            phone.visibleWindows.append(self)
            rootViewController?.simulateAppearing(animated: false)
            NotificationCenter.default.post(name: Self.didBecomeVisibleNotification, object: self)
        }
    }

    private func deliver(_ event: UIEvent) {
        if let presses = (event as? UIPressesEvent)?.allPresses, let press = presses.first {
            let responder = press.responder ?? rootViewController?.view ?? self
            switch press.phase {
            case .began: responder.pressesBegan(presses, with: event as? UIPressesEvent)
            case .ended: responder.pressesEnded(presses, with: event as? UIPressesEvent)
            case .cancelled: responder.pressesCancelled(presses, with: event as? UIPressesEvent)
            default: break
            }
            return
        }
        guard let touches = event.touches(for: self), let touch = touches.first else { return }
        let recognized = touch.phase == .ended ? recognizers(around: touch.view).filter { $0.isRecognized(touch) } : []
        for recognizer in recognized where recognizer.isEnabled {
            guard recognizer.delegate?.gestureRecognizerShouldBegin(recognizer) ?? true else { continue }
            recognizer.point = touch.point
            recognizer.simulateRecognition()
            if recognizer.cancelsTouchesInView { touch.phase = .cancelled }
        }
        switch touch.phase {
        case .began: touch.view?.touchesBegan(touches, with: event)
        case .moved: touch.view?.touchesMoved(touches, with: event)
        case .ended: touch.view?.touchesEnded(touches, with: event)
        case .cancelled: touch.view?.touchesCancelled(touches, with: event)
        default: break
        }
    }

    private func recognizers(around view: UIView?) -> [UIGestureRecognizer] {
        var found: [UIGestureRecognizer] = []
        var current = view
        while let view = current {
            found += view.gestureRecognizers ?? []
            current = view.superview
        }
        return found
    }
}
#endif
