// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayEvents

@testable internal import CollectorJetStream

/// Growth: a process follows the steps of a `StreamChangePlanner`, like `StreamChangeRunner`.
///
/// It is killed at any step, and run again.
extension Simulation {
    private var grower: Int { nodes.count - 1 }
    private static let pause: Int64 = 100

    func requestGrowth(to streams: Int) {
        growing.wanted.append(streams)
        if !growing.isAtWork { beginGrowth() }
    }

    private func beginGrowth() {
        guard !growing.wanted.isEmpty else { return }
        growing.isAtWork = true
        if !nodes[grower].isAlive { start(grower) }
    }

    /// Starts a process that changes the streams.
    func startGrowth(_ node: Int, after delay: Int64) {
        guard let wanted = growing.wanted.first else { return }
        growing.growth = StreamChangePlanner(to: wanted)
        after(delay, on: node) { $0.performStep(node) }
    }

    private func again(_ node: Int, after delay: Int64 = Simulation.pause) {
        after(delay, on: node) { $0.performStep(node) }
    }

    private func performStep(_ node: Int) {
        growing.steps += 1
        guard growing.growth != nil, let look = look(node), let step = growing.growth?.step(look) else {
            return again(node)
        }
        switch step {
        case .done: growthEnds(node)
        // The operator continues once the cluster is durable again.
        case .stop: startGrowth(node, after: 5_000)
        case .makeOrder: each([Self.order], node, { $0.make($1, $2) }, then: { $0.again(node, after: 6_000) })
        case .make(let streams): each(streams, node, { $0.make($1, $2) }, then: { $0.again(node, after: 1) })
        case .close(let streams):
            each(
                streams,
                node,
                { simulation, stream, server in simulation.give([], to: stream, server) },
                then: { $0.again(node, after: $0.plan.flaw == .closesAtOnce ? 1 : 500) }
            )
        case .settle(let streams): settle(streams, node)
        case .give(let streams, let all):
            let partitions = StreamOrder.partitions(of: all)
            each(
                streams,
                node,
                { simulation, stream, server in simulation.give(partitions[stream] ?? [], to: stream, server) },
                then: { $0.again(node, after: 1) }
            )
        case .open(let streams): open(streams, node)
        }
    }

    private func growthEnds(_ node: Int) {
        growing.wanted.removeFirst()
        growing.growth = nil
        growing.isAtWork = false
        kill(node)
        beginGrowth()
    }

    /// Returns the state as reported to a process that changes the streams.
    private func look(_ node: Int) -> StreamChangePlanner.Look? {
        guard let server = nodes[node].server else { return nil }
        _ = read(node)
        var look = StreamChangePlanner.Look(line: nil, hasOrder: exists[Self.order], streams: [:])
        switch nodes[node].standing {
        case .unknown: return nil
        case .single: if exists[Self.order], teller(of: Self.order, from: server) == nil { return nil }
        case .ordered(let taken): (look.line, look.hasOrder) = (lines[taken - 1], true)
        }
        let open = look.line?.streams ?? [0]
        var number = (open.last ?? 0) + 1
        var all = open
        while number < Self.order, exists[number] {
            all.append(number)
            number += 1
        }
        for number in all {
            guard teller(of: number, from: server) != nil else { return nil }
            var facts = StreamFacts(name: logs[number].name)
            facts.subjects = logs[number].subjects
            look.streams[number] = facts
            guard number > (open.last ?? 0), let told = verdict(on: number, from: server, by: nil) else { continue }
            if case .unproven(let faults) = told.verdict { look.faults += faults.map(\.description) }
        }
        return look
    }

    /// Performs an action for several streams concurrently; starts over if one of them fails.
    private func each(
        _ streams: [Int],
        _ node: Int,
        _ body: @escaping (Simulation, Int, Int) -> Bool,
        then: @escaping (Simulation) -> Void
    ) {
        guard let server = nodes[node].server else { return again(node) }
        let count = Count(streams.count)
        for stream in streams {
            queue.add(
                .other { simulation in
                    // The action takes effect even if the process that requested it dies or does not receive the
                    // answer.
                    let isDone = simulation.hasMajority(server) && body(simulation, stream, server)
                    let isHeard = isDone && !(simulation.losesAnswers > 0 && simulation.chance.chance(3))
                    simulation.queue.add(
                        .other { _ in count.take(isHeard) },
                        after: isHeard ? simulation.travel : 5_000
                    )
                },
                after: number(2...60)
            )
        }
        waits(for: count, node, then)
    }

