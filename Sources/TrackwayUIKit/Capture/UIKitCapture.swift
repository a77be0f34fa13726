// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
package import Trackway
internal import TrackwayBehavior
internal import TrackwayEvents
package import TrackwayTriggers
internal import UIKit

/// Records screens and clicks of a UIKit app, and fires triggers.
///
/// ``Trackway/Analytics/captureUIKit(screens:clicks:detector:)`` starts it. It exchanges up to five methods of UIKit's
/// base classes, but only those that are needed; see ``UIKitHooks``. It does not retain the `Analytics`.
///
/// Each scene has its own screens: events contain the screen of the scene that was used last.
@MainActor
public final class UIKitCapture {
    private weak var analytics: Analytics?
    /// The rules for screens.
    ///
    /// Only compatibility modules change them.
    var screens: ScreenRules?
    private let clicks: ClickRules?
    private let detector: Detector?
    /// The rules that add a screen title to clicks.
    ///
    /// Nil to add none.
    var titles: ScreenRules?
    /// The view classes on which clicks are not recorded.
    ///
    /// Clicks on anything inside such a view are not recorded either.
    var ignoredKinds: [AnyClass] = []
    /// The controllers whose screens are known to be shown.
    private var shown: Set<Int> = []
    private var memory = ClickDeduplicator()
    private var scrolled: ObjectIdentifier?
    private var observation: UIKitHooks.Observation?
    private var typing: TypingWatch?
    private var scenes: SceneWatch?

    /// The key of the capture among the objects that its `Analytics` retains.
    private static let companion = "UIKitCapture"

    /// Returns an app's capture, which the first call starts.
    static func shared(by analytics: Analytics, _ start: () -> UIKitCapture) -> UIKitCapture {
        if let capture = analytics.companions.withLock({ $0[companion] }) as? UIKitCapture { return capture }
        let capture = start()
        analytics.companions.withLock { $0[companion] = capture }
        return capture
    }

