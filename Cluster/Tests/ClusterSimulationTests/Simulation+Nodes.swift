// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

@testable internal import CollectorClickHouse
@testable internal import CollectorJetStream

/// The inputs of a durability check: equal inputs give the same verdict.
struct VerdictKey: Hashable {
    var log: Int
    var teller: Int
    var isFormer: Bool
    var silent: Int
    var unheard: Int
    var lazy: Int
    var told: Int
    var configuration: Int
    var demands: Int
}

/// Processes: their starts and ends, their connections, and their durability checks.
extension Simulation {
    func start(_ node: Int) {
        nodes[node] = nodes[node].startedAnew(delay: Int(number(0...199)))
        nodes[node].address = Int(number(0...servers.count - 1))
        connect(node, after: number(1...50))
        guard nodes[node].role != .growth || growing.isAtWork else {
            nodes[node].isAlive = false
            return
        }
        watchOpenStreams(node)
        nodes[node].asked = now
        follows(node, after: number(1...100))
        if nodes[node].role == .forwarder { forwards(node, after: number(1...500)) }
        if nodes[node].role == .growth { startGrowth(node, after: 100) }
    }

    func kill(_ node: Int) {
        nodes[node].life += 1
        nodes[node].isAlive = false
        while let index = nodes[node].attempts.last {
            let batch = attempts[Int(index)].batch
            end(index)
            refused(batch)
        }
    }

    // MARK: Connections

    private func connect(_ node: Int, after delay: Int64) {
        let (life, connection) = (nodes[node].life, nodes[node].connection)
        after(delay, on: node) { simulation in
            guard simulation.nodes[node].life == life, simulation.nodes[node].connection == connection,
                simulation.nodes[node].server == nil
            else { return }
            let server = simulation.nodes[node].address % simulation.servers.count
            guard simulation.works(server) else {
                simulation.nodes[node].address += 1
                return simulation.connect(node, after: simulation.servers[server].isUp ? 2_000 : 50)
            }
            simulation.nodes[node].server = server
            simulation.nodes[node].connection += 1
            simulation.restartCheck(node)
        }
    }

    /// Leaves a connection for the next server, unless that has already happened.
    func leave(_ node: Int, _ connection: UInt64) {
        guard nodes[node].server != nil, nodes[node].connection == connection else { return }
        nodes[node].address += 1
        disconnect(node)
    }

