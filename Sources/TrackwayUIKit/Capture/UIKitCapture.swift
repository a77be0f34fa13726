// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
package import Trackway
internal import TrackwayLifecycle
internal import TrackwayCore
package import TrackwayTriggers
internal import UIKit

/// A capture of screens and clicks that also fires triggers.
///
/// ``Trackway/Analytics/captureUIKit(screens:clicks:detector:)`` starts a capture. It exchanges up to five methods of
/// UIKit's base classes, but only the methods that are needed; see ``UIKitHooks``. It does not retain the `Analytics`.
///
/// Each scene has its own screens: events contain the screen of the scene that was used last.
@MainActor
public final class UIKitCapture {
    private weak var analytics: Analytics?
    /// The rules for screens.
    ///
    /// Only compatibility modules change these rules.
    var screens: ScreenRules?
    private let clicks: ClickRules?
    private let detector: Detector?
    /// The rules that add a screen title to clicks.
    ///
    /// If nil, no titles are added.
    var titleRules: ScreenRules?
    /// The view classes on which clicks are not recorded.
    ///
    /// Clicks on anything inside such a view are not recorded either.
    var ignoredViewClasses: [AnyClass] = []
    /// The controllers whose screens are known to be shown.
    private var shownControllers: Set<Int> = []
    private var deduplicator = ClickDeduplicator()
    private var scrollingTouch: ObjectIdentifier?
    private var observation: UIKitHooks.Observation?
    private var textEditingObserver: TextEditingObserver?
    private var sceneObserver: SceneObserver?

    /// The key of the capture among the objects that its `Analytics` retains.
    private static let companionKey = "UIKitCapture"

    /// Returns an app's capture; the first call starts it.
    static func shared(by analytics: Analytics, _ start: () -> UIKitCapture) -> UIKitCapture {
        if let capture = analytics.companions.withLock({ $0[companionKey] }) as? UIKitCapture { return capture }
        let capture = start()
        analytics.companions.withLock { $0[companionKey] = capture }
        return capture
    }

    /// Creates a capture that runs until it is released or stopped.
    ///
    /// - Parameters:
    ///   - analytics: The instance that records the events.
    ///   - screens: The controllers that are screens; nil for none.
    ///   - clicks: The touches that are clicks; nil for none.
    ///   - detector: The detector that fires the triggers of views; nil for none.
    package init(
        _ analytics: Analytics,
        screens: ScreenRules? = ScreenRules(),
        clicks: ClickRules? = ClickRules(),
        detector: Detector? = nil
    ) {
        self.analytics = analytics
        self.screens = screens
        self.clicks = clicks
        self.detector = detector
        observation = UIKitHooks.observe(handlers())
        if screens != nil {
            let tracker = analytics.lifecycle.screenTracker
            tracker.register(detector: self)
            sceneObserver = SceneObserver(tracker)
        }
        guard let detector else { return }
        textEditingObserver = TextEditingObserver { view, isBeginning in
            if isBeginning {
                detector.trackBecameFirstResponder(for: ViewElement(view))
            } else {
                detector.trackResignedFirstResponder(for: ViewElement(view))
            }
        }
    }

    /// Stops capturing.
    ///
    /// Captured screens that are covered by another screen are not recorded again when that screen disappears, because
    /// disappearances are no longer observed. A later call to `captureUIKit` starts a new capture.
    public func stop() {
        analytics?.companions.withLock { companions in
            if companions[Self.companionKey] as? UIKitCapture === self { companions[Self.companionKey] = nil }
        }
        observation?.cancel()
        observation = nil
        textEditingObserver = nil
        sceneObserver = nil
        analytics?.lifecycle.screenTracker.forget(shownControllers)
        shownControllers = []
    }

