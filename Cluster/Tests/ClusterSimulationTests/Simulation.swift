// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import TrackwayCore

@testable internal import CollectorClickHouse
@testable internal import CollectorJetStream

/// A cluster simulated with value types in virtual time, without tasks, clocks or a network.
///
/// Senders hand batches to collectors, which decide with the product's own state machines. The NATS cluster is a model.
/// Forwarders copy the order into tables, and records are moved to other streams during the run.
///
/// Used by one thread. The same plan and faults give the same run.
final class Simulation {
    /// The result of a run.
    struct Outcome: Equatable {
        /// Violations of the invariants, one sentence each.
        var violations: [String] = []
        var acknowledged = 0
        var attempts = 0
        /// The number of records in the order, including duplicates of batches.
        var orderedRecords = 0
        var duplicates = 0
        var entries = 0
        var blocks = 0
        var events = 0
        /// The number of reads of the order.
        var reads = 0
        /// The maximum number of records that one collector held simultaneously.
        var maxHeldRecords = 0
        /// When everything had settled, in milliseconds.
        var end: Int64 = 0
    }

    /// Indexes into ``logs``, in which each intake stream is at its number, followed by these streams.
    static let order = 75
    static let blocks = 76
    /// The maximum time in which everything must settle after the last fault, in milliseconds.
    static let settleTimeout: Int64 = 400_000

    let plan: SimulationPlan
    let script: [SimulatedFault]
    var queue = EventQueue()
    var random: SeededNumberGenerator
    var outcome = Outcome()

    // The NATS cluster.
    var servers: [SimulatedServer]
    var logs: [SimulatedLog] = []
    var exists: [Bool]
    /// The stream that accepts each partition's records; -1 for none.
    var owners = Array(repeating: 0, count: StreamNames.partitions)
    var lossFaults = 0
    var delayFaults = 0
    var verdicts: [VerdictKey: (verdict: DurabilityGate.Verdict, isByMajority: Bool)] = [:]
    var entryPool: [OrderEntry] = []
    var decisionPool: [BlockDecision] = []

    // Decisions.
    /// The state of the order after each entry, in the product's own type.
    var streamOrders: [StreamOrder] = []
    /// The end of each stream, by number, after each entry.
    var streamOrderEnds: [[UInt64]] = []
    var orderEntries: [OrderEntry] = []
    /// The bodies of all ordered records that follow those of the first stream's own order.
    var orderedBodies: [Int32] = []
    var orderedTimes: [Int64] = []
    var prefixLength: Int?
    var decisions: [BlockDecision] = []

    // Processes and installations.
    var nodes: [SimulatedNode] = []
    var attempts: [SimulatedAttempt] = []
    var freeAttempts: [Int32] = []
    var installations: [SimulatedInstallation] = []
    /// When each batch was acknowledged; -1 before.
    var acknowledgedAt: [Int64]
    var tables: SimulatedTables
    var streamChange = SimulatedStreamChange()
    var unacknowledged = 0

    init(_ plan: SimulationPlan, script: [SimulatedFault]? = nil) {
        self.plan = plan
        self.script = script ?? SimulatedFault.all(of: plan)
        random = SeededNumberGenerator(seed: plan.seed &* 31 &+ 7)
        servers = Array(repeating: SimulatedServer(), count: plan.servers)
        exists = Array(repeating: false, count: Self.blocks + 1)
        let batches = plan.installations * plan.batches
        acknowledgedAt = Array(repeating: -1, count: batches)
        tables = SimulatedTables(batches: batches)
        for number in 0...Self.blocks {
            let members = (0..<3).map { (number + $0) % plan.servers }
            let names = StreamNames(number: number)
            let name = number == Self.order ? "ORDER_0" : number == Self.blocks ? "BLOCKS_0" : names.stream
            var log = SimulatedLog(
                name: name,
                members: members,
                subjects: number == 0 ? ["intake.*"] : [names.closedSubject],
                closedSubject: names.closedSubject
            )
            if number >= Self.order { log.subjects = ["\(name)"] }
            logs.append(log)
        }
        exists[0] = true
        exists[Self.blocks] = true
        unacknowledged = batches
        for _ in 0..<plan.collectors { nodes.append(SimulatedNode(.collector)) }
        for _ in 0..<plan.forwarders { nodes.append(SimulatedNode(.forwarder)) }
        nodes.append(SimulatedNode(.streamChange))
    }

