// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

@testable internal import CollectorClickHouse
@testable internal import CollectorJetStream

/// The inputs of a durability check: equal inputs give the same verdict.
struct VerdictKey: Hashable {
    var log: Int
    var leader: Int
    var isFormerLeader: Bool
    var outOfContact: Int
    var unseen: Int
    var unsynced: Int
    var reporting: Int
    var configuration: Int
    var requirements: Int
}

/// Processes: their starts and ends, their connections, and their durability checks.
extension Simulation {
    func start(_ node: Int) {
        nodes[node] = nodes[node].restarted(delay: Int(number(0...199)))
        nodes[node].address = Int(number(0...servers.count - 1))
        connect(node, after: number(1...50))
        guard nodes[node].role != .streamChange || streamChange.isRunning else {
            nodes[node].isAlive = false
            return
        }
        watchOpenStreams(node)
        nodes[node].lastEndRequest = now
        scheduleRead(node, after: number(1...100))
        if nodes[node].role == .forwarder { scheduleForwarder(node, after: number(1...500)) }
        if nodes[node].role == .streamChange { startStreamChange(node, after: 100) }
    }

    func kill(_ node: Int) {
        nodes[node].incarnation += 1
        nodes[node].isAlive = false
        while let index = nodes[node].attempts.last {
            let batch = attempts[Int(index)].batch
            endAttempt(index)
            attemptRejected(batch)
        }
    }

    // MARK: Connections

    private func connect(_ node: Int, after delay: Int64) {
        let (incarnation, connection) = (nodes[node].incarnation, nodes[node].connection)
        after(delay, on: node) { simulation in
            guard simulation.nodes[node].incarnation == incarnation, simulation.nodes[node].connection == connection,
                simulation.nodes[node].server == nil
            else { return }
            let server = simulation.nodes[node].address % simulation.servers.count
            guard simulation.isResponsive(server) else {
                simulation.nodes[node].address += 1
                return simulation.connect(node, after: simulation.servers[server].isUp ? 2_000 : 50)
            }
            simulation.nodes[node].server = server
            simulation.nodes[node].connection += 1
            simulation.restartCheck(node)
        }
    }

    /// Drops a connection and moves to the next server, unless that has already happened.
    func dropConnection(_ node: Int, _ connection: UInt64) {
        guard nodes[node].server != nil, nodes[node].connection == connection else { return }
        nodes[node].address += 1
        disconnect(node)
    }

    private func disconnect(_ node: Int) {
        nodes[node].server = nil
        for index in nodes[node].attempts where attempts[Int(index)].isInFlight {
            let reference = AttemptReference(index: index, serial: attempts[Int(index)].serial)
            queue.add(.rejected(reference, round: attempts[Int(index)].round, .connectionLost), after: 0)
        }
        connect(node, after: number(10...300))
    }

    /// Disconnects all clients of a server that is down, or has been silent for too long.
    func disconnectAll(from server: Int) {
        for node in nodes.indices where nodes[node].server == server {
            nodes[node].address += 1
            disconnect(node)
        }
    }

    // MARK: Durability checks

    /// Creates a stream's intake and watch on first use.
    func prepare(_ stream: Int, at node: Int) {
        guard nodes[node].streams[stream] == nil else { return }
        var options = IntakeOptions()
        options.waitingBatches = plan.maxHeldBatches
        var known: UInt64 = 0
        if case .ordered(let entriesRead) = nodes[node].status { known = streamOrderEnds[entriesRead - 1][stream] }
        nodes[node].streams[stream] = SimulatedNode.Stream(
            gate: StreamIntakeGate(stream: logs[stream].name, options: options, known: known)
        )
    }

    /// Starts and stops watches, so that exactly the required streams are watched.
    func watchOpenStreams(_ node: Int) {
        guard nodes[node].role == .collector else { return }
        let open = openedStreams(node).streams
        for stream in 0..<Self.order {
            let isWanted = stream == 0 || open.contains(stream)
            if isWanted { prepare(stream, at: node) }
            guard nodes[node].streams[stream] != nil else { continue }
            if case .ordered = nodes[node].status, !open.contains(stream) {
                nodes[node].streams[stream]?.gate.markReplaced()
            }
            guard nodes[node].streams[stream]?.isWatched != isWanted else { continue }
            nodes[node].streams[stream]?.isWatched = isWanted
            restartCheck(node, stream)
        }
    }

    private func restartCheck(_ node: Int) {
        for stream in 0..<Self.order where nodes[node].streams[stream]?.isWatched == true { restartCheck(node, stream) }
    }

    private func restartCheck(_ node: Int, _ stream: Int, after delay: Int64 = 1) {
        guard let number = nodes[node].streams[stream]?.checkNumber else { return }
        nodes[node].streams[stream]?.checkNumber = number + 1
        queue.add(.checkStarted(node: node, stream: stream, number: number + 1), after: delay)
    }

