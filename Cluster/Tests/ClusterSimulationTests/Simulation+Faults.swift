// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Faults, each of which is repaired after a while.
extension Simulation {
    func inject(_ fault: SimulatedFault) {
        let server = fault.target % servers.count
        switch fault.kind {
        case .killServer:
            guard servers[server].isUp else { return }
            killServer(server)
            after(fault.duration) { $0.startServer(server) }
        case .pauseServer:
            guard isResponsive(server) else { return }
            servers[server].isPaused = true
            updateLeaders()
            after(fault.duration) { simulation in
                simulation.servers[server].isPaused = false
                simulation.restartSyncTimer(server)
                simulation.updateLeaders()
            }
            // Clients that receive nothing from the server eventually disconnect.
            after(20_000) { if $0.servers[server].isPaused { $0.disconnectAll(from: server) } }
        case .isolateServers:
            // One server, or two that still reach each other.
            let all = fault.target % 3 == 0 ? [server, (server + 1) % servers.count] : [server]
            for server in all { servers[server].side = 1 }
            updateLeaders()
            after(fault.duration) { simulation in
                for server in all {
                    simulation.servers[server].side = 0
                    simulation.restartSyncTimer(server)
                }
                simulation.updateLeaders()
            }
        case .disableSync:
            guard servers[server].isUp, servers.allSatisfy({ $0.unsyncedSince == nil }) else { return }
            killServer(server)
            after(2_000) { simulation in
                simulation.startServer(server)
                simulation.servers[server].unsyncedSince = simulation.now
            }
            after(2_000 + fault.duration) { simulation in
                simulation.killServer(server)
                simulation.after(1_000) { $0.startServer(server) }
            }
        case .slowDisk:
            servers[server].diskLatency = 40 + Int64(fault.target % 300)
            after(fault.duration) { $0.servers[server].diskLatency = 2 }
        case .loseAnswers:
            lossFaults += 1
            after(fault.duration) { $0.lossFaults -= 1 }
        case .delayMessages:
            delayFaults += 1
            after(fault.duration) { $0.delayFaults -= 1 }
        case .killNode:
            let node = fault.target % (plan.collectors + plan.forwarders)
            guard nodes[node].isAlive else { return }
            kill(node)
            after(fault.duration) { if !$0.nodes[node].isAlive { $0.start(node) } }
        case .suspendNode:
            let node = fault.target % (plan.collectors + plan.forwarders)
            nodes[node].asleepUntil = now + fault.duration
        case .disconnectTables:
            tables.isReachable = false
            after(fault.duration) { $0.tables.isReachable = true }
        case .killStreamChange:
            let node = nodes.count - 1
            guard streamChange.isRunning, nodes[node].isAlive else { return }
            kill(node)
            after(fault.duration) { simulation in
                if simulation.streamChange.isRunning, !simulation.nodes[node].isAlive { simulation.start(node) }
            }
        }
    }

    private func after(_ delay: Int64, _ action: @escaping (Simulation) -> Void) {
        queue.add(.other(action), after: delay)
    }

    /// Restarts the detection time for a non-syncing server that was unreachable until now.
    private func restartSyncTimer(_ server: Int) {
        if servers[server].unsyncedSince != nil { servers[server].unsyncedSince = now }
    }

    private func killServer(_ server: Int) {
        servers[server].isUp = false
        servers[server].isPaused = false
        servers[server].unsyncedSince = nil
        for log in logs.indices {
            if let former = logs[log].formerLeader, logs[log].members[former.member] == server {
                logs[log].formerLeader = nil
            }
        }
        disconnectAll(from: server)
        updateLeaders()
    }

    private func startServer(_ server: Int) {
        servers[server].isUp = true
        servers[server].isPaused = false
        updateLeaders()
    }
}
