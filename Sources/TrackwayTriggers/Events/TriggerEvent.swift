// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What an app wants done when something happens to an element of its interface.
///
/// ```swift
/// let event = TriggerEvent(.didAppear, trace: "the offer was seen") { occurrence in
///     offers.seen(at: occurrence.moment)
/// }
/// ```
/// Whether it fires is decided at once, where the trigger is met. The action runs afterwards: on the main actor, unless the
/// app chose another ``TriggerExecutor``. Actions of one executor run one after the other, in the order of their triggers. An
/// action that changes its own event's trigger, or another's, is heeded by those that wait: what it disarmed does not run.
///
/// Until the action has run, the element, the views around it and their controllers are kept, also when the screen is closed
/// meanwhile: `[weak self]` and `[unowned self]` in an action find them. See ``TriggerElement/objectsInUse``.
///
/// Any thread.
public final class TriggerEvent: Sendable {
    /// What is done where the app wants it done.
    public typealias Action = @Sendable (TriggerOccurrence) -> Void

    /// What is done, and whether it needs the main actor.
    enum Body: Sendable {
        case mainActor(@MainActor (TriggerOccurrence) -> Void)
        case anywhere(Action)
    }

    /// An action that may fire once for all events that share an id.
    struct Once: Sendable {
        let id: String
        let memory: TriggerMemory
    }

    private struct State: Sendable {
        var trigger: Trigger
        var trace: String?
        var identifier: String?
        var body: Body?
        /// How often an action changed this event.
        var changes = 0
    }

    let executor: TriggerExecutor
    private let once: Once?
    private let state: Locked<State>

    init(
        _ trigger: Trigger,
        trace: String?,
        identifier: String?,
        on executor: TriggerExecutor,
        once: Once?,
        body: Body?
    ) {
        self.executor = executor
        self.once = once
        state = Locked(State(trigger: trigger, trace: trace, identifier: identifier, body: body))
    }

    /// Another event that says the same as one says now, and shares its id, if it fires once.
    package init(copying event: TriggerEvent) {
        executor = event.executor
        once = event.once
        state = Locked(event.state.withLock { $0 })
    }

    /// An event whose action runs on the main actor, by an executor of a compatibility module's.
    package convenience init(
        _ trigger: Trigger,
        trace: String?,
        identifier: String?,
        onMainActorBy executor: TriggerExecutor,
        once: (id: String, memory: TriggerMemory)? = nil,
        action: (@MainActor (TriggerOccurrence) -> Void)? = nil
    ) {
        self.init(
            trigger,
            trace: trace,
            identifier: identifier,
            on: executor,
            once: once.map { Once(id: $0.id, memory: $0.memory) },
            body: action.map { Body.mainActor($0) }
        )
    }

    /// An event whose action runs on the main actor, in one of its next turns.
    ///
    /// - Parameters:
    ///   - trigger: when it fires.
    ///   - trace: a sentence for whoever debugs.
    ///   - identifier: names the event.
    ///   - action: what is done. An event without one fires all the same.
    public convenience init(
        _ trigger: Trigger,
        trace: String? = nil,
        identifier: String? = nil,
        action: (@MainActor (TriggerOccurrence) -> Void)? = nil
    ) {
        let body = action.map { Body.mainActor($0) }
        self.init(trigger, trace: trace, identifier: identifier, on: .mainActor, once: nil, body: body)
    }

    /// An event whose action runs where the app chose.
    ///
    /// - Parameters:
    ///   - trigger: when it fires.
    ///   - trace: a sentence for whoever debugs.
    ///   - identifier: names the event.
    ///   - executor: where the action runs.
    ///   - action: what is done.
    public convenience init(
        _ trigger: Trigger,
        trace: String? = nil,
        identifier: String? = nil,
        on executor: TriggerExecutor,
        action: @escaping Action
    ) {
        self.init(
            trigger,
            trace: trace,
            identifier: identifier,
            on: executor,
            once: nil,
            body: .anywhere(action)
        )
    }

    /// When it fires. Set to ``Trigger/never`` it does not fire any more.
    public var trigger: Trigger {
        get { state.withLock { $0.trigger } }
        set { change { $0.trigger = newValue } }
    }

    /// A sentence for whoever debugs: an event that has one is told to the ``TriggerTrace`` whenever it fires.
    public var trace: String? {
        get { state.withLock { $0.trace } }
        set { state.withLock { $0.trace = newValue } }
    }

    /// Names the event, so that what it did can be found again.
    public var identifier: String? {
        get { state.withLock { $0.identifier } }
        set { state.withLock { $0.identifier = newValue } }
    }

    /// Puts another action in place; none with nil. What waits runs what it was decided with, unless it is an action that
    /// changes this: then what it put in place runs.
    package func setAction(_ action: (@MainActor (TriggerOccurrence) -> Void)?) {
        let body = action.map { Body.mainActor($0) }
        change { $0.body = body }
    }

    /// Takes over what the object says that stands before this event, where that may say something else each time. Unlike a change by
    /// an action it disarms nothing.
    package func refresh(
        trigger: Trigger,
        trace: String?,
        identifier: String?,
        action: (@MainActor (TriggerOccurrence) -> Void)?
    ) {
        let body = action.map { Body.mainActor($0) }
        state.withLock { state in
            state.trigger = trigger
            state.trace = trace
            state.identifier = identifier
            state.body = body
        }
    }

    private func change(_ change: @Sendable (inout State) -> Void) {
        let isByAction = TriggerScope.isInAction
        state.withLock { state in
            change(&state)
            if isByAction { state.changes += 1 }
        }
    }

    // MARK: Firing

    /// Decides that it fires, and orders its action.
    ///
    /// - Parameters:
    ///   - objects: What the action may use, kept until it has run.
    ///   - isOnMainActor: Whether the trigger is met there.
    /// - Returns: False when it may not fire any more: it, or another with its id, has fired once.
    func fire(
        _ trigger: Trigger,
        at moment: Moment,
        on element: TriggerReport.Element?,
        keeping objects: ObjectsInUse? = nil,
        isOnMainActor: Bool = false,
        _ trace: TriggerTrace
    ) -> Bool {
        if let once, !once.memory.isNew(once.id) { return false }
        let decided = state.withLock { state in (state.body, state.changes) }
        executor.perform(
            TriggerFiring(
                occurrence: TriggerOccurrence(trigger: trigger, moment: moment, event: self),
                body: decided.0,
                changes: decided.1,
                element: element,
                objects: objects,
                trace: trace
            ),
            isOnMainActor: isOnMainActor
        )
        return true
    }

    /// What runs now of what was decided then, and whether an action disarmed it meanwhile.
    ///
    /// - Parameters:
    ///   - body: the action of then.
    ///   - changes: how often actions had changed this event then.
    ///   - trigger: the trigger that was met.
    func due(_ body: Body?, changes: Int, _ trigger: Trigger) -> (body: Body?, isDisarmed: Bool) {
        state.withLock { state in
            if state.changes == changes { return (body, false) }
            return state.trigger == trigger ? (state.body, false) : (nil, true)
        }
    }
}

/// One time that an event fired.
public struct TriggerOccurrence: Sendable {
    /// What happened.
    public let trigger: Trigger
    /// When it happened, on both clocks; the action may run later.
    public let moment: Moment
    /// The event that fired.
    public let event: TriggerEvent
}

/// Whether an action is running, in this task or the one that began it.
enum TriggerScope {
    @TaskLocal static var isInAction = false
}
