// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import TrackwayCore

@testable internal import CollectorClickHouse
@testable internal import CollectorJetStream

/// Forwarders, each of which carries out the steps of a `Forwarder` as `ForwardingRunner` does.
extension Simulation {
    func scheduleForwarder(_ node: Int, after delay: Int64) {
        after(max(1, delay), on: node) { $0.performForwarderStep(node) }
    }

    private func failStep(_ node: Int, _ reason: String) {
        nodes[node].rows = nil
        nodes[node].cutter = nil
        nodes[node].forwarder.stepFailed(reason)
        scheduleForwarder(node, after: 1)
    }

    /// Sends a request to the tables, which takes effect now and is answered later.
    private func requestTables(_ node: Int, _ body: (Simulation) -> Void, then: @escaping (Simulation) -> Void) {
        guard tables.isReachable else {
            return after(100, on: node) { $0.failStep(node, "the tables cannot be reached") }
        }
        body(self)
        let isLost = lossFaults > 0 && random.oneIn(4)
        after(isLost ? 5_000 : number(2...40), on: node) { simulation in
            if isLost { return simulation.failStep(node, "the tables do not respond") }
            then(simulation)
            simulation.scheduleForwarder(node, after: 1)
        }
    }

    private func performForwarderStep(_ node: Int) {
        switch nodes[node].forwarder.nextStep {
        case .count:
            let count = UInt64(tables.completed.count)
            requestTables(node, { _ in }, then: { $0.nodes[node].forwarder.blocksCounted(count) })
        case .readDecisions(let block): readDecisions(block, node)
        case .collect(let first): collect(first, node)
        case .decide(let decision): decide(decision, node)
        case .load: requestTables(node, { _ in }, then: { $0.nodes[node].forwarder.blockLoaded() })
        case .makeRows(let decision): makeRows(decision, node)
        case .insert(let decision): insert(decision, node)
        case .erase: requestTables(node, { _ in }, then: { $0.nodes[node].forwarder.rowsErased() })
        case .complete(let decision):
            requestTables(
                node,
                { $0.tables.completed.insert(decision.block) },
                then: { $0.nodes[node].forwarder.blockCompleted() }
            )
        case .watch(let block):
            guard let found = decision(block, node) else { return failStep(node, "no server reports decisions") }
            nodes[node].forwarder.decisionWatched(found, highest: lastReadable(node))
            scheduleForwarder(node, after: transitTime)
        case .wait(let pause):
            after(pause.wholeMilliseconds, on: node) { simulation in
                simulation.nodes[node].forwarder.waitFinished()
                simulation.scheduleForwarder(node, after: 1)
            }
        case .rest: recordViolation("forwarder \(node) is idle")
        case .stop(let reason):
            recordViolation("forwarder \(node) stopped: \(reason)")
        }
    }

    /// Returns the decision about a block, if any; nil if no server can report it.
    private func decision(_ block: UInt64, _ node: Int) -> BlockDecision?? {
        guard let server = nodes[node].server,
            let copyEnd = storedCount(of: Self.blocks, from: server, preferredMember: node)
        else {
            return nil
        }
        if block > 0, Int(block) <= copyEnd { return decisions[Int(block) - 1] }
        // A copy may lag; the leader's copy does not, unless the leader was cut off from the others.
        guard let reporting = reportingLeader(of: Self.blocks, from: server), reporting.stored < Int(block) else {
            return nil
        }
        if let former = reporting.former, now - former.since >= 2_000 { return nil }
        return .some(nil)
    }

    private func readDecisions(_ block: UInt64, _ node: Int) {
        var previous: BlockDecision?
        if block > 1 {
            guard let found = decision(block - 1, node) else { return failStep(node, "no server reports decisions") }
            previous = found
        }
        guard let found = decision(block, node) else { return failStep(node, "no server reports decisions") }
        var isNewest = true
        if found != nil {
            guard let next = decision(block + 1, node) else { return failStep(node, "no server reports decisions") }
            isNewest = next == nil
        }
        nodes[node].forwarder.decisionsRead(found, previous: previous, isNewest: isNewest)
        scheduleForwarder(node, after: transitTime)
    }

