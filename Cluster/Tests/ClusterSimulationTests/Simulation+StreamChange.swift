// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayCore

@testable internal import CollectorJetStream

/// Stream changes: a process carries out the steps of a `StreamChangePlanner` as `StreamChangeRunner` does.
///
/// The process may be killed at any step, and is then run again.
extension Simulation {
    private var streamChangeNode: Int { nodes.count - 1 }
    private static let pause: Int64 = 100

    func requestStreamChange(to streams: Int) {
        streamChange.requestedCounts.append(streams)
        if !streamChange.isRunning { startPendingStreamChange() }
    }

    private func startPendingStreamChange() {
        guard !streamChange.requestedCounts.isEmpty else { return }
        streamChange.isRunning = true
        if !nodes[streamChangeNode].isAlive { start(streamChangeNode) }
    }

    /// Starts a process that changes the streams.
    func startStreamChange(_ node: Int, after delay: Int64) {
        guard let count = streamChange.requestedCounts.first else { return }
        streamChange.planner = StreamChangePlanner(to: count)
        after(delay, on: node) { $0.performStep(node) }
    }

    private func scheduleStep(_ node: Int, after delay: Int64 = Simulation.pause) {
        after(delay, on: node) { $0.performStep(node) }
    }

    private func performStep(_ node: Int) {
        streamChange.steps += 1
        guard streamChange.planner != nil, let snapshot = snapshot(node),
            let step = streamChange.planner?.step(snapshot)
        else {
            return scheduleStep(node)
        }
        switch step {
        case .done: finishStreamChange(node)
        // The operator continues once the cluster is durable again.
        case .stop: startStreamChange(node, after: 5_000)
        case .createOrder:
            performForEach(
                [Self.order],
                node,
                { $0.createStream($1, $2) },
                then: { $0.scheduleStep(node, after: 6_000) }
            )
        case .create(let streams):
            performForEach(streams, node, { $0.createStream($1, $2) }, then: { $0.scheduleStep(node, after: 1) })
        case .close(let streams):
            performForEach(
                streams,
                node,
                { simulation, stream, server in simulation.setSubjects([], of: stream, server) },
                then: { $0.scheduleStep(node, after: $0.plan.flaw == .skipsCloseDelay ? 1 : 500) }
            )
        case .drain(let streams): drain(streams, node)
        case .assignSubjects(let streams, let all):
            let partitions = StreamOrder.partitions(of: all)
            performForEach(
                streams,
                node,
                { simulation, stream, server in simulation.setSubjects(partitions[stream] ?? [], of: stream, server) },
                then: { $0.scheduleStep(node, after: 1) }
            )
        case .open(let streams): openNewStreams(streams, node)
        }
    }

    private func finishStreamChange(_ node: Int) {
        streamChange.requestedCounts.removeFirst()
        streamChange.planner = nil
        streamChange.isRunning = false
        kill(node)
        startPendingStreamChange()
    }

    /// Returns the state as reported to a process that changes the streams.
    private func snapshot(_ node: Int) -> StreamChangePlanner.Snapshot? {
        guard let server = nodes[node].server else { return nil }
        _ = read(node)
        var snapshot = StreamChangePlanner.Snapshot(order: nil, hasOrder: exists[Self.order], streams: [:])
        switch nodes[node].status {
        case .unknown: return nil
        case .single: if exists[Self.order], reportingLeader(of: Self.order, from: server) == nil { return nil }
        case .ordered(let entriesRead): (snapshot.order, snapshot.hasOrder) = (streamOrders[entriesRead - 1], true)
        }
        let open = snapshot.order?.streams ?? [0]
        var number = (open.last ?? 0) + 1
        var all = open
        while number < Self.order, exists[number] {
            all.append(number)
            number += 1
        }
        for number in all {
            guard reportingLeader(of: number, from: server) != nil else { return nil }
            var facts = StreamFacts(name: logs[number].name)
            facts.subjects = logs[number].subjects
            snapshot.streams[number] = facts
            guard number > (open.last ?? 0), let result = verdict(on: number, from: server, by: nil) else { continue }
            if case .unproven(let faults) = result.verdict { snapshot.faults += faults.map(\.description) }
        }
        return snapshot
    }

    /// Performs an action for several streams concurrently; starts over if one of them fails.
    private func performForEach(
        _ streams: [Int],
        _ node: Int,
        _ body: @escaping (Simulation, Int, Int) -> Bool,
        then: @escaping (Simulation) -> Void
    ) {
        guard let server = nodes[node].server else { return scheduleStep(node) }
        let answers = PendingAnswers(streams.count)
        for stream in streams {
            queue.add(
                .other { simulation in
                    // The action takes effect even if the process that requested it dies or does not receive the
                    // answer.
                    let isDone = simulation.hasMajority(server) && body(simulation, stream, server)
                    let isAnswered = isDone && !(simulation.lossFaults > 0 && simulation.random.oneIn(3))
                    simulation.queue.add(
                        .other { _ in answers.record(isAnswered) },
                        after: isAnswered ? simulation.transitTime : 5_000
                    )
                },
                after: number(2...60)
            )
        }
        wait(for: answers, node, then)
    }