    private func handlers() -> UIKitHooks.Handlers {
        var handlers = UIKitHooks.Handlers()
        if screens != nil {
            handlers.viewWillAppear = { [weak self] in self?.willAppear($0) }
            handlers.viewDidAppear = { [weak self] in self?.didAppear($0) }
            handlers.viewDidDisappear = { [weak self] in self?.didDisappear($0) }
        }
        if clicks != nil || detector != nil {
            handlers.willSendEvent = { [weak self] in self?.willSend($0) }
            handlers.willSendAction = { [weak self] sender, event in self?.willSendAction(from: sender, event) }
        }
        if detector != nil { handlers.didSendEvent = { [weak self] in self?.didSend($0) } }
        return handlers
    }

    // MARK: Screens

    private func willAppear(_ controller: UIViewController) {
        guard let screens, let analytics, let found = screens.screen(of: ViewFacts.controller(controller)) else {
            return
        }
        analytics.lifecycle.screenTracker.screenWillAppear(
            ObjectIdentifier(controller).hashValue,
            uniqueID: found.uniqueID,
            in: ViewFacts.scene(of: controller).map { ObjectIdentifier($0).hashValue }
        )
    }

    private func didAppear(_ controller: UIViewController) {
        guard let screens, let analytics, let found = screens.screen(of: ViewFacts.controller(controller)) else {
            return
        }
        let screen = RecordedContext.Screen(name: found.name, id: found.id, uniqueID: found.uniqueID)
        let id = ObjectIdentifier(controller).hashValue
        shownControllers.insert(id)
        let scene = ViewFacts.scene(of: controller)
        let place = scene.map { ObjectIdentifier($0).hashValue }
        if let place, scene?.activationState == .foregroundActive {
            analytics.lifecycle.screenTracker.noteActiveScene(place)
        }
        analytics.lifecycle.screenTracker.screenAppeared(
            id,
            ScreenView(screen: screen, attributes: found.attributes, isManual: false),
            in: place
        )
    }

    private func didDisappear(_ controller: UIViewController) {
        let id = ObjectIdentifier(controller).hashValue
        shownControllers.remove(id)
        analytics?.lifecycle.screenTracker.screenDisappeared(id)
    }

    // MARK: Touches and actions

    private func willSend(_ event: UIEvent) {
        if let view = selectedView(in: event) { record(view) }
        guard event.type == .touches, let touches = event.allTouches else { return }
        let ended = touches.filter { $0.phase == .ended }
        guard !ended.isEmpty else { return }
        if screens != nil, let scene = ended.lazy.compactMap({ $0.view?.window?.windowScene }).first {
            analytics?.lifecycle.screenTracker.sceneActivated(ObjectIdentifier(scene).hashValue)
        }
        // A touch that is not a click also shows that the app is in use.
        analytics?.lifecycle.controller.noteUserActivity()
        for touch in ended {
            guard let view = touch.view, isInside(touch, view) else { continue }
            record(view, fingers: touches.count)
        }
        _ = detector?.trackEnded(withTouches: ended.map { ViewTouch($0) })
    }

    /// Returns whether the finger was lifted inside the touched view.
    private func isInside(_ touch: UITouch, _ view: UIView) -> Bool {
        if let control = ViewFacts.enclosing(UIControl.self, of: view) { return control.isTouchInside }
        return view.isUserInteractionEnabled && view.point(inside: touch.location(in: view), with: nil)
    }

    /// Returns the view selected with a remote control.
    private func selectedView(in event: UIEvent) -> UIView? {
        guard let presses = (event as? UIPressesEvent)?.allPresses else { return nil }
        return presses.lazy.filter { $0.phase == .ended && $0.type == .select }.compactMap { $0.responder as? UIView }
            .first
    }