    /// Returns the time at which a collector received a record.
    ///
    /// Clocks differ, and a week ends during the run.
    private func receiveTime(_ record: (body: Int32, at: Int64)) -> Timestamp? {
        guard record.body >= 0 else { return nil }
        let clock = Int64(record.body % 5 - 2) * plan.maxClockOffset / 2
        return Timestamp(milliseconds: 2_900 * BlockCutter.millisecondsPerWeek - 30_000 + record.at + clock)
    }

    private func collect(_ first: UInt64, _ node: Int) {
        var limits = BlockCutter.Limits()
        limits.records = plan.blockRecords
        var cutter = nodes[node].cutter ?? BlockCutter(from: first, limits: limits)
        let highest = lastReadable(node)
        while cutter.next <= highest, !cutter.isFull {
            let record = orderedRecord(cutter.next)
            if !cutter.add(events: 3, bytes: 300, received: receiveTime(record), at: time) {
                return finishCollecting(cutter.next - 1, node)
            }
        }
        if cutter.isFull || cutter.isDue(at: time) { return finishCollecting(cutter.next - 1, node) }
        nodes[node].cutter = cutter
        scheduleForwarder(node, after: 50)
    }

    private func finishCollecting(_ last: UInt64, _ node: Int) {
        nodes[node].cutter = nil
        nodes[node].forwarder.blockCollected(last: last)
        scheduleForwarder(node, after: 1)
    }

    private func decide(_ decision: BlockDecision, _ node: Int) {
        guard BlockDecision(json: decision.json) == decision else {
            return recordViolation("block \(decision.block) does not survive encoding and decoding")
        }
        decisionPool.append(decision)
        decide(Self.blocks, Int(decision.block) - 1, Int32(decisionPool.count - 1), by: node) { simulation, isOurs in
            guard let isOurs else { return simulation.failStep(node, "the cluster does not respond") }
            simulation.nodes[node].forwarder.blockDecided(isOurs: isOurs)
            simulation.scheduleForwarder(node, after: 1)
        }
    }

    /// Handles stored decisions.
    func recordDecisions(_ positions: Range<Int>) {
        for position in positions {
            let decision = decisionPool[Int(logs[Self.blocks].records[position].body)]
            let next = (decisions.last?.last ?? 0) + 1
            if Int(decision.block) != position + 1 { recordViolation("block \(decision.block) was decided twice") }
            if decision.first != next {
                recordViolation("block \(decision.block) starts with record \(decision.first) instead of \(next)")
            }
            if Int(decision.last) > orderedCount || decision.last < decision.first {
                recordViolation(
                    "block \(decision.block) ends with record \(decision.last), but the order has \(orderedCount)"
                )
            }
            decisions.append(decision)
        }
    }

    private func makeRows(_ decision: BlockDecision, _ node: Int) {
        var batches: [Int32] = []
        var seen: Set<Int32> = []
        for sequence in decision.first...decision.last {
            let body = orderedRecord(sequence).body
            guard body >= 0 else { continue }
            if plan.flaw != .ignoresKnownIDs {
                let block = tables.ids[Int(body)]
                if block > 0, UInt64(block) < decision.block { continue }
                guard seen.insert(body).inserted else { continue }
            }
            batches.append(body)
        }
        nodes[node].rows = (decision, batches)
        requestTables(node, { _ in }, then: { $0.nodes[node].forwarder.rowsMade() })
    }

    /// Writes one table after the other; a forwarder that dies in between leaves only some of them.
    private func insert(_ decision: BlockDecision, _ node: Int) {
        guard let rows = nodes[node].rows, rows.decision == decision else { return failStep(node, "the rows are lost") }
        guard tables.isReachable else {
            return after(100, on: node) { $0.failStep(node, "the tables cannot be reached") }
        }
        if let before = tables.events[decision.block], before != rows.batches {
            recordViolation("block \(decision.block) was written again with different rows")
        }
        tables.events[decision.block] = rows.batches
        after(number(2...60), on: node) { simulation in
            simulation.requestTables(node) { simulation in
                for batch in rows.batches {
                    let known = simulation.tables.ids[Int(batch)]
                    if known == 0 || UInt64(known) > decision.block {
                        simulation.tables.ids[Int(batch)] = UInt32(decision.block)
                    }
                }
            } then: {
                $0.nodes[node].forwarder.rowsInserted()
            }
        }
    }
}
