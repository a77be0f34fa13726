// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorTesting
internal import TrackwayEvents

@testable internal import CollectorClickHouse
@testable internal import CollectorJetStream

/// A cluster of values in virtual time: no tasks, no clock, no network.
///
/// Senders hand batches to collectors, which decide with the product's own values. The NATS cluster is a model.
/// Forwarders copy the order into tables, and records are moved to other streams during the run.
///
/// Used by one thread. The same plan and faults give the same run.
final class Simulation {
    /// The result of a run.
    struct Outcome: Equatable {
        /// Violations of the invariants, one sentence each.
        var faults: [String] = []
        var acknowledged = 0
        var attempts = 0
        /// The number of records in the order, including duplicates of batches.
        var ordered = 0
        var repeated = 0
        var entries = 0
        var blocks = 0
        var events = 0
        /// The number of reads of the order.
        var reads = 0
        /// The maximum number of records that one collector held simultaneously.
        var held = 0
        /// When everything had settled, in milliseconds.
        var end: Int64 = 0
    }

    /// Indexes into ``logs``: intake streams are at their numbers, followed by these.
    static let order = 75
    static let blocks = 76
    /// The maximum time in which everything must settle after the last fault, in milliseconds.
    static let restLimit: Int64 = 400_000

    let plan: SimulationPlan
    let script: [SimulatedFault]
    var queue = EventQueue()
    var chance: SeededChance
    var outcome = Outcome()

    // The NATS cluster.
    var servers: [SimulatedServer]
    var logs: [SimulatedLog] = []
    var exists: [Bool]
    /// The stream that accepts each partition's records; -1 for none.
    var owner = Array(repeating: 0, count: StreamNames.partitions)
    var losesAnswers = 0
    var isLate = 0
    var verdicts: [VerdictKey: (verdict: DurabilityGate.Verdict, isByMajority: Bool)] = [:]
    var entryPool: [OrderEntry] = []
    var decisionPool: [BlockDecision] = []

    // Decisions.
    /// The state of the order after each entry, as the product's own value.
    var lines: [StreamOrder] = []
    /// The end of each stream, by number, after each entry.
    var lineEnds: [[UInt64]] = []
    var canonical: [OrderEntry] = []
    /// The bodies of all records after those of the first stream's own order, in order.
    var orderedBodies: [Int32] = []
    var orderedTimes: [Int64] = []
    var prefix: Int?
    var decided: [BlockDecision] = []

    // Processes and installations.
    var nodes: [SimulatedNode] = []
    var attempts: [SimulatedAttempt] = []
    var free: [Int32] = []
    var installations: [SimulatedInstallation] = []
    /// When each batch was acknowledged; -1 before.
    var acknowledgedAt: [Int64]
    var tables: SimulatedTables
    var growing = SimulatedGrowth()
    var busy = 0

    init(_ plan: SimulationPlan, script: [SimulatedFault]? = nil) {
        self.plan = plan
        self.script = script ?? SimulatedFault.all(of: plan)
        chance = SeededChance(seed: plan.seed &* 31 &+ 7)
        servers = Array(repeating: SimulatedServer(), count: plan.servers)
        exists = Array(repeating: false, count: Self.blocks + 1)
        let batches = plan.installations * plan.batches
        acknowledgedAt = Array(repeating: -1, count: batches)
        tables = SimulatedTables(batches: batches)
        for number in 0...Self.blocks {
            let members = (0..<3).map { (number + $0) % plan.servers }
            let place = StreamNames(number: number)
            let name = number == Self.order ? "ORDER_0" : number == Self.blocks ? "BLOCKS_0" : place.stream
            var log = SimulatedLog(
                name: name,
                members: members,
                subjects: number == 0 ? ["intake.*"] : [place.closedSubject],
                closedSubject: place.closedSubject
            )
            if number >= Self.order { log.subjects = ["\(name)"] }
            logs.append(log)
        }
        exists[0] = true
        exists[Self.blocks] = true
        busy = batches
        for _ in 0..<plan.collectors { nodes.append(SimulatedNode(.collector)) }
        for _ in 0..<plan.forwarders { nodes.append(SimulatedNode(.forwarder)) }
        nodes.append(SimulatedNode(.growth))
    }

