// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// An executor that runs actions in the order of their triggers.
///
/// Actions never overlap.
///
/// ```swift
/// let queue = DispatchQueue(label: "tracking")
/// let executor = TriggerExecutor { queue.async(execute: $0) }
/// ```
/// Actions triggered while actions run wait for another turn, so actions that trigger each other never block their
/// thread indefinitely. Up to 65,536 actions may be pending. Further actions are not run; they are counted in
/// ``refusedCount`` and reported to the trace.
///
/// Callable from any thread.
public final class TriggerExecutor: Sendable {
    /// The executor that runs actions in the main actor's next turns.
    public static let mainActor = TriggerExecutor(.mainActor(runsImmediately: { false }))
    /// The executor that runs actions immediately, before the detector returns.
    ///
    /// Use this executor for fast actions such as recording.
    public static let caller = TriggerExecutor(.immediate)

    private enum Mode: Sendable {
        case immediate
        case mainActor(runsImmediately: @Sendable () -> Bool)
        case enqueued(@Sendable (_ turn: @escaping @Sendable () -> Void) -> Void)
    }

    private let mode: Mode
    private let queue = Locked(ActionQueue<TriggerFiring>())

    private init(_ mode: Mode) {
        self.mode = mode
    }

    /// Creates an executor with a custom queue.
    ///
    /// - Parameter enqueue: performs a turn soon, on any thread. The closure is called once per turn, and the next
    ///   turn is enqueued only after the previous turn has ended. If a turn is never performed, its actions stay
    ///   pending.
    public convenience init(_ enqueue: @escaping @Sendable (_ turn: @escaping @Sendable () -> Void) -> Void) {
        self.init(.enqueued(enqueue))
    }

    /// Creates an executor that runs actions on the main actor.
    ///
    /// Actions run immediately or in one of the main actor's next turns.
    ///
    /// - Parameter runsImmediately: Called for each trigger; returns whether to run its action immediately. If the
    ///   trigger occurs off the main actor, or while actions are pending, the action always waits for its turn.
    package static func mainActor(runsImmediately: @escaping @Sendable () -> Bool) -> TriggerExecutor {
        TriggerExecutor(.mainActor(runsImmediately: runsImmediately))
    }

    /// The number of actions rejected because too many were pending.
    public var refusedCount: Int { queue.withLock { $0.refusedCount } }

    /// Whether an action may run after the call that reported its trigger.
    var runsLater: Bool {
        if case .immediate = mode { return false }
        return true
    }

    /// Runs or enqueues a firing's action.
    ///
    /// - Parameter isOnMainActor: Whether the trigger occurred on the main actor.
    func perform(_ firing: TriggerFiring, isOnMainActor: Bool) {
        switch mode {
        case .immediate:
            return firing.run()
        case .mainActor(let runsImmediately):
            if isOnMainActor, runsImmediately(), queue.withLock({ $0.isIdle }) { return firing.run() }
        case .enqueued:
            break
        }
        switch queue.withLock({ $0.add(firing) }) {
        case .pending: return
        case .turnNeeded: enqueue { [self] in turn() }
        case .refused: firing.report(.refused("too many pending actions"))
        }
    }

    /// Runs pending actions now, in order.
    ///
    /// Call this method before a change that would affect the actions. Actions triggered by these actions wait for
    /// their turn. Calling this method within an action has no effect.
    @MainActor
    package func runPending() {
        guard case .mainActor = mode else { return }
        for firing in queue.withLock({ $0.takePending() }) { firing.run() }
    }

    private func enqueue(_ turn: @escaping @Sendable () -> Void) {
        if case .enqueued(let enqueue) = mode { return enqueue(turn) }
        Task { @MainActor in turn() }
    }

    private func turn() {
        let isOffMainActor = if case .enqueued = mode { true } else { false }
        for firing in queue.withLock({ $0.beginTurn() }) {
            firing.run()
            if isOffMainActor { firing.objects?.release() }
        }
        guard queue.withLock({ $0.endTurn() }) else { return }
        enqueue { [self] in turn() }
    }
}

/// The state machine of an executor's pending actions.
struct ActionQueue<Work> {
    /// The result of adding an action.
    enum Outcome: Hashable {
        /// A turn that is already enqueued will run the action.
        case pending
        /// A turn must be enqueued.
        case turnNeeded
        /// Too many actions are pending.
        case refused
    }

    private enum State {
        case idle
        case turnScheduled
        case runningTurn
    }

    private let capacity: Int
    private var state = State.idle
    private var pending: [Work] = []
    /// The number of rejected actions.
    private(set) var refusedCount = 0

    init(capacity: Int = 65_536) {
        self.capacity = capacity
    }

    /// Whether no action is pending or running.
    var isIdle: Bool { state == .idle }

    /// Adds an action.
    mutating func add(_ work: Work) -> Outcome {
        guard pending.count < capacity else {
            refusedCount += 1
            return .refused
        }
        pending.append(work)
        guard state == .idle else { return .pending }
        state = .turnScheduled
        return .turnNeeded
    }

    /// Begins the enqueued turn and returns the pending actions, in order.
    mutating func beginTurn() -> [Work] {
        guard state == .turnScheduled else { return [] }
        state = .runningTurn
        defer { pending = [] }
        return pending
    }

    /// Removes and returns the actions of the enqueued turn.
    ///
    /// Returns no actions after the turn has begun.
    mutating func takePending() -> [Work] {
        guard state == .turnScheduled else { return [] }
        defer { pending = [] }
        return pending
    }

    /// Ends the turn.
    ///
    /// - Returns: Whether another turn must be enqueued, for actions added during this turn.
    mutating func endTurn() -> Bool {
        guard state == .runningTurn else { return false }
        state = pending.isEmpty ? .idle : .turnScheduled
        return state == .turnScheduled
    }
}

/// The pending action of a fired event.
struct TriggerFiring: Sendable {
    let occurrence: TriggerOccurrence
    let body: TriggerEvent.Body?
    let changes: Int
    let element: TriggerReport.Element?
    /// The objects that the action may use, retained by this value.
    let objects: ObjectsInUse?
    let trace: TriggerTrace

    /// Runs the action, unless an earlier action disarmed the event.
    func run() {
        let resolved = occurrence.event.resolveAction(body, changes: changes, occurrence.trigger)
        guard !resolved.isDisarmed else { return report(.skipped) }
        TriggerScope.$isInAction.withValue(true) {
            switch resolved.body {
            case .mainActor(let action): MainActor.assumeIsolated { action(occurrence) }
            case .anywhere(let action): action(occurrence)
            case nil: break
            }
        }
        report(.ran)
    }

    func report(_ outcome: TriggerReport.Outcome) {
        let event = occurrence.event
        guard trace.includes(event) else { return }
        trace.report(
            TriggerReport(
                trigger: occurrence.trigger,
                trace: event.trace,
                identifier: event.identifier,
                element: element,
                timestamp: occurrence.timestamp,
                outcome: outcome
            )
        )
    }
}
/// The objects that an action may use, retained until it has run.
///
/// These objects are views and controllers, which must be deallocated on the main actor. Code that may hold the last
/// reference on another thread must call ``release()``.
@MainActor
final class ObjectsInUse {
    private var objects: [AnyObject]

    init(_ objects: [AnyObject]) {
        self.objects = objects
    }

    /// Releases the objects on the main actor.
    ///
    /// The objects are released in one of the main actor's next turns. Callable from any thread.
    nonisolated func release() {
        Task { @MainActor in objects = [] }
    }
}
