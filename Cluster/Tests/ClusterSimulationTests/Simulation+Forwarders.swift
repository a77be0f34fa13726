// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorTesting
internal import TrackwayEvents

@testable internal import CollectorClickHouse
@testable internal import CollectorJetStream

/// Forwarders: each follows the orders of a `Forwarder`, like `ForwardingRunner`.
extension Simulation {
    func forwards(_ node: Int, after delay: Int64) {
        after(max(1, delay), on: node) { $0.performOrder(node) }
    }

    private func fails(_ node: Int, _ reason: String) {
        nodes[node].rows = nil
        nodes[node].cutter = nil
        nodes[node].forwarder.failed(reason)
        forwards(node, after: 1)
    }

    /// Sends a request to the tables, which takes effect now and is answered later.
    private func asks(_ node: Int, _ body: (Simulation) -> Void, then: @escaping (Simulation) -> Void) {
        guard tables.isReached else { return after(100, on: node) { $0.fails(node, "the tables cannot be reached") } }
        body(self)
        let isLost = losesAnswers > 0 && chance.chance(4)
        after(isLost ? 5_000 : number(2...40), on: node) { simulation in
            if isLost { return simulation.fails(node, "the tables do not respond") }
            then(simulation)
            simulation.forwards(node, after: 1)
        }
    }

    private func performOrder(_ node: Int) {
        switch nodes[node].forwarder.order {
        case .count:
            let count = UInt64(tables.completed.count)
            asks(node, { _ in }, then: { $0.nodes[node].forwarder.counted(count) })
        case .readDecisions(let block): readDecisions(block, node)
        case .collect(let first): collect(first, node)
        case .decide(let decision): decide(decision, node)
        case .load: asks(node, { _ in }, then: { $0.nodes[node].forwarder.loaded() })
        case .recognise(let decision): recognise(decision, node)
        case .insert(let decision): insert(decision, node)
        case .erase: asks(node, { _ in }, then: { $0.nodes[node].forwarder.erased() })
        case .complete(let decision):
            asks(node, { $0.tables.completed.insert(decision.block) }, then: { $0.nodes[node].forwarder.completed() })
        case .watch(let block):
            guard let found = decision(block, node) else { return fails(node, "no server reports decisions") }
            nodes[node].forwarder.watched(found, highest: readable(node))
            forwards(node, after: travel)
        case .wait(let pause):
            after(pause.wholeMilliseconds, on: node) { simulation in
                simulation.nodes[node].forwarder.waited()
                simulation.forwards(node, after: 1)
            }
        case .rest: broken("forwarder \(node) is idle")
        case .stop(let reason):
            broken("forwarder \(node) stopped: \(reason)")
        }
    }

    /// Returns the decision about a block, if any; nil if no server can report it.
    private func decision(_ block: UInt64, _ node: Int) -> BlockDecision?? {
        guard let server = nodes[node].server, let copied = copy(of: Self.blocks, from: server, taste: node) else {
            return nil
        }
        if block > 0, Int(block) <= copied { return decided[Int(block) - 1] }
        // A copy may lag; the leader's copy does not, unless the leader was cut off from the others.
        guard let told = teller(of: Self.blocks, from: server), told.stored < Int(block) else { return nil }
        if let former = told.former, now - former.since >= 2_000 { return nil }
        return .some(nil)
    }

    private func readDecisions(_ block: UInt64, _ node: Int) {
        var previous: BlockDecision?
        if block > 1 {
            guard let found = decision(block - 1, node) else { return fails(node, "no server reports decisions") }
            previous = found
        }
        guard let found = decision(block, node) else { return fails(node, "no server reports decisions") }
        var isNewest = true
        if found != nil {
            guard let next = decision(block + 1, node) else { return fails(node, "no server reports decisions") }
            isNewest = next == nil
        }
        nodes[node].forwarder.read(found, previous: previous, isNewest: isNewest)
        forwards(node, after: travel)
    }

