// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Where actions of triggers run: one after the other, in the order of their triggers.
///
/// ```swift
/// let queue = DispatchQueue(label: "tracking")
/// let executor = TriggerExecutor { queue.async(execute: $0) }
/// ```
/// What happens while actions run waits for another turn, so that no action, however it triggers others, keeps its thread for
/// ever. Up to 65,536 actions wait; what comes then is not run, counted in ``refused``, and told to the trace.
///
/// Any thread.
public final class TriggerExecutor: Sendable {
    /// On the main actor, in one of its next turns.
    public static let mainActor = TriggerExecutor(.mainActor(isAtOnce: { false }))
    /// At once, where the trigger is met, before the detector answers. For what takes no time, as recording does.
    public static let caller = TriggerExecutor(.atOnce)

    private enum Way: Sendable {
        case atOnce
        case mainActor(isAtOnce: @Sendable () -> Bool)
        case turns(@Sendable (_ turn: @escaping @Sendable () -> Void) -> Void)
    }

    private let way: Way
    private let queue = Locked(ActionQueue<TriggerFiring>())

    private init(_ way: Way) {
        self.way = way
    }

    /// An executor of the app's own.
    ///
    /// - Parameter enqueue: has a turn done, soon, on whatever thread; it is called once for each, and the next one is ordered
    ///   when a turn is over. A turn that is never done keeps all that waits.
    public convenience init(_ enqueue: @escaping @Sendable (_ turn: @escaping @Sendable () -> Void) -> Void) {
        self.init(.turns(enqueue))
    }

    /// On the main actor, when somebody chooses: at once, or in one of its next turns.
    ///
    /// - Parameter isAtOnce: Asked each time a trigger is met. What is met off the main actor, or while actions wait, takes its turn.
    package static func mainActor(isAtOnce: @escaping @Sendable () -> Bool) -> TriggerExecutor {
        TriggerExecutor(.mainActor(isAtOnce: isAtOnce))
    }

    /// How many actions were not run because too many waited.
    public var refused: Int { queue.withLock { $0.refused } }

    /// Whether an action may run after the call that its trigger is met in.
    var runsLater: Bool {
        if case .atOnce = way { return false }
        return true
    }

    /// - Parameter isOnMainActor: Whether the trigger is met there.
    func perform(_ firing: TriggerFiring, isOnMainActor: Bool) {
        switch way {
        case .atOnce:
            return firing.run()
        case .mainActor(let isAtOnce):
            if isOnMainActor, isAtOnce(), queue.withLock({ $0.isIdle }) { return firing.run() }
        case .turns:
            break
        }
        switch queue.withLock({ $0.triggered(firing) }) {
        case .waits: return
        case .ordersTurn: enqueue { [self] in turn() }
        case .refused: firing.report(.refused("too many actions wait"))
        }
    }

    /// Runs what waits now, in its order, before something changes that actions look at. What actions trigger meanwhile takes its turn, and
    /// within an action nothing is run.
    @MainActor
    package func runWaiting() {
        guard case .mainActor = way else { return }
        for firing in queue.withLock({ $0.takeWaiting() }) { firing.run() }
    }

    private func enqueue(_ turn: @escaping @Sendable () -> Void) {
        if case .turns(let enqueue) = way { return enqueue(turn) }
        Task { @MainActor in turn() }
    }

    private func turn() {
        let isElsewhere = if case .turns = way { true } else { false }
        for firing in queue.withLock({ $0.turnBegan() }) {
            firing.run()
            if isElsewhere { firing.objects?.end() }
        }
        guard queue.withLock({ $0.turnEnded() }) else { return }
        enqueue { [self] in turn() }
    }
}

/// What waits for an executor: the machine behind it.
struct ActionQueue<Work> {
    /// What comes of one more.
    enum Outcome: Hashable {
        /// A turn was ordered before, which will do it.
        case waits
        /// A turn is to be ordered.
        case ordersTurn
        /// Too many wait.
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
    /// How many were refused.
    private(set) var refused = 0

    init(bound: Int = 65_536) {
        self.bound = bound
    }

    /// Whether nothing waits and nothing runs.
    var isIdle: Bool { state == .idle }

    /// A trigger was met.
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

    /// The turn that was ordered began: does what waits now, in order.
    mutating func turnBegan() -> [Work] {
        guard state == .turnOrdered else { return [] }
        state = .inTurn
        defer { waiting = [] }
        return waiting
    }

    /// What waits for a turn is done now, before the turn that was ordered for it.
    mutating func takeWaiting() -> [Work] {
        guard state == .turnOrdered else { return [] }
        defer { waiting = [] }
        return waiting
    }

    /// The turn is over.
    ///
    /// - Returns: Whether another is to be ordered, for what came meanwhile.
    mutating func turnEnded() -> Bool {
        guard state == .inTurn else { return false }
        state = waiting.isEmpty ? .idle : .turnOrdered
        return state == .turnOrdered
    }
}

/// An action that was decided.
struct TriggerFiring: Sendable {
    let occurrence: TriggerOccurrence
    let body: TriggerEvent.Body?
    let changes: Int
    let element: TriggerReport.Element?
    /// What the action may use, kept as long as this.
    let objects: ObjectsInUse?
    let trace: TriggerTrace

    /// Runs it, unless an earlier action disarmed it.
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
/// Objects that an action may use, kept until it has run.
///
/// They are views and controllers, which end on the main actor alone. Who may hold the last reference elsewhere calls ``end()``.
@MainActor
final class ObjectsInUse {
    private var objects: [AnyObject]

    init(_ objects: [AnyObject]) {
        self.objects = objects
    }

    /// Gives the objects up on the main actor, in one of its next turns. Any thread.
    nonisolated func end() {
        Task { @MainActor in objects = [] }
    }
}
