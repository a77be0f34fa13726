// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayEvents
public import TrackwayTriggers
internal import TrackwayUIKit

#if canImport(UIKit) && !os(watchOS)
public import UIKit
#endif

/// Decides which events fire, and has their actions run.
///
/// The calls are made on the main thread, as the things they speak of live there. A call from another thread answers false, fires
/// nothing, and tells ``trace``.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SparkDetector: NSObject {
    #if canImport(UIKit) && !os(watchOS)
    /// What scrolls.
    public typealias ScrollElement = UIScrollView
    /// What is typed into, or acted upon.
    public typealias ViewKind = UIView
    #else
    /// What scrolls.
    public typealias ScrollElement = any SparkElement
    /// What is typed into, or acted upon.
    public typealias ViewKind = any SparkElement
    #endif

    /// When actions run.
    public enum ActionTiming: Sendable, Hashable {
        /// In one of the main thread's next turns, as the document has it.
        case nextTurn
        /// At once, before the detector answers, as SparkChamber's last version did. For actions that look at what changes soon, such
        /// as what a cell shows. What is triggered on another thread, or while actions wait, still takes its turn.
        case immediately
    }

    private static let timing = Locked(ActionTiming.nextTurn)
    static let executor = TriggerExecutor.mainActor { timing.withLock { $0 == .immediately } }

    /// When actions run: in the main thread's next turn, unless the app chooses otherwise.
    @nonobjc public static var actionTiming: ActionTiming {
        get { timing.withLock { $0 } }
        set { timing.withLock { $0 = newValue } }
    }

    private static let clock = ReplaceableClock()
    private static let detector = Detector(clock: clock, trace: sharedTrace)
    private static let sharedTrace = SparkTrace.follow(TriggerTrace())

    // There is nothing to make: everything is the class's.
    private override init() {}

    /// Tells which events fired, as they fire, those that have a trace.
    @nonobjc public static var trace: TriggerTrace { sharedTrace }

    /// Has triggers take their times from another clock; for tests.
    @nonobjc public static func useClock(_ clock: any EventClock) {
        Self.clock.current.withLock { $0 = clock }
    }

    // MARK: What happened

    /// Views came into sight: `didAppear`.
    ///
    /// - Parameter views: views, and nothing else.
    /// - Returns: Whether an event of any of them fired.
    @discardableResult
    public class func trackDisplay(forViews views: NSArray?) -> Bool {
        track(.didAppear, views)
    }

    /// Views went out of sight: `didDisappear`.
    ///
    /// - Parameter views: views, and nothing else.
    /// - Returns: Whether an event of any of them fired.
    @discardableResult
    public class func trackEndDisplaying(forViews views: NSArray?) -> Bool {
        track(.didDisappear, views)
    }

    /// Touches ended: `didEndTouch`. Each counts when it ended inside its view, and the view takes touches. One that is told
    /// several times, by several observers, fires each event once.
    ///
    /// - Returns: Whether any of them fired an event.
    @discardableResult
    public class func trackEnded(withTouches touches: NSSet?) -> Bool {
        let touches = OnMainThread(touches)
        return decide(.didEndTouch) { detector in
            let touches = (touches.value?.allObjects ?? []).compactMap { touch($0) }
            return detector.trackEnded(withTouches: touches)
        }
    }

    /// Scrolling began: `didBeginScroll`. It counts while the user drags.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public class func trackBeganScrolling(forScrollView scrollView: ScrollElement?) -> Bool {
        let scrollView = OnMainThread(scrollView)
        return decide(.didBeginScroll) { $0.trackBeganScrolling(for: scrollView.value.flatMap { element($0) }) }
    }

    /// A view became the first responder: `didBecomeFirstResponder`.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public class func trackBecameFirstResponder(forView view: ViewKind?) -> Bool {
        track(.didBecomeFirstResponder, view)
    }

    /// A view is no longer the first responder: `didResignFirstResponder`.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public class func trackResignedFirstResponder(forView view: ViewKind?) -> Bool {
        track(.didResignFirstResponder, view)
    }

    /// A view's action was carried out: `targetAction`.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public class func trackTargetAction(forView view: ViewKind?) -> Bool {
        track(.targetAction, view)
    }

    /// Something of the app's own happened to views; see ``SparkEvent/customTrigger``.
    ///
    /// - Returns: Whether an event of any of them fired.
    @discardableResult
    public class func track(customTrigger name: String, forViews views: NSArray?) -> Bool {
        track(.custom(name), views)
    }

    /// Has events fire that belong to no view, whatever their triggers.
    ///
    /// - Returns: Whether any fired.
    @discardableResult
    @nonobjc package class func send(_ events: [SparkEvent]) -> Bool {
        detector.send(events.map(\.current))
    }

    // MARK: Inside

    #if canImport(UIKit) && !os(watchOS)
    /// Touches that ended, as the module's own classes and the application tell them.
    @MainActor @nonobjc
    static func ended(_ touches: Set<UITouch>) {
        detector.trackEnded(withTouches: touches.compactMap { touch($0) })
    }

    /// A view appeared or disappeared, as ``Appearances`` found.
    @MainActor @nonobjc @discardableResult
    static func noticed(_ change: CellVisibility.Change, of view: UIView) -> Bool {
        guard let element = element(view) else { return false }
        switch change {
        case .appeared: return detector.track(.didAppear, for: element)
        case .disappeared: return detector.track(.didDisappear, for: element)
        }
    }
    #endif

    private static func track(_ trigger: Trigger, _ views: NSArray?) -> Bool {
        let views = OnMainThread(views)
        return decide(trigger) { detector in
            guard let views = views.value else { return false }
            let elements = views.compactMap { element($0) }
            guard elements.count == views.count else { return false }
            #if canImport(UIKit) && !os(watchOS)
            if trigger == .didAppear || trigger == .didDisappear {
                var hasFired = false
                for (view, element) in zip(views, elements) {
                    // What notices by itself may have noticed this before.
                    let isFired =
                        Appearances.call(trigger, of: view) { SparkDetector.noticed($0, of: $1) }
                        ?? detector.track(trigger, for: element)
                    if isFired { hasFired = true }
                }
                return hasFired
            }
            #endif
            return detector.track(trigger, for: elements)
        }
    }

    private static func track(_ trigger: Trigger, _ view: ViewKind?) -> Bool {
        let view = OnMainThread(view)
        return decide(trigger) { $0.track(trigger, for: view.value.flatMap { element($0) }) }
    }

    private static func decide(_ trigger: Trigger, _ decision: @MainActor (Detector) -> Bool) -> Bool {
        guard MainThread.isCurrent else {
            let reason = "called off the main thread; call it where the view is used"
            sharedTrace.tell(TriggerReport(trigger: trigger, moment: clock.now(), outcome: .refused(reason)))
            return false
        }
        return MainActor.assumeIsolated { decision(detector) }
    }
}

/// A clock that can be exchanged.
private final class ReplaceableClock: EventClock {
    let current = Locked<any EventClock>(SystemClock())

    func now() -> Moment {
        current.withLock { $0 }.now()
    }
}