    /// When a collector received a record, with differing clocks and a week that ends during the run.
    private func received(_ record: (body: Int32, at: Int64)) -> Timestamp? {
        guard record.body >= 0 else { return nil }
        let clock = Int64(record.body % 5 - 2) * plan.clocks / 2
        return Timestamp(milliseconds: 2_900 * BlockCutter.millisecondsOfWeek - 30_000 + record.at + clock)
    }

    private func collect(_ first: UInt64, _ node: Int) {
        var limits = BlockCutter.Limits()
        limits.records = plan.blockRecords
        var cutter = nodes[node].cutter ?? BlockCutter(from: first, limits: limits)
        let highest = readable(node)
        while cutter.next <= highest, !cutter.isFull {
            let record = orderedRecord(cutter.next)
            if !cutter.take(events: 3, bytes: 300, received: received(record), at: time) {
                return collected(cutter.next - 1, node)
            }
        }
        if cutter.isFull || cutter.isDue(at: time) { return collected(cutter.next - 1, node) }
        nodes[node].cutter = cutter
        forwards(node, after: 50)
    }

    private func collected(_ last: UInt64, _ node: Int) {
        nodes[node].cutter = nil
        nodes[node].forwarder.collected(last: last)
        forwards(node, after: 1)
    }

    private func decide(_ decision: BlockDecision, _ node: Int) {
        guard BlockDecision(json: decision.json) == decision else {
            return broken("block \(decision.block) does not survive encoding and decoding")
        }
        decisionPool.append(decision)
        decide(Self.blocks, Int(decision.block) - 1, Int32(decisionPool.count - 1), by: node) { simulation, isOurs in
            guard let isOurs else { return simulation.fails(node, "the cluster does not respond") }
            simulation.nodes[node].forwarder.decided(isOurs)
            simulation.forwards(node, after: 1)
        }
    }

    /// Handles stored decisions.
    func decided(_ places: Range<Int>) {
        for place in places {
            let decision = decisionPool[Int(logs[Self.blocks].records[place].body)]
            let next = (decided.last?.last ?? 0) + 1
            if Int(decision.block) != place + 1 { broken("block \(decision.block) was decided twice") }
            if decision.first != next {
                broken("block \(decision.block) starts with record \(decision.first) instead of \(next)")
            }
            if Int(decision.last) > orderedCount || decision.last < decision.first {
                broken("block \(decision.block) ends with record \(decision.last), but the order has \(orderedCount)")
            }
            decided.append(decision)
        }
    }

    private func recognise(_ decision: BlockDecision, _ node: Int) {
        var batches: [Int32] = []
        var met: Set<Int32> = []
        for sequence in decision.first...decision.last {
            let body = orderedRecord(sequence).body
            guard body >= 0 else { continue }
            if plan.flaw != .recognisesNothing {
                let block = tables.ids[Int(body)]
                if block > 0, UInt64(block) < decision.block { continue }
                guard met.insert(body).inserted else { continue }
            }
            batches.append(body)
        }
        nodes[node].rows = (decision, batches)
        asks(node, { _ in }, then: { $0.nodes[node].forwarder.recognised() })
    }

    /// Writes one table after the other; a forwarder that dies in between leaves only some of them.
    private func insert(_ decision: BlockDecision, _ node: Int) {
        guard let rows = nodes[node].rows, rows.decision == decision else { return fails(node, "the rows are lost") }
        guard tables.isReached else { return after(100, on: node) { $0.fails(node, "the tables cannot be reached") } }
        if let before = tables.events[decision.block], before != rows.batches {
            broken("block \(decision.block) was written again with different rows")
        }
        tables.events[decision.block] = rows.batches
        after(number(2...60), on: node) { simulation in
            simulation.asks(node) { simulation in
                for batch in rows.batches {
                    let known = simulation.tables.ids[Int(batch)]
                    if known == 0 || UInt64(known) > decision.block {
                        simulation.tables.ids[Int(batch)] = UInt32(decision.block)
                    }
                }
            } then: {
                $0.nodes[node].forwarder.inserted()
            }
        }
    }
}
