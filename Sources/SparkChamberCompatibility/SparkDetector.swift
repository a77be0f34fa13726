// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayCore
public import TrackwayTriggers
internal import TrackwayUIKit

#if canImport(UIKit) && !os(watchOS)
public import UIKit
#endif

/// The detector that decides which events fire and runs their actions.
///
/// Call its methods on the main thread, where the reported objects are used. A call on another thread returns false,
/// fires no event, and is reported to ``trace``.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SparkDetector: NSObject {
    #if canImport(UIKit) && !os(watchOS)
    /// The type of scrolling elements.
    public typealias ScrollElement = UIScrollView
    /// The type of elements that receive text or actions.
    public typealias ViewKind = UIView
    #else
    /// The type of scrolling elements.
    public typealias ScrollElement = any SparkElement
    /// The type of elements that receive text or actions.
    public typealias ViewKind = any SparkElement
    #endif

    /// The time at which actions run.
    public enum ActionTiming: Sendable, Hashable {
        /// Actions run in one of the main thread's next turns, as documented.
        case nextTurn
        /// Actions run before the detector returns, as in SparkChamber's last version.
        ///
        /// Use this timing for actions that read content that will change soon, such as the content of a cell. An
        /// action still waits for a later turn if it was triggered on another thread or while other actions were
        /// waiting.
        case immediately
    }

    private static let timing = Locked(ActionTiming.nextTurn)
    static let executor = TriggerExecutor.mainActor { timing.withLock { $0 == .immediately } }

    /// The time at which actions run.
    ///
    /// By default, actions run in one of the main thread's next turns.
    @nonobjc public static var actionTiming: ActionTiming {
        get { timing.withLock { $0 } }
        set { timing.withLock { $0 = newValue } }
    }

    private static let clock = ReplaceableClock()
    private static let detector = Detector(clock: clock, trace: sharedTrace)
    private static let sharedTrace = SparkTrace.printReports(of: TriggerTrace())

    // Private, because all members are static.
    private override init() {}

    /// The trace that reports events with a trace text.
    @nonobjc public static var trace: TriggerTrace { sharedTrace }

    /// Sets the clock that provides the times of triggers; for tests.
    @nonobjc public static func useClock(_ clock: any EventClock) {
        Self.clock.current.withLock { $0 = clock }
    }

    // MARK: Reporting interactions

    /// Reports that views appeared: `didAppear`.
    ///
    /// - Parameter views: an array that contains only views.
    /// - Returns: Whether an event of any view fired.
    @discardableResult
    public class func trackDisplay(forViews views: NSArray?) -> Bool {
        track(.didAppear, views)
    }

    /// Reports that views disappeared: `didDisappear`.
    ///
    /// - Parameter views: an array that contains only views.
    /// - Returns: Whether an event of any view fired.
    @discardableResult
    public class func trackEndDisplaying(forViews views: NSArray?) -> Bool {
        track(.didDisappear, views)
    }

    /// Reports that touches ended: `didEndTouch`.
    ///
    /// A touch counts if it ended inside its view and the view accepts touches. If several observers report a touch,
    /// each event fires only once.
    ///
    /// - Returns: Whether any touch fired an event.
    @discardableResult
    public class func trackEnded(withTouches touches: NSSet?) -> Bool {
        let touches = OnMainThread(touches)
        return onMainThread(.didEndTouch) { detector in
            let touches = (touches.value?.allObjects ?? []).compactMap { touch($0) }
            return detector.trackEnded(withTouches: touches)
        }
    }

    /// Reports that scrolling began: `didBeginScroll`.
    ///
    /// Scrolling counts only while the user drags.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public class func trackBeganScrolling(forScrollView scrollView: ScrollElement?) -> Bool {
        let scrollView = OnMainThread(scrollView)
        return onMainThread(.didBeginScroll) { $0.trackBeganScrolling(for: scrollView.value.flatMap { element($0) }) }
    }

    /// Reports that a view became the first responder: `didBecomeFirstResponder`.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public class func trackBecameFirstResponder(forView view: ViewKind?) -> Bool {
        track(.didBecomeFirstResponder, view)
    }

    /// Reports that a view is no longer the first responder: `didResignFirstResponder`.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public class func trackResignedFirstResponder(forView view: ViewKind?) -> Bool {
        track(.didResignFirstResponder, view)
    }

    /// Reports that a view's action was performed: `targetAction`.
    ///
    /// - Returns: Whether an event fired.
    @discardableResult
    public class func trackTargetAction(forView view: ViewKind?) -> Bool {
        track(.targetAction, view)
    }

    /// Reports a custom trigger for views; see ``SparkEvent/customTrigger``.
    ///
    /// - Returns: Whether an event of any view fired.
    @discardableResult
    public class func track(customTrigger name: String, forViews views: NSArray?) -> Bool {
        track(.custom(name), views)
    }

    /// Fires events without a view, regardless of their triggers.
    ///
    /// - Returns: Whether any event fired.
    @discardableResult
    @nonobjc package class func send(_ events: [SparkEvent]) -> Bool {
        detector.send(events.map(\.updatedCore))
    }

    // MARK: Implementation

    #if canImport(UIKit) && !os(watchOS)
    /// Handles ended touches reported by this module's classes or the application.
    @MainActor @nonobjc
    static func reportEndedTouches(_ touches: Set<UITouch>) {
        detector.trackEnded(withTouches: touches.compactMap { touch($0) })
    }

    /// Handles a view's appearance or disappearance, as detected by ``AppearanceTracker``.
    @MainActor @nonobjc @discardableResult
    static func track(_ change: CellVisibility.Change, of view: UIView) -> Bool {
        guard let element = element(view) else { return false }
        switch change {
        case .appeared: return detector.track(.didAppear, for: element)
        case .disappeared: return detector.track(.didDisappear, for: element)
        }
    }
    #endif

    private static func track(_ trigger: Trigger, _ views: NSArray?) -> Bool {
        let views = OnMainThread(views)
        return onMainThread(trigger) { detector in
            guard let views = views.value else { return false }
            let elements = views.compactMap { element($0) }
            guard elements.count == views.count else { return false }
            #if canImport(UIKit) && !os(watchOS)
            if trigger == .didAppear || trigger == .didDisappear {
                var hasFired = false
                for (view, element) in zip(views, elements) {
                    // A cell that observes itself may have detected this change earlier.
                    let isFired =
                        AppearanceTracker.handleCall(trigger, of: view) { SparkDetector.track($0, of: $1) }
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
        return onMainThread(trigger) { $0.track(trigger, for: view.value.flatMap { element($0) }) }
    }

    private static func onMainThread(_ trigger: Trigger, _ body: @MainActor (Detector) -> Bool) -> Bool {
        guard MainThread.isCurrent else {
            let reason = "called off the main thread; call it where the view is used"
            sharedTrace.report(TriggerReport(trigger: trigger, timestamp: clock.now(), outcome: .refused(reason)))
            return false
        }
        return MainActor.assumeIsolated { body(detector) }
    }
}

/// A clock that can be replaced.
private final class ReplaceableClock: EventClock {
    let current = Locked<any EventClock>(SystemClock())

    func now() -> DualTimestamp {
        current.withLock { $0 }.now()
    }
}
