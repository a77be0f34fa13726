// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayEvents
internal import TrackwayTriggers

/// An action to run when something happens to an interface element.
///
/// ```swift
/// let event = SparkEvent(trigger: SparkTriggerType.didAppear) { timestamp in
///     // Your code
/// }
/// view.sparkEvents = [event]
/// ```
/// Whether it fires is decided immediately. Its action runs on the main thread, in one of the next turns unless
/// ``SparkDetector/actionTiming`` is set otherwise. Actions run one after another in the order of their triggers. An
/// action does not run if an earlier action changed its event's trigger.
///
/// Until its action has run, the view that it is attached to, the enclosing views and their controllers are retained,
/// even if the screen is closed in the meantime. `[weak self]` and `[unowned self]` in an action therefore stay valid.
///
/// If an action changes its own event, as in the documented event that fires a single time, the action and the event
/// retain each other until the action is removed. An event of ``once(id:trigger:trace:action:)`` does not retain
/// itself.
///
/// Use it on the main thread, like the views it belongs to.
#if canImport(ObjectiveC)
@objcMembers
#endif
open class SparkEvent: NSObject, NSCopying {
    /// The underlying event, which outlives this object while its action is pending.
    private(set) var core: TriggerEvent
    private var kept: SparkAction?

    /// Creates an event with a new identifier.
    ///
    /// - Parameters:
    ///   - trigger: the trigger that fires it.
    ///   - trace: a text for debugging; see ``SparkTrace``.
    ///   - action: the action. An event without an action fires nevertheless.
    public convenience init(trigger: SparkTriggerType, trace: String?, action: SparkEventActionBlock?) {
        self.init(trigger: trigger, trace: trace, identifier: UUID(), action: action)
    }

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - trigger: the trigger that fires it.
    ///   - trace: a text for debugging; see ``SparkTrace``.
    ///   - identifier: the event's identifier.
    ///   - action: the action. An event without an action fires nevertheless.
    public required init(trigger: SparkTriggerType, trace: String?, identifier: UUID?, action: SparkEventActionBlock?) {
        kept = action.map { SparkAction(block: $0) }
        core = TriggerEvent(
            trigger.native,
            trace: trace,
            identifier: identifier?.uuidString,
            onMainActorBy: SparkDetector.executor,
            action: kept.map { Self.body(of: $0) }
        )
        super.init()
    }

    /// Creates an event without a trace.
    ///
    /// - Parameters:
    ///   - trigger: the trigger that fires it.
    ///   - action: the action. An event without an action fires nevertheless.
    public convenience init(trigger: SparkTriggerType, action: SparkEventActionBlock?) {
        self.init(trigger: trigger, trace: nil, identifier: UUID(), action: action)
    }

    // A convenience initializer: with a second designated one, subclasses outside this module would inherit no
    // initializers.
    private convenience init(_ core: TriggerEvent, _ action: SparkAction?) {
        self.init(trigger: .none, trace: nil, identifier: nil, action: nil)
        self.core = core
        kept = action
    }

    /// Creates an event that fires once for all events with its ID.
    ///
    /// This includes events of cells that are re-created or reused. The event does not retain itself.
    ///
    /// - Parameters:
    ///   - id: identifies the event that fires once per process, for example a product or an offer.
    ///   - trigger: the trigger that fires it.
    ///   - trace: a text for debugging.
    ///   - action: the action.
    public class func once(
        id: String,
        trigger: SparkTriggerType,
        trace: String? = nil,
        action: @escaping SparkEventActionBlock
    ) -> SparkEvent {
        let action = SparkAction(block: action)
        let core = TriggerEvent(
            trigger.native,
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
        set { core.trigger = newValue.native }
    }

    /// The name of a custom trigger; nil for a documented trigger.
    ///
    /// A custom trigger is fired by ``SparkDetector/track(customTrigger:forViews:)``.
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
        get { kept?.block }
        set {
            kept = newValue.map { SparkAction(block: $0) }
            core.setAction(kept.map { Self.body(of: $0) })
        }
    }

    /// A text for debugging.
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
    /// - Returns: True, also for an event without an action.
    @discardableResult
    @nonobjc package func send() -> Bool {
        SparkDetector.send([self])
    }

    /// The underlying event, updated with this event's current values.
    ///
    /// A subclass may return different values each time.
    var current: TriggerEvent {
        if ObjectIdentifier(type(of: self)) == ObjectIdentifier(SparkEvent.self) { return core }
        core.refresh(
            trigger: customTrigger.map { .custom($0) } ?? trigger.native,
            trace: trace,
            identifier: identifier?.uuidString,
            action: action.map { Self.body(of: SparkAction(block: $0)) }
        )
        return core
    }

    private static func body(of action: SparkAction) -> @MainActor (TriggerOccurrence) -> Void {
        let action = OnMainThread(action)
        return { occurrence in
            action.value.block(Date(timeIntervalSince1970: Double(occurrence.moment.wall.milliseconds) / 1000))
        }
    }

    // MARK: Comparing and copying

    /// Returns an equal event of the same class, including the identifier.
    ///
    /// Properties that a subclass adds are not copied; the subclass overrides this method.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = type(of: self).init(trigger: trigger, trace: trace, identifier: identifier, action: action)
        copy.core = TriggerEvent(copying: current)
        copy.kept = kept
        return copy
    }

    /// Whether both have equal values and the same action.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SparkEvent else { return false }
        if self === other { return true }
        let (mine, its) = (current, other.current)
        return mine.trigger == its.trigger && mine.identifier == its.identifier && mine.trace == its.trace
            && kept == other.kept
    }

    /// The hash value, which is the same for equal events.
    open override var hash: Int {
        let mine = current
        var hasher = Hasher()
        hasher.combine(mine.trigger)
        hasher.combine(mine.identifier)
        hasher.combine(mine.trace)
        return hasher.finalize()
    }

    /// The event's values, one per line.
    open override var description: String {
        let mine = current
        return """
            trigger: \(mine.trigger)
            trace: \(mine.trace ?? "nil")
            identifier: \(mine.identifier ?? "nil")
            action: \(action == nil ? "nil" : "yes")
            """
    }
}
