// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayCore

@testable internal import CollectorJetStream

/// The servers of the cluster, and how they handle published records.
extension Simulation {
    func isResponsive(_ server: Int) -> Bool { servers[server].isUp && !servers[server].isPaused }

    func canReach(_ one: Int, _ other: Int) -> Bool {
        isResponsive(one) && isResponsive(other) && servers[one].side == servers[other].side
    }

    /// Whether a server reaches a majority of the servers, as needed to create or change streams.
    func hasMajority(_ server: Int) -> Bool {
        servers.indices.count { canReach(server, $0) } * 2 > servers.count
    }

    /// The member that leads a stream, if a server reaches it.
    func leader(of log: Int, from server: Int) -> Int? {
        guard let leader = logs[log].leader, canReach(server, logs[log].members[leader]) else { return nil }
        return leader
    }

    /// The member that a server considers the leader of a stream, and the number of stored records known to it.
    ///
    /// It may have been replaced.
    func reportingLeader(of log: Int, from server: Int) -> (
        member: Int, stored: Int, former: SimulatedLog.FormerLeader?
    )? {
        if let leader = leader(of: log, from: server) { return (leader, logs[log].stored, nil) }
        guard let former = logs[log].formerLeader, former.until > now,
            canReach(server, logs[log].members[former.member])
        else { return nil }
        return (former.member, former.stored, former)
    }

    /// The number of stored records in a copy that a server reaches; nil without one.
    func storedCount(of log: Int, from server: Int, preferredMember: Int) -> Int? {
        let members = logs[log].members
        for offset in 0..<3 {
            let member = (preferredMember + offset) % 3
            if canReach(server, members[member]) { return min(logs[log].recordCounts[member], logs[log].stored) }
        }
        return nil
    }

    /// The travel time of a message.
    var transitTime: Int64 { delayFaults > 0 ? number(20...200) : number(1...3) }

    // MARK: Consensus

    /// Updates leaders after a change of a server.
    func updateLeaders() {
        for log in logs.indices where exists[log] { updateLeader(log) }
    }

    func updateLeader(_ log: Int) {
        guard let leader = logs[log].leader else { return }
        let server = logs[log].members[leader]
        for member in 0..<3 {
            if member == leader || canReach(server, logs[log].members[member]) {
                logs[log].unreachableSince[member] = nil
                logs[log].unseen.remove(member)
            } else if logs[log].unreachableSince[member] == nil {
                logs[log].unreachableSince[member] = now
            }
        }
        guard servers[server].isUp else {
            logs[log].leader = nil
            logs[log].term += 1
            logs[log].isFlushing = false
            elect(log, after: number(4_000...9_000))
            return
        }
        let isAlone = !isResponsive(server) || logs[log].unreachableSince.count { $0 == nil } < 2
        guard isAlone else {
            logs[log].isolatedSince = nil
            return flush(log)
        }
        guard logs[log].isolatedSince == nil else { return }
        logs[log].isolatedSince = now
        let (term, since) = (logs[log].term, now)
        queue.add(
            .other { simulation in
                guard simulation.logs[log].term == term, simulation.logs[log].isolatedSince == since else { return }
                simulation.loseLeadership(log)
            },
            after: 3_000
        )
    }

    private func loseLeadership(_ log: Int) {
        guard let leader = logs[log].leader else { return }
        if servers[logs[log].members[leader]].isUp {
            logs[log].formerLeader = SimulatedLog.FormerLeader(
                member: leader,
                stored: logs[log].stored,
                since: logs[log].isolatedSince ?? now,
                until: now + 15_000
            )
        }
        logs[log].leader = nil
        logs[log].term += 1
        logs[log].isolatedSince = nil
        logs[log].isFlushing = false
        elect(log, after: number(500...6_000))
    }

    private func elect(_ log: Int, after delay: Int64) {
        let term = logs[log].term
        queue.add(
            .other { simulation in
                guard simulation.logs[log].term == term, simulation.logs[log].leader == nil else { return }
                simulation.completeElection(log)
            },
            after: delay
        )
    }

    private func completeElection(_ log: Int) {
        let members = logs[log].members
        let candidates = members.indices.filter { one in
            members.indices.contains { $0 != one && canReach(members[one], members[$0]) }
        }
        // Elect the member with the most records; any majority of three members has everything stored.
        guard let next = candidates.max(by: { (logs[log].recordCounts[$0], $1) < (logs[log].recordCounts[$1], $0) })
        else {
            return elect(log, after: number(500...3_000))
        }
        if logs[log].makeLeader(next) { recordViolation("the model lost stored records of \(logs[log].name)") }
        for member in members.indices {
            let isInContact = member == next || canReach(members[next], members[member])
            logs[log].unreachableSince[member] = isInContact ? nil : now
            if isInContact { logs[log].unseen.remove(member) } else { logs[log].unseen.insert(member) }
        }
        flush(log)
    }

