// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Faults, each of which is repaired after a while.
extension Simulation {
    func breaks(_ fault: SimulatedFault) {
        let server = fault.target % servers.count
        switch fault.kind {
        case .kill:
            guard servers[server].isUp else { return }
            killServer(server)
            after(fault.lasts) { $0.startServer(server) }
        case .pause:
            guard works(server) else { return }
            servers[server].isPaused = true
            reconsider()
            after(fault.lasts) { simulation in
                simulation.servers[server].isPaused = false
                simulation.restartLazyTimer(server)
                simulation.reconsider()
            }
            // Clients that receive nothing from the server eventually disconnect.
            after(20_000) { if $0.servers[server].isPaused { $0.disconnectAll(from: server) } }
        case .cut:
            // One server, or two that still reach each other.
            let all = fault.target % 3 == 0 ? [server, (server + 1) % servers.count] : [server]
            for server in all { servers[server].side = 1 }
            reconsider()
            after(fault.lasts) { simulation in
                for server in all {
                    simulation.servers[server].side = 0
                    simulation.restartLazyTimer(server)
                }
                simulation.reconsider()
            }
        case .lazy:
            guard servers[server].isUp, servers.allSatisfy({ $0.lazySince == nil }) else { return }
            killServer(server)
            after(2_000) { simulation in
                simulation.startServer(server)
                simulation.servers[server].lazySince = simulation.now
            }
            after(2_000 + fault.lasts) { simulation in
                simulation.killServer(server)
                simulation.after(1_000) { $0.startServer(server) }
            }
        case .slow:
            servers[server].disk = 40 + Int64(fault.target % 300)
            after(fault.lasts) { $0.servers[server].disk = 2 }
        case .lose:
            losesAnswers += 1
            after(fault.lasts) { $0.losesAnswers -= 1 }
        case .late:
            isLate += 1
            after(fault.lasts) { $0.isLate -= 1 }
        case .node:
            let node = fault.target % (plan.collectors + plan.forwarders)
            guard nodes[node].isAlive else { return }
            kill(node)
            after(fault.lasts) { if !$0.nodes[node].isAlive { $0.start(node) } }
        case .sleep:
            let node = fault.target % (plan.collectors + plan.forwarders)
            nodes[node].asleepUntil = now + fault.lasts
        case .tables:
            tables.isReached = false
            after(fault.lasts) { $0.tables.isReached = true }
        case .growth:
            let node = nodes.count - 1
            guard growing.isAtWork, nodes[node].isAlive else { return }
            kill(node)
            after(fault.lasts) { simulation in
                if simulation.growing.isAtWork, !simulation.nodes[node].isAlive { simulation.start(node) }
            }
        }
    }

    private func after(_ delay: Int64, _ action: @escaping (Simulation) -> Void) {
        queue.add(.other(action), after: delay)
    }

    /// Restarts the time for noticing a lazy server that was unreachable until now.
    private func restartLazyTimer(_ server: Int) {
        if servers[server].lazySince != nil { servers[server].lazySince = now }
    }

    private func killServer(_ server: Int) {
        servers[server].isUp = false
        servers[server].isPaused = false
        servers[server].lazySince = nil
        for log in logs.indices {
            if let former = logs[log].former, logs[log].members[former.member] == server { logs[log].former = nil }
        }
        disconnectAll(from: server)
        reconsider()
    }

    private func startServer(_ server: Int) {
        servers[server].isUp = true
        servers[server].isPaused = false
        reconsider()
    }
}