    var now: Int64 { queue.now }
    var time: MonotonicTime { MonotonicTime(milliseconds: queue.now) }

    /// Runs until everything has settled, or an invariant is violated.
    func run() -> Outcome {
        for index in nodes.indices { start(index) }
        beginSending()
        for fault in script { queue.add(.other { $0.inject(fault) }, after: fault.at) }
        for change in plan.streamChanges {
            queue.add(.other { $0.requestStreamChange(to: change.streams) }, after: change.at)
        }
        queue.add(.other { $0.checkSettled() }, after: 1_000)
        while !isFinished, outcome.violations.isEmpty, let event = queue.next() { handle(event) }
        if outcome.violations.isEmpty { compareAll() }
        outcome.end = now
        outcome.entries = orderEntries.count
        outcome.blocks = decisions.count
        return outcome
    }

    var isFinished = false

    private func handle(_ event: SimulatedEvent) {
        switch event {
        case .send(let installation): send(installation)
        case .sendTimedOut(let installation, let round): handleSendTimeout(installation, round)
        case .attempt(let attempt): runIfAwake(event, attempt) { self.step(attempt) }
        case .arrival(let attempt, let round): receive(attempt, round)
        case .stored(let attempt, let round, let sequence, let isRepeated):
            runIfAwake(event, attempt) {
                self.publishFinished(attempt, round, .stored(sequence: UInt64(sequence), isRepeated: isRepeated))
            }
        case .rejected(let attempt, let round, let failure):
            runIfAwake(event, attempt) { self.publishFinished(attempt, round, self.outcome(of: failure, for: attempt)) }
        case .answerTimedOut(let attempt, let round):
            runIfAwake(event, attempt) {
                self.publishFinished(attempt, round, PublishOutcome(.unanswered(connection: 1)))
            }
        case .flushFinished(let log, let term, let target): finishFlush(log, term, target)
        case .slowFlushFinished(let log, let member, let term, let target): finishSlowFlush(log, member, term, target)
        case .checkStarted(let node, let stream, let number):
            if isAwake(node, event) { startCheck(node, stream, number) }
        case .checkFinished(let node, let stream, let number):
            if isAwake(node, event) { finishCheck(node, stream, number) }
        case .readOrder(let node, let number):
            if isAwake(node, event) { readOrder(node, number) }
        case .node(let node, let incarnation, let action):
            if nodes[node].incarnation == incarnation, isAwake(node, event) { action(self) }
        case .other(let action): action(self)
        }
    }

    /// Whether a node is awake. Events of a sleeping node are postponed until it wakes up.
    private func isAwake(_ node: Int, _ event: SimulatedEvent) -> Bool {
        guard nodes[node].asleepUntil > now else { return true }
        queue.add(event, after: nodes[node].asleepUntil - now)
        return false
    }

    private func runIfAwake(_ event: SimulatedEvent, _ attempt: AttemptReference, _ body: () -> Void) {
        guard isCurrent(attempt), isAwake(attempts[Int(attempt.index)].node, event) else { return }
        body()
    }

    /// Runs a node's action after a delay, unless the node dies first.
    func after(_ delay: Int64, on node: Int, _ action: @escaping (Simulation) -> Void) {
        queue.add(.node(node, incarnation: nodes[node].incarnation, action), after: delay)
    }

    func number(_ range: ClosedRange<Int>) -> Int64 { Int64(random.number(range)) }

    /// Reports a violated invariant.
    func recordViolation(_ text: String) { outcome.violations.append("\(now) ms: \(text)") }

    /// A text from which this run can be repeated.
    var reproductionScript: String {
        "\(plan)\n"
            + (["fault = milliseconds kind target duration"] + script.map(\.description)).joined(separator: "\n")
            + "\n"
            + outcome.violations.joined(separator: "\n")
    }
}