    // MARK: Disks

    /// Starts writing the leader's records, unless a write is in progress.
    func flush(_ log: Int) {
        guard let leader = logs[log].leader, !logs[log].isFlushing else { return }
        let target = logs[log].records.count
        let isBehind = logs[log].recordCounts.indices.contains {
            logs[log].recordCounts[$0] < target && isInContact($0, log)
        }
        guard isBehind else { return }
        logs[log].isFlushing = true
        let others = (0..<3).filter { $0 != leader && isInContact($0, log) }
        let fastest = others.map { diskLatency($0, log) }.min() ?? 0
        let delay = max(diskLatency(leader, log), fastest) + (delayFaults > 0 ? 40 : 1)
        queue.add(.flushFinished(log: log, term: logs[log].term, target: target), after: delay)
        for member in others where diskLatency(member, log) > delay {
            let event = SimulatedEvent.slowFlushFinished(log: log, member: member, term: logs[log].term, target: target)
            queue.add(event, after: diskLatency(member, log))
        }
    }

    private func diskLatency(_ member: Int, _ log: Int) -> Int64 { servers[logs[log].members[member]].diskLatency }

    private func isInContact(_ member: Int, _ log: Int) -> Bool {
        guard let leader = logs[log].leader else { return false }
        return member == leader
            ? isResponsive(logs[log].members[leader])
            : canReach(logs[log].members[leader], logs[log].members[member])
    }

    func finishFlush(_ log: Int, _ term: Int, _ target: Int) {
        guard logs[log].term == term, let leader = logs[log].leader else { return }
        logs[log].isFlushing = false
        guard isResponsive(logs[log].members[leader]) else { return }
        let slowest = max(diskLatency(leader, log), 10)
        recordWritten(log, (0..<3).filter { isInContact($0, log) && diskLatency($0, log) <= slowest }, target)
        flush(log)
    }

    func finishSlowFlush(_ log: Int, _ member: Int, _ term: Int, _ target: Int) {
        guard logs[log].term == term, isInContact(member, log) else { return }
        recordWritten(log, [member], target)
        flush(log)
    }

    private func recordWritten(_ log: Int, _ members: [Int], _ target: Int) {
        let before = logs[log].stored
        let waiters = logs[log].recordWritten(target, by: members)
        if logs[log].stored > before {
            if log == Self.order { recordEntries(before..<logs[log].stored) }
            if log == Self.blocks { recordDecisions(before..<logs[log].stored) }
        }
        for (position, waiter) in waiters {
            switch waiter {
            case .attempt(let attempt, let round, let isLost):
                acknowledge(attempt, round, Int32(position + 1), isRepeated: false, isLost: isLost)
            case .other(let action): action(self)
            }
        }
    }

    func acknowledge(
        _ attempt: AttemptReference,
        _ round: Int32,
        _ sequence: Int32,
        isRepeated: Bool,
        isLost: Bool
    ) {
        if isLost { return }
        queue.add(.stored(attempt, round: round, sequence: sequence, isRepeated: isRepeated), after: transitTime)
    }

    // MARK: Records

    /// Handles a record's arrival at the last known leader of its stream.
    func receive(_ reference: AttemptReference, _ round: Int32) {
        guard isCurrent(reference) else { return }
        let attempt = attempts[Int(reference.index)]
        guard let server = attempt.server, isResponsive(server) else { return }
        let log = attempt.stream
        guard leader(of: log, from: server) != nil else {
            if logs[log].leader == nil, logs[log].formerLeader == nil {
                queue.add(.rejected(reference, round: round, .noLeader), after: transitTime)
            }
            return
        }
        let isLost = lossFaults > 0 && random.oneIn(3)
        let id = plan.flaw == .forgetsIDs && round > 1 ? -attempt.batch - 2 : attempt.batch
        if let position = logs[log].positions[id], now - logs[log].records[Int(position)].at < SimulatedLog.idWindow {
            if Int(position) < logs[log].stored {
                acknowledge(reference, round, position + 1, isRepeated: true, isLost: isLost)
            } else if !isLost {
                queue.add(.rejected(reference, round: round, .inProgress), after: transitTime)
            }
            return
        }
        logs[log].positions[id] = Int32(logs[log].records.count)
        logs[log].append(attempt.batch, now: now, waiter: .attempt(reference, round: round, isLost: isLost))
        if plan.flaw == .acknowledgesUnreplicated {
            let sequence = Int32(logs[log].records.count)
            acknowledge(reference, round, sequence, isRepeated: false, isLost: false)
        }
        flush(log)
    }
}
