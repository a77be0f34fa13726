// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayEvents

@testable internal import CollectorJetStream

/// The servers of the cluster, and how they handle published records.
extension Simulation {
    func works(_ server: Int) -> Bool { servers[server].isUp && !servers[server].isPaused }

    func reaches(_ one: Int, _ other: Int) -> Bool {
        works(one) && works(other) && servers[one].side == servers[other].side
    }

    /// Whether a server reaches a majority of the servers, as needed to create or change streams.
    func hasMajority(_ server: Int) -> Bool {
        servers.indices.count { reaches(server, $0) } * 2 > servers.count
    }

    /// The member that leads a stream, if a server reaches it.
    func leader(of log: Int, from server: Int) -> Int? {
        guard let leader = logs[log].leader, reaches(server, logs[log].members[leader]) else { return nil }
        return leader
    }

    /// The member that a server considers the leader of a stream, and the number of stored records known to it.
    ///
    /// It may have been replaced.
    func teller(of log: Int, from server: Int) -> (member: Int, stored: Int, former: SimulatedLog.Former?)? {
        if let leader = leader(of: log, from: server) { return (leader, logs[log].stored, nil) }
        guard let former = logs[log].former, former.until > now, reaches(server, logs[log].members[former.member])
        else { return nil }
        return (former.member, former.stored, former)
    }

    /// The number of stored records in a copy that a server reaches; nil without one.
    func copy(of log: Int, from server: Int, taste: Int) -> Int? {
        let members = logs[log].members
        for offset in 0..<3 {
            let member = (taste + offset) % 3
            if reaches(server, members[member]) { return min(logs[log].held[member], logs[log].stored) }
        }
        return nil
    }

    /// The travel time of a message.
    var travel: Int64 { isLate > 0 ? number(20...200) : number(1...3) }

    // MARK: Consensus

    /// Updates leaders after a change of a server.
    func reconsider() {
        for log in logs.indices where exists[log] { reconsider(log) }
    }

    func reconsider(_ log: Int) {
        guard let leader = logs[log].leader else { return }
        let server = logs[log].members[leader]
        for member in 0..<3 {
            if member == leader || reaches(server, logs[log].members[member]) {
                logs[log].silentSince[member] = nil
                logs[log].unheard.remove(member)
            } else if logs[log].silentSince[member] == nil {
                logs[log].silentSince[member] = now
            }
        }
        guard servers[server].isUp else {
            logs[log].leader = nil
            logs[log].term += 1
            logs[log].isFlushing = false
            elect(log, after: number(4_000...9_000))
            return
        }
        let isAlone = !works(server) || logs[log].silentSince.count { $0 == nil } < 2
        guard isAlone else {
            logs[log].aloneSince = nil
            return flush(log)
        }
        guard logs[log].aloneSince == nil else { return }
        logs[log].aloneSince = now
        let (term, since) = (logs[log].term, now)
        queue.add(
            .other { simulation in
                guard simulation.logs[log].term == term, simulation.logs[log].aloneSince == since else { return }
                simulation.loseLeadership(log)
            },
            after: 3_000
        )
    }

    private func loseLeadership(_ log: Int) {
        guard let leader = logs[log].leader else { return }
        if servers[logs[log].members[leader]].isUp {
            logs[log].former = SimulatedLog.Former(
                member: leader,
                stored: logs[log].stored,
                since: logs[log].aloneSince ?? now,
                until: now + 15_000
            )
        }
        logs[log].leader = nil
        logs[log].term += 1
        logs[log].aloneSince = nil
        logs[log].isFlushing = false
        elect(log, after: number(500...6_000))
    }

    private func elect(_ log: Int, after delay: Int64) {
        let term = logs[log].term
        queue.add(
            .other { simulation in
                guard simulation.logs[log].term == term, simulation.logs[log].leader == nil else { return }
                simulation.elects(log)
            },
            after: delay
        )
    }

    private func elects(_ log: Int) {
        let members = logs[log].members
        let candidates = members.indices.filter { one in
            members.indices.contains { $0 != one && reaches(members[one], members[$0]) }
        }
        // Elect the member with the most records; any majority of three members has everything stored.
        guard let next = candidates.max(by: { (logs[log].held[$0], $1) < (logs[log].held[$1], $0) }) else {
            return elect(log, after: number(500...3_000))
        }
        if logs[log].lead(next) { broken("the model lost stored records of \(logs[log].name)") }
        for member in members.indices {
            let isHeard = member == next || reaches(members[next], members[member])
            logs[log].silentSince[member] = isHeard ? nil : now
            if isHeard { logs[log].unheard.remove(member) } else { logs[log].unheard.insert(member) }
        }
        flush(log)
    }