    private func waits(for count: Count, _ node: Int, _ then: @escaping (Simulation) -> Void) {
        after(10, on: node) { simulation in
            if count.left > 0 { return simulation.waits(for: count, node, then) }
            if count.isWhole { then(simulation) } else { simulation.again(node) }
        }
    }

    /// Counts outstanding answers.
    final class Count {
        private(set) var left: Int
        private(set) var isWhole = true

        init(_ left: Int) { self.left = left }

        func take(_ isDone: Bool) {
            left -= 1
            isWhole = isWhole && isDone
        }
    }

    // MARK: Steps for one stream

    private func make(_ stream: Int, _ server: Int) -> Bool {
        exists[stream] = true
        reconsider(stream)
        return true
    }

    private func give(_ partitions: [Int], to stream: Int, _ server: Int) -> Bool {
        guard teller(of: stream, from: server) != nil else { return false }
        // A subject of another stream is not assigned a second time.
        guard partitions.allSatisfy({ owner[$0] < 0 || owner[$0] == stream }) else { return false }
        for partition in owner.indices where owner[partition] == stream { owner[partition] = -1 }
        for partition in partitions { owner[partition] = stream }
        logs[stream].subjects =
            partitions.isEmpty ? [logs[stream].closedSubject] : StreamNames.subjects(of: partitions)
        logs[stream].configuration += 1
        return true
    }

    /// Ends each stream with a final record, and adds all records up to it to the order.
    private func settle(_ streams: [Int], _ node: Int) {
        var ends: [Int: UInt64] = [:]
        let count = Count(streams.count)
        for stream in streams {
            note(in: stream, node) { _, end in
                if let end { ends[stream] = end }
                count.take(end != nil)
            }
        }
        waits(for: count, node) { simulation in
            if simulation.plan.flaw == .orderLeavesOut { ends = ends.mapValues { $0 > 2 ? $0 - 2 : $0 } }
            simulation.settles(ends, node)
        }
    }

    private func settles(_ ends: [Int: UInt64], _ node: Int) {
        _ = read(node)
        guard plan.flaw != .opensTooEarly, case .ordered(let taken) = nodes[node].standing,
            let proposal = lines[taken - 1].proposal(known: ends)
        else {
            growing.growth?.settled()
            return again(node, after: 1)
        }
        propose(proposal, by: node) { simulation, isOurs in
            if isOurs == nil { simulation.again(node) } else { simulation.settles(ends, node) }
        }
    }

    /// Ends a stream with a final record, exactly once.
    private func note(in stream: Int, _ node: Int, _ completion: @escaping (Simulation, UInt64?) -> Void) {
        let isAnswered = Mark()
        let life = nodes[node].life
        func answer(_ simulation: Simulation, _ end: UInt64?, after delay: Int64) {
            guard simulation.nodes[node].life == life else { return }
            simulation.after(delay, on: node) { if isAnswered.set() { completion($0, end) } }
        }
        answer(self, nil, after: 5_000)
        guard let server = nodes[node].server else { return answer(self, nil, after: 1) }
        queue.add(
            .other { simulation in
                guard let teller = simulation.teller(of: stream, from: server) else { return }
                if let place = simulation.logs[stream].note, place < simulation.logs[stream].records.count {
                    // Later callers find it, if the reporting member has it; no record may follow it.
                    let end = UInt64(teller.stored)
                    return answer(simulation, place + 1 == teller.stored ? end : nil, after: simulation.travel)
                }
                guard simulation.leader(of: stream, from: server) != nil else { return }
                let place = simulation.logs[stream].records.count
                let isLost = simulation.losesAnswers > 0 && simulation.chance.chance(3)
                simulation.logs[stream].note = place
                simulation.logs[stream].append(
                    -1,
                    now: simulation.now,
                    waiter: .other { simulation in
                        if !isLost { answer(simulation, UInt64(place + 1), after: simulation.travel) }
                    }
                )
                simulation.flush(stream)
            },
            after: travel
        )
    }

    private func open(_ streams: [Int], _ node: Int) {
        _ = read(node)
        let line: StreamOrder
        switch nodes[node].standing {
        case .unknown: return again(node)
        case .ordered(let taken): line = lines[taken - 1]
        case .single:
            guard let server = nodes[node].server, let told = teller(of: 0, from: server) else { return again(node) }
            // Time passes until this is decided.
            line = StreamOrder(behind: UInt64(told.stored))
        }
        guard line.streams != streams else { return again(node, after: 1) }
        after(number(2...200), on: node) { simulation in
            simulation.propose(line.opening(streams), by: node) { simulation, isOurs in
                simulation.again(node, after: isOurs == nil ? Self.pause : 1)
            }
        }
    }
}