    func startCheck(_ node: Int, _ stream: Int, _ number: Int32) {
        guard nodes[node].isAlive, let known = nodes[node].streams[stream], known.checkNumber == number, known.isWatched
        else { return }
        var delay = transitTime * 2
        var pending = (
            result: DurabilityState.CheckResult.failed("not connected to the cluster"), last: UInt64?.none,
            knownEnd: known.gate.highest, connection: UInt64?.none
        )
        if let server = nodes[node].server {
            pending.connection = nodes[node].connection
            if let result = verdict(on: stream, from: server, by: node) {
                pending.result = .verdict(result.verdict)
                pending.last = result.isByMajority ? UInt64(result.last) : nil
            } else {
                pending.result = .failed("no server reports on the stream")
                delay = 1_000
            }
        }
        nodes[node].streams[stream]?.pending = pending
        queue.add(.checkFinished(node: node, stream: stream, number: number), after: delay)
    }

    func finishCheck(_ node: Int, _ stream: Int, _ number: Int32) {
        guard nodes[node].isAlive, nodes[node].streams[stream]?.checkNumber == number,
            let pending = nodes[node].streams[stream]?.pending
        else { return }
        if let last = pending.last {
            nodes[node].streams[stream]?.gate.updateEnd(last: last, knownEnd: pending.knownEnd)
            if let end = nodes[node].streams[stream]?.gate.highest, end > pending.knownEnd, stream > 0 {
                recordKnownEnd(end, in: stream, at: node)
            }
        }
        let shouldSwitchServer =
            nodes[node].streams[stream]?.durability.checkFinished(with: pending.result, on: pending.connection) ?? false
        let pause = nodes[node].streams[stream]?.durability.pause.wholeMilliseconds ?? 1_000
        restartCheck(node, stream, after: pause)
        if shouldSwitchServer, let connection = pending.connection { dropConnection(node, connection) }
    }

    /// Returns the verdict of the product's durability gate on a stream, based on the given server's reports.
    func verdict(
        on log: Int,
        from server: Int,
        by node: Int?
    ) -> (verdict: DurabilityGate.Verdict, last: Int, isByMajority: Bool)? {
        guard let reporting = reportingLeader(of: log, from: server) else { return nil }
        let members = logs[log].members
        func mask(_ body: (Int) -> Bool) -> Int { members.indices.reduce(0) { $0 | (body($1) ? 1 << $1 : 0) } }
        let sinceContact = members.map { _ in Duration.zero }.enumerated().map { member, _ -> Duration in
            guard member != reporting.member else { return .zero }
            if let former = reporting.former { return .milliseconds(now - former.since) }
            return logs[log].unreachableSince[member].map { .milliseconds(now - $0) } ?? .zero
        }
        let requirements = requirements(on: log, by: node)
        let key = VerdictKey(
            log: log,
            leader: reporting.member,
            isFormerLeader: reporting.former != nil,
            outOfContact: mask { sinceContact[$0] >= .seconds(2) },
            unseen: mask { reporting.former == nil && logs[log].unseen.contains($0) },
            unsynced: mask { servers[members[$0]].unsyncedSince != nil },
            reporting: mask { canReach(server, members[$0]) },
            configuration: logs[log].configuration,
            requirements: requirements.key
        )
        if let known = verdicts[key] { return (known.verdict, reporting.stored, known.isByMajority) }
        var facts = StreamFacts(name: logs[log].name)
        facts.subjects = logs[log].subjects
        facts.leader = "n\(members[reporting.member])"
        facts.replicas = members.indices.filter { $0 != reporting.member }.map {
            StreamFacts.Replica(
                name: "n\(members[$0])",
                isUnseen: key.unseen & 1 << $0 != 0,
                sinceContact: sinceContact[$0]
            )
        }
        let reports = members.filter { canReach(server, $0) }.map {
            MemberReport(name: "n\($0)", syncsAlways: servers[$0].unsyncedSince == nil)
        }
        let verdict = DurabilityGate.verdict(
            on: facts,
            reports,
            server: NATSServerInfo(name: "n\(server)"),
            requirements: requirements.requirements()
        )
        let isByMajority = facts.isReportedByMajority(after: .seconds(2))
        verdicts[key] = (verdict, isByMajority)
        return (verdict, reporting.stored, isByMajority)
    }

    private func requirements(on log: Int, by node: Int?) -> (key: Int, requirements: () -> DurabilityGate.Requirements)
    {
        guard log < Self.order, let node else {
            return (
                -1,
                {
                    var requirements = DurabilityGate.Requirements()
                    requirements.subjects = []
                    return requirements
                }
            )
        }
        switch nodes[node].status {
        case .unknown: return (0, { EngineTask.requirements(on: log, .unknown) })
        case .single: return (1, { EngineTask.requirements(on: log, .single) })
        case .ordered(let entriesRead):
            let streamOrder = streamOrders[entriesRead - 1]
            return (Int(streamOrder.opened) + 2, { EngineTask.requirements(on: log, .ordered(streamOrder)) })
        }
    }
}