    // MARK: Disks

    /// Starts writing the leader's records, unless a write is in progress.
    func flush(_ log: Int) {
        guard let leader = logs[log].leader, !logs[log].isFlushing else { return }
        let target = logs[log].records.count
        let lacking = logs[log].held.indices.contains { logs[log].held[$0] < target && isHeard($0, log) }
        guard lacking else { return }
        logs[log].isFlushing = true
        let others = (0..<3).filter { $0 != leader && isHeard($0, log) }
        let quickest = others.map { disk($0, log) }.min() ?? 0
        let delay = max(disk(leader, log), quickest) + (isLate > 0 ? 40 : 1)
        queue.add(.flush(log: log, term: logs[log].term, target: target), after: delay)
        for member in others where disk(member, log) > delay {
            let event = SimulatedEvent.slowFlush(log: log, member: member, term: logs[log].term, target: target)
            queue.add(event, after: disk(member, log))
        }
    }

    private func disk(_ member: Int, _ log: Int) -> Int64 { servers[logs[log].members[member]].disk }

    private func isHeard(_ member: Int, _ log: Int) -> Bool {
        guard let leader = logs[log].leader else { return false }
        return member == leader
            ? works(logs[log].members[leader])
            : reaches(logs[log].members[leader], logs[log].members[member])
    }

    func flushed(_ log: Int, _ term: Int, _ target: Int) {
        guard logs[log].term == term, let leader = logs[log].leader else { return }
        logs[log].isFlushing = false
        guard works(logs[log].members[leader]) else { return }
        let slowest = max(disk(leader, log), 10)
        written(log, (0..<3).filter { isHeard($0, log) && disk($0, log) <= slowest }, target)
        flush(log)
    }

    func slowlyFlushed(_ log: Int, _ member: Int, _ term: Int, _ target: Int) {
        guard logs[log].term == term, isHeard(member, log) else { return }
        written(log, [member], target)
        flush(log)
    }

    private func written(_ log: Int, _ members: [Int], _ target: Int) {
        let before = logs[log].stored
        let waiters = logs[log].written(target, by: members)
        if logs[log].stored > before {
            if log == Self.order { ordered(before..<logs[log].stored) }
            if log == Self.blocks { decided(before..<logs[log].stored) }
        }
        for (place, waiter) in waiters {
            switch waiter {
            case .attempt(let attempt, let round, let isLost):
                acknowledge(attempt, round, Int32(place + 1), isRepeated: false, isLost: isLost)
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
        queue.add(.stored(attempt, round: round, sequence: sequence, isRepeated: isRepeated), after: travel)
    }

    // MARK: Records

    /// Handles a record's arrival at the last known leader of its stream.
    func arrives(_ reference: AttemptReference, _ round: Int32) {
        guard isCurrent(reference) else { return }
        let attempt = attempts[Int(reference.index)]
        guard let server = attempt.server, works(server) else { return }
        let log = attempt.stream
        guard leader(of: log, from: server) != nil else {
            if logs[log].leader == nil, logs[log].former == nil {
                queue.add(.answer(reference, round: round, .noLeader), after: travel)
            }
            return
        }
        let isLost = losesAnswers > 0 && chance.chance(3)
        let id = plan.flaw == .forgetsIDs && round > 1 ? -attempt.batch - 2 : attempt.batch
        if let place = logs[log].places[id], now - logs[log].records[Int(place)].at < SimulatedLog.window {
            if Int(place) < logs[log].stored {
                acknowledge(reference, round, place + 1, isRepeated: true, isLost: isLost)
            } else if !isLost {
                queue.add(.answer(reference, round: round, .inProcess), after: travel)
            }
            return
        }
        logs[log].places[id] = Int32(logs[log].records.count)
        logs[log].append(attempt.batch, now: now, waiter: .attempt(reference, round: round, isLost: isLost))
        if plan.flaw == .acknowledgesAlone {
            let sequence = Int32(logs[log].records.count)
            acknowledge(reference, round, sequence, isRepeated: false, isLost: false)
        }
        flush(log)
    }
}