    private func wait(for answers: PendingAnswers, _ node: Int, _ then: @escaping (Simulation) -> Void) {
        after(10, on: node) { simulation in
            if answers.remaining > 0 { return simulation.wait(for: answers, node, then) }
            if answers.allSucceeded { then(simulation) } else { simulation.scheduleStep(node) }
        }
    }

    /// Counts outstanding answers.
    final class PendingAnswers {
        private(set) var remaining: Int
        private(set) var allSucceeded = true

        init(_ remaining: Int) { self.remaining = remaining }

        func record(_ isDone: Bool) {
            remaining -= 1
            allSucceeded = allSucceeded && isDone
        }
    }

    // MARK: Steps for one stream

    private func createStream(_ stream: Int, _ server: Int) -> Bool {
        exists[stream] = true
        updateLeader(stream)
        return true
    }

    private func setSubjects(_ partitions: [Int], of stream: Int, _ server: Int) -> Bool {
        guard reportingLeader(of: stream, from: server) != nil else { return false }
        // A subject of another stream is not assigned a second time.
        guard partitions.allSatisfy({ owners[$0] < 0 || owners[$0] == stream }) else { return false }
        for partition in owners.indices where owners[partition] == stream { owners[partition] = -1 }
        for partition in partitions { owners[partition] = stream }
        logs[stream].subjects =
            partitions.isEmpty ? [logs[stream].closedSubject] : StreamNames.subjects(of: partitions)
        logs[stream].configuration += 1
        return true
    }

    /// Ends each stream with a final record and adds all records up to it to the order.
    private func drain(_ streams: [Int], _ node: Int) {
        var ends: [Int: UInt64] = [:]
        let answers = PendingAnswers(streams.count)
        for stream in streams {
            appendFinalRecord(to: stream, node) { _, end in
                if let end { ends[stream] = end }
                answers.record(end != nil)
            }
        }
        wait(for: answers, node) { simulation in
            if simulation.plan.flaw == .omitsLastRecords { ends = ends.mapValues { $0 > 2 ? $0 - 2 : $0 } }
            simulation.orderRemaining(ends, node)
        }
    }

    private func orderRemaining(_ ends: [Int: UInt64], _ node: Int) {
        _ = read(node)
        guard plan.flaw != .opensBeforeDrained, case .ordered(let entriesRead) = nodes[node].status,
            let proposal = streamOrders[entriesRead - 1].proposal(known: ends)
        else {
            streamChange.planner?.markDrained()
            return scheduleStep(node, after: 1)
        }
        propose(proposal, by: node) { simulation, isOurs in
            if isOurs == nil { simulation.scheduleStep(node) } else { simulation.orderRemaining(ends, node) }
        }
    }

    /// Ends a stream with a final record, exactly once.
    private func appendFinalRecord(to stream: Int, _ node: Int, _ completion: @escaping (Simulation, UInt64?) -> Void) {
        let isAnswered = OneTimeFlag()
        let incarnation = nodes[node].incarnation
        func answer(_ simulation: Simulation, _ end: UInt64?, after delay: Int64) {
            guard simulation.nodes[node].incarnation == incarnation else { return }
            simulation.after(delay, on: node) { if isAnswered.set() { completion($0, end) } }
        }
        answer(self, nil, after: 5_000)
        guard let server = nodes[node].server else { return answer(self, nil, after: 1) }
        queue.add(
            .other { simulation in
                guard let reporting = simulation.reportingLeader(of: stream, from: server) else { return }
                if let position = simulation.logs[stream].finalRecord, position < simulation.logs[stream].records.count
                {
                    // Later callers find the final record if the reporting member has it; no record may follow it.
                    let end = UInt64(reporting.stored)
                    return answer(
                        simulation,
                        position + 1 == reporting.stored ? end : nil,
                        after: simulation.transitTime
                    )
                }
                guard simulation.leader(of: stream, from: server) != nil else { return }
                let position = simulation.logs[stream].records.count
                let isLost = simulation.lossFaults > 0 && simulation.random.oneIn(3)
                simulation.logs[stream].finalRecord = position
                simulation.logs[stream].append(
                    -1,
                    now: simulation.now,
                    waiter: .other { simulation in
                        if !isLost { answer(simulation, UInt64(position + 1), after: simulation.transitTime) }
                    }
                )
                simulation.flush(stream)
            },
            after: transitTime
        )
    }

    private func openNewStreams(_ streams: [Int], _ node: Int) {
        _ = read(node)
        let streamOrder: StreamOrder
        switch nodes[node].status {
        case .unknown: return scheduleStep(node)
        case .ordered(let entriesRead): streamOrder = streamOrders[entriesRead - 1]
        case .single:
            guard let server = nodes[node].server, let reporting = reportingLeader(of: 0, from: server) else {
                return scheduleStep(node)
            }
            // Time passes until this is decided.
            streamOrder = StreamOrder(after: UInt64(reporting.stored))
        }
        guard streamOrder.streams != streams else { return scheduleStep(node, after: 1) }
        after(number(2...200), on: node) { simulation in
            simulation.propose(streamOrder.openingEntry(for: streams), by: node) { simulation, isOurs in
                simulation.scheduleStep(node, after: isOurs == nil ? Self.pause : 1)
            }
        }
    }
}
