// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayCore
internal import TrackwayTriggers

/// An event that fires for an interface element, with its action.
///
/// ```swift
/// let event = SparkEvent(trigger: SparkTriggerType.didAppear) { timestamp in
///     // Your code
/// }
/// view.sparkEvents = [event]
/// ```
/// Whether an event fires is decided immediately. Its action runs on the main thread, in one of the next turns unless
/// ``SparkDetector/actionTiming`` specifies otherwise. Actions run one after another in the order of their triggers.
/// An action does not run if an earlier action changed its event's trigger.
///
/// Until the action has run, the view to which the event is attached, the enclosing views, and their controllers are
/// retained, even if the screen is closed before that. `[weak self]` and `[unowned self]` references in an action
/// therefore stay valid.
///
/// If an action changes its own event, as in the documented example of an event that fires a single time, the action
/// and the event retain each other until the action is removed. An event created by
/// ``once(id:trigger:trace:action:)`` does not retain itself.
///
/// Use events on the main thread, like the views that they belong to.
#if canImport(ObjectiveC)
@objcMembers
#endif
open class SparkEvent: NSObject, NSCopying {
    /// The underlying event, which outlives this object while its action is pending.
    private(set) var core: TriggerEvent
    private var storedAction: SparkAction?

    /// Creates an event with a new identifier.
    ///
    /// - Parameters:
    ///   - trigger: the trigger that fires the event.
    ///   - trace: a string for debugging; see ``SparkTrace``.
    ///   - action: the action. An event without an action still fires.
    public convenience init(trigger: SparkTriggerType, trace: String?, action: SparkEventActionBlock?) {
        self.init(trigger: trigger, trace: trace, identifier: UUID(), action: action)
    }

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - trigger: the trigger that fires the event.
    ///   - trace: a string for debugging; see ``SparkTrace``.
    ///   - identifier: the event's identifier.
    ///   - action: the action. An event without an action still fires.
    public required init(trigger: SparkTriggerType, trace: String?, identifier: UUID?, action: SparkEventActionBlock?) {
        storedAction = action.map { SparkAction(block: $0) }
        core = TriggerEvent(
            trigger.trackwayTrigger,
            trace: trace,
            identifier: identifier?.uuidString,
            onMainActorBy: SparkDetector.executor,
            action: storedAction.map { Self.body(of: $0) }
        )
        super.init()
    }

    /// Creates an event without a trace.
    ///
    /// - Parameters:
    ///   - trigger: the trigger that fires the event.
    ///   - action: the action. An event without an action still fires.
    public convenience init(trigger: SparkTriggerType, action: SparkEventActionBlock?) {
        self.init(trigger: trigger, trace: nil, identifier: UUID(), action: action)
    }

    // A convenience initializer: with a second designated initializer, subclasses outside this module would inherit
    // no initializers.
    private convenience init(_ core: TriggerEvent, _ action: SparkAction?) {
        self.init(trigger: .none, trace: nil, identifier: nil, action: nil)
        self.core = core
        storedAction = action
    }

    /// Creates an event that fires only once per ID.
    ///
    /// This also applies to events of cells that are re-created or reused. The event does not retain itself.
    ///
    /// - Parameters:
    ///   - id: the ID, for which an event fires only once per process, such as the ID of a product or an offer.
    ///   - trigger: the trigger that fires the event.
    ///   - trace: a string for debugging.
    ///   - action: the action.
    public class func once(
        id: String,
        trigger: SparkTriggerType,
        trace: String? = nil,
        action: @escaping SparkEventActionBlock
    ) -> SparkEvent {
        let action = SparkAction(block: action)
        let core = TriggerEvent(
            trigger.trackwayTrigger,
            trace: trace,
            identifier: id,
            onMainActorBy: SparkDetector.executor,
            once: (id, .process),
            action: Self.body(of: action)
        )
        return SparkEvent(core, action)
    }

    // MARK: Properties

    /// The trigger; an event whose trigger is `none` does not fire.
    open var trigger: SparkTriggerType {
        get { SparkTriggerType(core.trigger) }
        set { core.trigger = newValue.trackwayTrigger }
    }

    /// The name of a custom trigger; nil for a documented trigger.
    ///
    /// Report a custom trigger with ``SparkDetector/track(customTrigger:forViews:)``.
    open var customTrigger: String? {
        get { if case .custom(let name) = core.trigger { name } else { nil } }
        set {
            if let newValue {
                core.trigger = .custom(newValue)
            } else if customTrigger != nil {
                core.trigger = .never
            }
        }
    }

    /// The action.
    open var action: SparkEventActionBlock? {
        get { storedAction?.block }
        set {
            storedAction = newValue.map { SparkAction(block: $0) }
            core.setAction(storedAction.map { Self.body(of: $0) })
        }
    }

    /// A string for debugging.
    ///
    /// An event with a trace is reported whenever it fires; see ``SparkTrace``.
    open var trace: String? {
        get { core.trace }
        set { core.trace = newValue }
    }

    /// The event's identifier.
    open var identifier: UUID? {
        get { core.identifier.flatMap { UUID(uuidString: $0) } }
        set { core.identifier = newValue?.uuidString }
    }

    /// Fires the event, regardless of its trigger.
    ///
    /// - Returns: True if the event fired, even if it has no action.
    @discardableResult
    @nonobjc package func send() -> Bool {
        SparkDetector.send([self])
    }

    /// The underlying event, updated with this event's current values.
    ///
    /// A subclass may return different values each time.
    var updatedCore: TriggerEvent {
        if ObjectIdentifier(type(of: self)) == ObjectIdentifier(SparkEvent.self) { return core }
        core.refresh(
            trigger: customTrigger.map { .custom($0) } ?? trigger.trackwayTrigger,
            trace: trace,
            identifier: identifier?.uuidString,
            action: action.map { Self.body(of: SparkAction(block: $0)) }
        )
        return core
    }

    private static func body(of action: SparkAction) -> @MainActor (TriggerOccurrence) -> Void {
        let action = OnMainThread(action)
        return { occurrence in
            action.value.block(Date(timeIntervalSince1970: Double(occurrence.timestamp.wall.milliseconds) / 1000))
        }
    }

    // MARK: Comparing and copying

    /// Returns an equal event of the same class, with the same identifier.
    ///
    /// Properties that a subclass adds are not copied; the subclass must override this method to copy them.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = type(of: self).init(trigger: trigger, trace: trace, identifier: identifier, action: action)
        copy.core = TriggerEvent(copying: updatedCore)
        copy.storedAction = storedAction
        return copy
    }

    /// Returns whether both events have equal values and the same action.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SparkEvent else { return false }
        if self === other { return true }
        let (mine, its) = (updatedCore, other.updatedCore)
        return mine.trigger == its.trigger && mine.identifier == its.identifier && mine.trace == its.trace
            && storedAction == other.storedAction
    }

    /// The hash value, which is the same for equal events.
    open override var hash: Int {
        let mine = updatedCore
        var hasher = Hasher()
        hasher.combine(mine.trigger)
        hasher.combine(mine.identifier)
        hasher.combine(mine.trace)
        return hasher.finalize()
    }

    /// The event's values, one per line.
    open override var description: String {
        let mine = updatedCore
        return """
            trigger: \(mine.trigger)
            trace: \(mine.trace ?? "nil")
            identifier: \(mine.identifier ?? "nil")
            action: \(action == nil ? "nil" : "yes")
            """
    }
}