    var now: Int64 { queue.now }
    var time: MonotonicTime { MonotonicTime(milliseconds: queue.now) }

    /// Runs until everything has settled, or an invariant is violated.
    func run() -> Outcome {
        for index in nodes.indices { start(index) }
        beginSending()
        for fault in script { queue.add(.other { $0.breaks(fault) }, after: fault.at) }
        for growth in plan.growths { queue.add(.other { $0.requestGrowth(to: growth.streams) }, after: growth.at) }
        queue.add(.other { $0.watchForSettling() }, after: 1_000)
        while !isOver, outcome.faults.isEmpty, let event = queue.next() { happens(event) }
        if outcome.faults.isEmpty { compareAll() }
        outcome.end = now
        outcome.entries = canonical.count
        outcome.blocks = decided.count
        return outcome
    }

    var isOver = false

    private func happens(_ event: SimulatedEvent) {
        switch event {
        case .send(let installation): send(installation)
        case .givenUp(let installation, let round): givenUp(installation, round)
        case .attempt(let attempt): postponed(event, attempt) { self.step(attempt) }
        case .arrival(let attempt, let round): arrives(attempt, round)
        case .stored(let attempt, let round, let sequence, let isRepeated):
            postponed(event, attempt) {
                self.answered(attempt, round, .stored(sequence: UInt64(sequence), isRepeated: isRepeated))
            }
        case .answer(let attempt, let round, let refusal):
            postponed(event, attempt) { self.answered(attempt, round, self.outcome(of: refusal, for: attempt)) }
        case .unanswered(let attempt, let round):
            postponed(event, attempt) { self.answered(attempt, round, PublishOutcome(.unanswered(connection: 1))) }
        case .flush(let log, let term, let target): flushed(log, term, target)
        case .slowFlush(let log, let member, let term, let target): slowlyFlushed(log, member, term, target)
        case .look(let node, let stream, let number):
            if isAwake(node, event) { looks(node, stream, number) }
        case .looked(let node, let stream, let number):
            if isAwake(node, event) { looked(node, stream, number) }
        case .follow(let node, let number):
            if isAwake(node, event) { follow(node, number) }
        case .node(let node, let life, let action):
            if nodes[node].life == life, isAwake(node, event) { action(self) }
        case .other(let action): action(self)
        }
    }

    /// Whether a node is awake. Events of a sleeping node are postponed until it wakes up.
    private func isAwake(_ node: Int, _ event: SimulatedEvent) -> Bool {
        guard nodes[node].asleepUntil > now else { return true }
        queue.add(event, after: nodes[node].asleepUntil - now)
        return false
    }

    private func postponed(_ event: SimulatedEvent, _ attempt: AttemptReference, _ body: () -> Void) {
        guard isCurrent(attempt), isAwake(attempts[Int(attempt.index)].node, event) else { return }
        body()
    }

    /// Runs a node's action after a delay, unless the node dies first.
    func after(_ delay: Int64, on node: Int, _ action: @escaping (Simulation) -> Void) {
        queue.add(.node(node, life: nodes[node].life, action), after: delay)
    }

    func number(_ range: ClosedRange<Int>) -> Int64 { Int64(chance.number(range)) }

    /// Reports a violated invariant.
    func broken(_ text: String) { outcome.faults.append("\(now) ms: \(text)") }

    /// A text from which this run can be repeated.
    var story: String {
        "\(plan)\n" + (["fault = milliseconds kind target lasts"] + script.map(\.description)).joined(separator: "\n")
            + "\n"
            + outcome.faults.joined(separator: "\n")
    }
}
