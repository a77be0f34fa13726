// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayEvents
internal import TrackwayTriggers

/// What an app wants done when something happens to an element of its interface.
///
/// ```swift
/// let event = SparkEvent(trigger: SparkTriggerType.didAppear) { timestamp in
///     // Your code
/// }
/// view.sparkEvents = [event]
/// ```
/// Whether it fires is decided at once. Its action runs on the main thread, in one of its next turns unless
/// ``SparkDetector/actionTiming`` says otherwise; actions run one after the other in the order of their triggers, and one whose
/// event's trigger was changed by an action before it does not run any more.
///
/// Until its action has run, the view that it is attached to, the views around it and their controllers are kept, also when the screen is
/// closed meanwhile: `[weak self]` and `[unowned self]` in an action find them.
///
/// An action that changes its own event, as the documented event that fires a single time does, holds the event, and the event
/// holds the action: both live until the action is taken away. ``once(id:trigger:trace:action:)`` holds nothing.
///
/// Like the views it belongs to, it is used on the main thread.
#if canImport(ObjectiveC)
@objcMembers
#endif
open class SparkEvent: NSObject, NSCopying {
    /// The event behind it, which outlives this object while its action waits.
    private(set) var core: TriggerEvent
    private var kept: SparkAction?

    /// An event with an identifier of its own.
    ///
    /// - Parameters:
    ///   - trigger: when it fires.
    ///   - trace: a sentence for whoever debugs; see ``SparkTrace``.
    ///   - action: what it does. An event without an action fires all the same.
    public convenience init(trigger: SparkTriggerType, trace: String?, action: SparkEventActionBlock?) {
        self.init(trigger: trigger, trace: trace, identifier: UUID(), action: action)
    }

    /// An event.
    ///
    /// - Parameters:
    ///   - trigger: when it fires.
    ///   - trace: a sentence for whoever debugs; see ``SparkTrace``.
    ///   - identifier: names it.
    ///   - action: what it does. An event without an action fires all the same.
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

    /// An event without a trace.
    ///
    /// - Parameters:
    ///   - trigger: when it fires.
    ///   - action: what it does. An event without an action fires all the same.
    public convenience init(trigger: SparkTriggerType, action: SparkEventActionBlock?) {
        self.init(trigger: trigger, trace: nil, identifier: UUID(), action: action)
    }

    // Of no designated kind: a subclass outside of the module would inherit no initializers beside it.
    private convenience init(_ core: TriggerEvent, _ action: SparkAction?) {
        self.init(trigger: .none, trace: nil, identifier: nil, action: nil)
        self.core = core
        kept = action
    }

    /// An event that fires once for all events of its id, also when cells are made again or used for others. It does not hold
    /// itself.
    ///
    /// - Parameters:
    ///   - id: what fires once in the life of the process: a product, an offer.
    ///   - trigger: when it fires.
    ///   - trace: a sentence for whoever debugs.
    ///   - action: what it does.
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

    // MARK: What it says

    /// When it fires. An event whose trigger is `none` does not.
    open var trigger: SparkTriggerType {
        get { SparkTriggerType(core.trigger) }
        set { core.trigger = newValue.native }
    }

    /// A trigger of the app's own, by its name; nil while the trigger is a documented one. It is fired by
    /// ``SparkDetector/track(customTrigger:forViews:)``.
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

    /// What it does.
    open var action: SparkEventActionBlock? {
        get { kept?.block }
        set {
            kept = newValue.map { SparkAction(block: $0) }
            core.setAction(kept.map { Self.body(of: $0) })
        }
    }

    /// A sentence for whoever debugs: an event that has one is told whenever it fires; see ``SparkTrace``.
    open var trace: String? {
        get { core.trace }
        set { core.trace = newValue }
    }

    /// Names it.
    open var identifier: UUID? {
        get { core.identifier.flatMap { UUID(uuidString: $0) } }
        set { core.identifier = newValue?.uuidString }
    }

    /// Fires, whatever its trigger.
    ///
    /// - Returns: True; it is the same for an event without an action.
    @discardableResult
    @nonobjc package func send() -> Bool {
        SparkDetector.send([self])
    }

    /// The event behind it, which says what this one says now: a subclass may say something else each time.
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

    // MARK: Being compared and copied

    /// An event of the same class that says the same, the identifier included, and is equal to this one.
    ///
    /// What a subclass has beside that is not copied: it overrides this.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = type(of: self).init(trigger: trigger, trace: trace, identifier: identifier, action: action)
        copy.core = TriggerEvent(copying: current)
        copy.kept = kept
        return copy
    }

    /// Whether both say the same, and do the very same.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SparkEvent else { return false }
        if self === other { return true }
        let (mine, its) = (current, other.current)
        return mine.trigger == its.trigger && mine.identifier == its.identifier && mine.trace == its.trace
            && kept == other.kept
    }

    /// Equal events have the same.
    open override var hash: Int {
        let mine = current
        var hasher = Hasher()
        hasher.combine(mine.trigger)
        hasher.combine(mine.identifier)
        hasher.combine(mine.trace)
        return hasher.finalize()
    }

    /// What it says, a line for each part.
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
