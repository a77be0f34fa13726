// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Runs the actions of triggers in the order of their triggers.
///
/// Actions never overlap.
///
/// ```swift
/// let queue = DispatchQueue(label: "tracking")
/// let executor = TriggerExecutor { queue.async(execute: $0) }
/// ```
/// Actions triggered while actions run wait for another turn, so that actions that trigger each other never block their
/// thread indefinitely. Up to 65,536 actions may be pending. Further ones are not run; they are counted in ``refused``
/// and reported to the trace.
///
/// Any thread may call.
public final class TriggerExecutor: Sendable {
    /// Runs actions on the main actor, in one of its next turns.
    public static let mainActor = TriggerExecutor(.mainActor(runsImmediately: { false }))
    /// Runs actions immediately, before the detector returns.
    ///
    /// Use it for fast actions such as recording.
    public static let caller = TriggerExecutor(.atOnce)

    private enum Way: Sendable {
        case atOnce
        case mainActor(runsImmediately: @Sendable () -> Bool)
        case turns(@Sendable (_ turn: @escaping @Sendable () -> Void) -> Void)
    }

    private let way: Way
    private let queue = Locked(ActionQueue<TriggerFiring>())

    private init(_ way: Way) {
        self.way = way
    }

    /// Creates an executor with a custom queue.
    ///
    /// - Parameter enqueue: performs a turn soon, on any thread. It is called once per turn, and the next turn is
    ///   enqueued after the previous one has ended. If a turn is never performed, its actions stay pending.
    public convenience init(_ enqueue: @escaping @Sendable (_ turn: @escaping @Sendable () -> Void) -> Void) {
        self.init(.turns(enqueue))
    }

    /// Creates an executor that runs actions on the main actor.
    ///
    /// Actions run immediately or in one of the main actor's next turns.
    ///
    /// - Parameter runsImmediately: Called for each trigger; returns whether to run its action immediately. Off the
    ///   main
    ///   actor, or while actions are pending, an action always waits for its turn.
    package static func mainActor(runsImmediately: @escaping @Sendable () -> Bool) -> TriggerExecutor {
        TriggerExecutor(.mainActor(runsImmediately: runsImmediately))
    }

    /// The number of actions not run because too many were pending.
    public var refused: Int { queue.withLock { $0.refused } }

    /// Whether an action may run after the call that reported its trigger.
    var runsLater: Bool {
        if case .atOnce = way { return false }
        return true
    }

    /// Runs or enqueues a firing's action.
    ///
    /// - Parameter isOnMainActor: Whether the trigger occurred on the main actor.
    func perform(_ firing: TriggerFiring, isOnMainActor: Bool) {
        switch way {
        case .atOnce:
            return firing.run()
        case .mainActor(let runsImmediately):
            if isOnMainActor, runsImmediately(), queue.withLock({ $0.isIdle }) { return firing.run() }
        case .turns:
            break
        }
        switch queue.withLock({ $0.triggered(firing) }) {
        case .waits: return
        case .ordersTurn: enqueue { [self] in turn() }
        case .refused: firing.report(.refused("too many pending actions"))
        }
    }

    /// Runs pending actions now, in order.
    ///
    /// Call it before a change that would affect them. Actions triggered by them wait for their turn. Called within an
    /// action, it does nothing.
    @MainActor
    package func runPending() {
        guard case .mainActor = way else { return }
        for firing in queue.withLock({ $0.takePending() }) { firing.run() }
    }

    private func enqueue(_ turn: @escaping @Sendable () -> Void) {
        if case .turns(let enqueue) = way { return enqueue(turn) }
        Task { @MainActor in turn() }
    }

    private func turn() {
        let isElsewhere = if case .turns = way { true } else { false }
        for firing in queue.withLock({ $0.beginTurn() }) {
            firing.run()
            if isElsewhere { firing.objects?.end() }
        }
        guard queue.withLock({ $0.endTurn() }) else { return }
        enqueue { [self] in turn() }
    }
}

/// The state machine of an executor's pending actions.
struct ActionQueue<Work> {
    /// The result of adding an action.
    enum Outcome: Hashable {
        /// A turn that is already enqueued will run it.
        case waits
        /// A turn must be enqueued.
        case ordersTurn
        /// Too many actions are pending.
        case refused
    }

    private enum State {
        case idle
        case turnOrdered
        case inTurn
    }

    private let bound: Int
    private var state = State.idle
    private var waiting: [Work] = []
    /// The number of rejected actions.
    private(set) var refused = 0

    init(bound: Int = 65_536) {
        self.bound = bound
    }

    /// Whether no action is pending or running.
    var isIdle: Bool { state == .idle }

    /// Adds an action.
    mutating func triggered(_ work: Work) -> Outcome {
        guard waiting.count < bound else {
            refused += 1
            return .refused
        }
        waiting.append(work)
        guard state == .idle else { return .waits }
        state = .turnOrdered
        return .ordersTurn
    }

    /// Begins the enqueued turn and returns the pending actions, in order.
    mutating func beginTurn() -> [Work] {
        guard state == .turnOrdered else { return [] }
        state = .inTurn
        defer { waiting = [] }
        return waiting
    }

    /// Removes and returns the actions of the enqueued turn.
    ///
    /// Returns no actions after the turn has begun.
    mutating func takePending() -> [Work] {
        guard state == .turnOrdered else { return [] }
        defer { waiting = [] }
        return waiting
    }

    /// Ends the turn.
    ///
    /// - Returns: Whether another turn must be enqueued, for actions added in the meantime.
    mutating func endTurn() -> Bool {
        guard state == .inTurn else { return false }
        state = waiting.isEmpty ? .idle : .turnOrdered
        return state == .turnOrdered
    }
}

/// A fired event's pending action.
struct TriggerFiring: Sendable {
    let occurrence: TriggerOccurrence
    let body: TriggerEvent.Body?
    let changes: Int
    let element: TriggerReport.Element?
    /// Objects that the action may use, retained by this value.
    let objects: ObjectsInUse?
    let trace: TriggerTrace

    /// Runs the action, unless an earlier action disarmed it.
    func run() {
        let due = occurrence.event.due(body, changes: changes, occurrence.trigger)
        guard !due.isDisarmed else { return report(.skipped) }
        TriggerScope.$isInAction.withValue(true) {
            switch due.body {
            case .mainActor(let action): MainActor.assumeIsolated { action(occurrence) }
            case .anywhere(let action): action(occurrence)
            case nil: break
            }
        }
        report(.ran)
    }

    func report(_ outcome: TriggerReport.Outcome) {
        let event = occurrence.event
        guard trace.wants(event) else { return }
        trace.tell(
            TriggerReport(
                trigger: occurrence.trigger,
                trace: event.trace,
                identifier: event.identifier,
                element: element,
                moment: occurrence.moment,
                outcome: outcome
            )
        )
    }
}
/// Objects that an action may use, retained until it has run.
///
/// They are views and controllers, which must be deallocated on the main actor. Code that may hold the last reference
/// on another thread calls ``end()``.
@MainActor
final class ObjectsInUse {
    private var objects: [AnyObject]

    init(_ objects: [AnyObject]) {
        self.objects = objects
    }

    /// Releases the objects on the main actor.
    ///
    /// They are released in one of its next turns. Any thread may call.
    nonisolated func end() {
        Task { @MainActor in objects = [] }
    }
}