    private func disconnect(_ node: Int) {
        nodes[node].server = nil
        for index in nodes[node].attempts where attempts[Int(index)].isInFlight {
            let reference = AttemptReference(index: index, serial: attempts[Int(index)].serial)
            queue.add(.answer(reference, round: attempts[Int(index)].round, .connectionLost), after: 0)
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
        options.waitingBatches = plan.waiting
        var known: UInt64 = 0
        if case .ordered(let taken) = nodes[node].standing { known = lineEnds[taken - 1][stream] }
        nodes[node].streams[stream] = SimulatedNode.Stream(
            gate: StreamIntakeGate(stream: logs[stream].name, options: options, known: known)
        )
    }

    /// Starts and stops watches, so that exactly the required streams are watched.
    func watchOpenStreams(_ node: Int) {
        guard nodes[node].role == .collector else { return }
        let open = open(node).streams
        for stream in 0..<Self.order {
            let isWanted = stream == 0 || open.contains(stream)
            if isWanted { prepare(stream, at: node) }
            guard nodes[node].streams[stream] != nil else { continue }
            if case .ordered = nodes[node].standing, !open.contains(stream) {
                nodes[node].streams[stream]?.gate.left()
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
        guard let number = nodes[node].streams[stream]?.look else { return }
        nodes[node].streams[stream]?.look = number + 1
        queue.add(.look(node: node, stream: stream, number: number + 1), after: delay)
    }

    func looks(_ node: Int, _ stream: Int, _ number: Int32) {
        guard nodes[node].isAlive, let known = nodes[node].streams[stream], known.look == number, known.isWatched
        else { return }
        var delay = travel * 2
        var pending = (
            look: DurabilityState.Look.failed("not connected to the cluster"), last: UInt64?.none,
            floor: known.gate.highest, connection: UInt64?.none
        )
        if let server = nodes[node].server {
            pending.connection = nodes[node].connection
            if let told = verdict(on: stream, from: server, by: node) {
                pending.look = .verdict(told.verdict)
                pending.last = told.isByMajority ? UInt64(told.last) : nil
            } else {
                pending.look = .failed("no server reports on the stream")
                delay = 1_000
            }
        }
        nodes[node].streams[stream]?.pending = pending
        queue.add(.looked(node: node, stream: stream, number: number), after: delay)
    }

    func looked(_ node: Int, _ stream: Int, _ number: Int32) {
        guard nodes[node].isAlive, nodes[node].streams[stream]?.look == number,
            let pending = nodes[node].streams[stream]?.pending
        else { return }
        if let last = pending.last {
            nodes[node].streams[stream]?.gate.told(last: last, floor: pending.floor)
            if let end = nodes[node].streams[stream]?.gate.highest, end > pending.floor, stream > 0 {
                known(end, in: stream, at: node)
            }
        }
        let isInVain =
            nodes[node].streams[stream]?.durability.looked(pending.look, on: pending.connection) ?? false
        let pause = nodes[node].streams[stream]?.durability.pause.wholeMilliseconds ?? 1_000
        restartCheck(node, stream, after: pause)
        if isInVain, let connection = pending.connection { leave(node, connection) }
    }

    /// The verdict of the product's gate on a stream, from what the given server reports.
    func verdict(
        on log: Int,
        from server: Int,
        by node: Int?
    ) -> (verdict: DurabilityGate.Verdict, last: Int, isByMajority: Bool)? {
        guard let teller = teller(of: log, from: server) else { return nil }
        let members = logs[log].members
        func mask(_ body: (Int) -> Bool) -> Int { members.indices.reduce(0) { $0 | (body($1) ? 1 << $1 : 0) } }
        let silence = members.map { _ in Duration.zero }.enumerated().map { member, _ -> Duration in
            guard member != teller.member else { return .zero }
            if let former = teller.former { return .milliseconds(now - former.since) }
            return logs[log].silentSince[member].map { .milliseconds(now - $0) } ?? .zero
        }
        let demands = demands(on: log, by: node)
        let key = VerdictKey(
            log: log,
            teller: teller.member,
            isFormer: teller.former != nil,
            silent: mask { silence[$0] >= .seconds(2) },
            unheard: mask { teller.former == nil && logs[log].unheard.contains($0) },
            lazy: mask { servers[members[$0]].lazySince != nil },
            told: mask { reaches(server, members[$0]) },
            configuration: logs[log].configuration,
            demands: demands.key
        )
        if let known = verdicts[key] { return (known.verdict, teller.stored, known.isByMajority) }
        var facts = StreamFacts(name: logs[log].name)
        facts.subjects = logs[log].subjects
        facts.leader = "n\(members[teller.member])"
        facts.replicas = members.indices.filter { $0 != teller.member }.map {
            StreamFacts.Replica(
                name: "n\(members[$0])",
                isUnheard: key.unheard & 1 << $0 != 0,
                silence: silence[$0]
            )
        }
        let reports = members.filter { reaches(server, $0) }.map {
            MemberReport(name: "n\($0)", syncsAlways: servers[$0].lazySince == nil)
        }
        let verdict = DurabilityGate.verdict(
            on: facts,
            reports,
            server: NATSServerInfo(name: "n\(server)"),
            demands: demands.demands()
        )
        let isByMajority = facts.isReportedByMajority(after: .seconds(2))
        verdicts[key] = (verdict, isByMajority)
        return (verdict, teller.stored, isByMajority)
    }

    private func demands(on log: Int, by node: Int?) -> (key: Int, demands: () -> DurabilityGate.Demands) {
        guard log < Self.order, let node else {
            return (
                -1,
                {
                    var demands = DurabilityGate.Demands()
                    demands.subjects = []
                    return demands
                }
            )
        }
        switch nodes[node].standing {
        case .unknown: return (0, { EngineTask.demands(on: log, .unknown) })
        case .single: return (1, { EngineTask.demands(on: log, .single) })
        case .ordered(let taken):
            let line = lines[taken - 1]
            return (Int(line.opened) + 2, { EngineTask.demands(on: log, .ordered(line)) })
        }
    }
}