    /// Starts capturing until it is released or stopped.
    ///
    /// - Parameters:
    ///   - analytics: Records the events.
    ///   - screens: The controllers that are screens; nil for none.
    ///   - clicks: The touches that are clicks; nil for none.
    ///   - detector: Fires the triggers of views; nil for none.
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
            tracker.found(by: self)
            scenes = SceneWatch(tracker)
        }
        guard let detector else { return }
        typing = TypingWatch { view, isBeginning in
            if isBeginning {
                detector.trackBecameFirstResponder(for: ViewElement(view))
            } else {
                detector.trackResignedFirstResponder(for: ViewElement(view))
            }
        }
    }

    /// Stops capturing.
    ///
    /// Captured screens that are covered by another screen are not recorded again when it disappears, because their own
    /// disappearance is no longer observed. A later call of `captureUIKit` starts a new capture.
    public func stop() {
        analytics?.companions.withLock { companions in
            if companions[Self.companion] as? UIKitCapture === self { companions[Self.companion] = nil }
        }
        observation?.cancel()
        observation = nil
        typing = nil
        scenes = nil
        analytics?.lifecycle.screenTracker.forget(shown)
        shown = []
    }

    private func handlers() -> UIKitHooks.Handlers {
        var handlers = UIKitHooks.Handlers()
        if screens != nil {
            handlers.viewWillAppear = { [weak self] in self?.willAppear($0) }
            handlers.viewDidAppear = { [weak self] in self?.appeared($0) }
            handlers.viewDidDisappear = { [weak self] in self?.disappeared($0) }
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
        analytics.lifecycle.screenTracker.willAppear(
            ObjectIdentifier(controller).hashValue,
            uniqueID: found.uniqueID,
            in: ViewFacts.scene(of: controller).map { ObjectIdentifier($0).hashValue }
        )
    }

    private func appeared(_ controller: UIViewController) {
        guard let screens, let analytics, let found = screens.screen(of: ViewFacts.controller(controller)) else {
            return
        }
        let screen = RecordedContext.Screen(name: found.name, id: found.id, uniqueID: found.uniqueID)
        let id = ObjectIdentifier(controller).hashValue
        shown.insert(id)
        let scene = ViewFacts.scene(of: controller)
        let place = scene.map { ObjectIdentifier($0).hashValue }
        if let place, scene?.activationState == .foregroundActive {
            analytics.lifecycle.screenTracker.found(activeScene: place)
        }
        analytics.lifecycle.screenTracker.appeared(
            id,
            ScreenView(screen: screen, attributes: found.attributes, isManual: false),
            in: place
        )
    }

    private func disappeared(_ controller: UIViewController) {
        let id = ObjectIdentifier(controller).hashValue
        shown.remove(id)
        analytics?.lifecycle.screenTracker.disappeared(id)
    }

    // MARK: Touches and actions

    private func willSend(_ event: UIEvent) {
        if let pressed = pressed(in: event) { record(pressed) }
        guard event.type == .touches, let touches = event.allTouches else { return }
        let ended = touches.filter { $0.phase == .ended }
        guard !ended.isEmpty else { return }
        if screens != nil, let scene = ended.lazy.compactMap({ $0.view?.window?.windowScene }).first {
            analytics?.lifecycle.screenTracker.sceneActivated(ObjectIdentifier(scene).hashValue)
        }
        // A touch that is not a click also shows that the app is in use.
        analytics?.lifecycle.behavior.noteUse()
        for touch in ended {
            guard let view = touch.view, isInside(touch, view) else { continue }
            record(view, fingers: touches.count)
        }
        _ = detector?.trackEnded(withTouches: ended.map { ViewTouch($0) })
    }

    /// Whether the finger was lifted inside the touched view.
    private func isInside(_ touch: UITouch, _ view: UIView) -> Bool {
        if let control = ViewFacts.enclosing(UIControl.self, of: view) { return control.isTouchInside }
        return view.isUserInteractionEnabled && view.point(inside: touch.location(in: view), with: nil)
    }

    /// The view selected with a remote control.
    private func pressed(in event: UIEvent) -> UIView? {
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
            guard scrolled != ObjectIdentifier(touch) else { return }
            scrolled = ObjectIdentifier(touch)
            _ = detector?.trackBeganScrolling(for: ViewElement(scroll))
        case .ended, .cancelled:
            if scrolled == ObjectIdentifier(touch) { scrolled = nil }
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
        // Actions of touches that have not ended are not clicks: touch down, drag inside, drag outside.
        let touches = event?.allTouches ?? []
        guard touches.isEmpty || touches.contains(where: { $0.phase == .ended }) else { return }
        guard touches.isEmpty || control.isTouchInside else { return }
        _ = detector?.trackTargetAction(for: ViewElement(control))
        record(control)
    }

    /// Records a click.
    ///
    /// Facts are collected only if clicks are captured.
    private func record(_ view: UIView, fingers: Int = 1) {
        guard let clicks, let analytics, !ViewFacts.lies(view, inAnyOf: ignoredKinds) else { return }
        var facts = ViewFacts.click(on: view, fingers: fingers)
        if let titles {
            facts.screenTitle = ViewFacts.screen(around: view, by: titles)?.attributes[CapturedKey.screenTitle]?.string
        }
        guard let click = clicks.click(in: facts) else { return }
        guard memory.isNew(click, at: analytics.delivery.environment.now, interval: clicks.interval) else { return }
        analytics.record(CapturedName.click, click.attributes)
    }
}

/// Reports which scenes are active, until it is released.
private final class SceneWatch: Sendable {
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

/// Observes the beginning and end of text editing until it is released.
private final class TypingWatch: Sendable {
    private let observers = Locked<[any NSObjectProtocol]>([])

    init(_ report: @escaping @MainActor @Sendable (UIView, _ isBeginning: Bool) -> Void) {
        let names: [(NSNotification.Name, isBeginning: Bool)] = [
            (UITextField.textDidBeginEditingNotification, true), (UITextField.textDidEndEditingNotification, false),
            (UITextView.textDidBeginEditingNotification, true), (UITextView.textDidEndEditingNotification, false),
        ]
        for (name, isBeginning) in names {
            observers.withLock {
                let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
                    // UIKit posts these notifications on the main thread. Others are not from UIKit.
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
