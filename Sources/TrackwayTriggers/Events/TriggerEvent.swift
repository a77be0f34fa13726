// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// An event that fires for an interface element, with its action.
///
/// ```swift
/// let event = TriggerEvent(.didAppear, trace: "the offer was seen") { occurrence in
///     offers.recordImpression(at: occurrence.timestamp)
/// }
/// ```
/// Whether an event fires is decided immediately when the trigger occurs. The action runs afterward: on the main
/// actor, unless the app chose another ``TriggerExecutor``. Actions of one executor run one after another, in the
/// order of their triggers. If an action changes the trigger of its own or another event, this affects pending
/// actions: a disarmed event's action does not run.
///
/// Until the action has run, the element, the views around it, and their controllers are retained, even if the screen
/// is closed before that. `[weak self]` and `[unowned self]` references in an action therefore stay valid. See
/// ``TriggerElement/objectsInUse``.
///
/// Callable from any thread.
public final class TriggerEvent: Sendable {
    /// An action that runs on an executor chosen by the app.
    public typealias Action = @Sendable (TriggerOccurrence) -> Void

    /// An action, with whether it requires the main actor.
    enum Body: Sendable {
        case mainActor(@MainActor (TriggerOccurrence) -> Void)
        case anywhere(Action)
    }

    /// The limit by which only one event with the same ID fires.
    struct Once: Sendable {
        let id: String
        let memory: TriggerMemory
    }

    private struct State: Sendable {
        var trigger: Trigger
        var trace: String?
        var identifier: String?
        var body: Body?
        /// The number of times that an action changed this event.
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

    /// Creates a copy of an event in its current state.
    ///
    /// If the event fires only once, the copy shares its ID.
    package init(copying event: TriggerEvent) {
        executor = event.executor
        once = event.once
        state = Locked(event.state.withLock { $0 })
    }

    /// Creates an event that uses a compatibility module's executor.
    ///
    /// The event's action runs on the main actor.
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

    /// Creates an event whose action runs on the main actor.
    ///
    /// The action runs in one of the main actor's next turns.
    ///
    /// - Parameters:
    ///   - trigger: the trigger that fires the event.
    ///   - trace: a string for debugging.
    ///   - identifier: the event's name.
    ///   - action: the action. An event without an action still fires.
    public convenience init(
        _ trigger: Trigger,
        trace: String? = nil,
        identifier: String? = nil,
        action: (@MainActor (TriggerOccurrence) -> Void)? = nil
    ) {
        let body = action.map { Body.mainActor($0) }
        self.init(trigger, trace: trace, identifier: identifier, on: .mainActor, once: nil, body: body)
    }

    /// Creates an event whose action runs on the given executor.
    ///
    /// - Parameters:
    ///   - trigger: the trigger that fires the event.
    ///   - trace: a string for debugging.
    ///   - identifier: the event's name.
    ///   - executor: the executor that runs the action.
    ///   - action: the action.
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

    /// The trigger that fires the event.
    ///
    /// With ``Trigger/never``, the event no longer fires.
    public var trigger: Trigger {
        get { state.withLock { $0.trigger } }
        set { change { $0.trigger = newValue } }
    }

    /// A string for debugging.
    ///
    /// An event with a trace string is reported to the ``TriggerTrace`` whenever it fires.
    public var trace: String? {
        get { state.withLock { $0.trace } }
        set { state.withLock { $0.trace = newValue } }
    }

    /// The event's name, for example for reports.
    public var identifier: String? {
        get { state.withLock { $0.identifier } }
        set { state.withLock { $0.identifier = newValue } }
    }

    /// Replaces the action; nil removes it.
    ///
    /// For pending firings, the action that was set at the time of firing runs. If an action makes this change, the new
    /// action runs instead.
    package func setAction(_ action: (@MainActor (TriggerOccurrence) -> Void)?) {
        let body = action.map { Body.mainActor($0) }
        change { $0.body = body }
    }

    /// Copies the values of the object that wraps this event.
    ///
    /// The values may differ each time. Unlike a change by an action, this method does not disarm the event.
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

    /// Fires the event and enqueues its action.
    ///
    /// - Parameters:
    ///   - objects: The objects that the action may use, retained until it has run.
    ///   - isOnMainActor: Whether the trigger occurred on the main actor.
    /// - Returns: False if the event may no longer fire, because it or another event with its ID has already fired.
    func fire(
        _ trigger: Trigger,
        at timestamp: DualTimestamp,
        on element: TriggerReport.Element?,
        keeping objects: ObjectsInUse? = nil,
        isOnMainActor: Bool = false,
        _ trace: TriggerTrace
    ) -> Bool {
        if let once, !once.memory.insert(once.id) { return false }
        let decided = state.withLock { state in (state.body, state.changes) }
        executor.perform(
            TriggerFiring(
                occurrence: TriggerOccurrence(trigger: trigger, timestamp: timestamp, event: self),
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

    /// Returns the action to run for an earlier firing.
    ///
    /// Also returns whether an action has disarmed the event since the firing.
    ///
    /// - Parameters:
    ///   - body: the action at the time of firing.
    ///   - changes: the number of changes by actions at the time of firing.
    ///   - trigger: the trigger that occurred.
    func resolveAction(_ body: Body?, changes: Int, _ trigger: Trigger) -> (body: Body?, isDisarmed: Bool) {
        state.withLock { state in
            if state.changes == changes { return (body, false) }
            return state.trigger == trigger ? (state.body, false) : (nil, true)
        }
    }
}

/// A single firing of an event.
public struct TriggerOccurrence: Sendable {
    /// The trigger that occurred.
    public let trigger: Trigger
    /// The time of the trigger, by both clocks.
    ///
    /// The action may run later.
    public let timestamp: DualTimestamp
    /// The event that fired.
    public let event: TriggerEvent
}

/// Whether an action is running in this task.
///
/// This includes an action that runs in the task that started this task.
enum TriggerScope {
    @TaskLocal static var isInAction = false
}