    private func didSend(_ event: UIEvent) {
        guard event.type == .touches, let touch = event.allTouches?.first, let view = touch.view else { return }
        switch touch.phase {
        case .moved:
            guard let scroll = ViewFacts.enclosing(UIScrollView.self, of: view), scroll.isDragging else { return }
            // Report once per touch.
            guard scrollingTouch != ObjectIdentifier(touch) else { return }
            scrollingTouch = ObjectIdentifier(touch)
            _ = detector?.trackBeganScrolling(for: ViewElement(scroll))
        case .ended, .cancelled:
            if scrollingTouch == ObjectIdentifier(touch) { scrollingTouch = nil }
        default:
            break
        }
    }

    private func willSendAction(from sender: Any?, _ event: UIEvent?) {
        guard let control = sender as? UIControl, !(control is UITextField) else { return }
        #if !os(tvOS)
        // A slider sends an action for every movement.
        if control is UISlider, control.isTracking { return }
        #endif
        // Actions for touches that have not ended are not clicks: touch down, drag inside, drag outside.
        let touches = event?.allTouches ?? []
        guard touches.isEmpty || touches.contains(where: { $0.phase == .ended }) else { return }
        guard touches.isEmpty || control.isTouchInside else { return }
        _ = detector?.trackTargetAction(for: ViewElement(control))
        record(control)
    }

    /// Records a click.
    ///
    /// Facts about the view are collected only if clicks are captured.
    private func record(_ view: UIView, fingers: Int = 1) {
        guard let clicks, let analytics, !ViewFacts.isInside(view, anyOf: ignoredViewClasses) else { return }
        var facts = ViewFacts.click(on: view, fingers: fingers)
        if let titleRules {
            facts.screenTitle =
                ViewFacts.screen(containing: view, rules: titleRules)?.attributes[CapturedKey.screenTitle]?.string
        }
        guard let click = clicks.click(in: facts) else { return }
        guard deduplicator.insert(click, at: analytics.delivery.environment.now, interval: clicks.interval) else {
            return
        }
        analytics.record(CapturedName.click, click.attributes)
    }
}

/// An observer that reports which scenes are active until it is released.
private final class SceneObserver: Sendable {
    private let observers = Locked<[any NSObjectProtocol]>([])

    init(_ tracker: ScreenTracker) {
        observe(UIScene.didActivateNotification) { [weak tracker] in tracker?.sceneActivated($0) }
        observe(UIScene.willDeactivateNotification) { [weak tracker] in tracker?.sceneDeactivated($0) }
        observe(UIScene.didDisconnectNotification) { [weak tracker] in tracker?.sceneClosed($0) }
    }

    private func observe(_ name: NSNotification.Name, _ report: @escaping @Sendable (_ scene: Int) -> Void) {
        observers.withLock {
            let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
                // The object is only identified, not used, so any thread is safe.
                guard let scene = note.object else { return }
                report(ObjectIdentifier(scene as AnyObject).hashValue)
            }
            $0.append(observer)
        }
    }

    deinit {
        observers.withLock { for observer in $0 { NotificationCenter.default.removeObserver(observer) } }
    }
}

/// An observer that reports when text editing begins and ends.
///
/// It observes until it is released.
private final class TextEditingObserver: Sendable {
    private let observers = Locked<[any NSObjectProtocol]>([])

    init(_ report: @escaping @MainActor @Sendable (UIView, _ isBeginning: Bool) -> Void) {
        let names: [(NSNotification.Name, isBeginning: Bool)] = [
            (UITextField.textDidBeginEditingNotification, true), (UITextField.textDidEndEditingNotification, false),
            (UITextView.textDidBeginEditingNotification, true), (UITextView.textDidEndEditingNotification, false),
        ]
        for (name, isBeginning) in names {
            observers.withLock {
                let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
                    // UIKit posts these notifications on the main thread. Notifications on other threads are not from
                    // UIKit.
                    guard MainThread.isCurrent, let view = note.object as? UIView else { return }
                    MainActor.assumeIsolated { report(view, isBeginning) }
                }
                $0.append(observer)
            }
        }
    }

    deinit {
        observers.withLock { for observer in $0 { NotificationCenter.default.removeObserver(observer) } }
    }
}
#endif
