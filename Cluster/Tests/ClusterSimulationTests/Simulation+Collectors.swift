// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

@testable internal import CollectorJetStream

/// Collectors: their intakes follow the product's values, like `OrderedIntake` and `StreamIntake`.
extension Simulation {
    /// The time until a lazy server must have been noticed.
    ///
    /// Checks are ten seconds apart and take up to four, and a report is up to two seconds old on arrival.
    private static let unnoticed: Int64 = 17_000
    private static let recordBytes = 100

    /// The streams that a node considers open, and the entry that opened them.
    func open(_ node: Int) -> (streams: [Int], opened: UInt64) {
        if case .ordered(let taken) = nodes[node].standing {
            (lines[taken - 1].streams, lines[taken - 1].opened)
        } else {
            ([0], 0)
        }
    }

    /// Begins an attempt, or continues it when it is due.
    func step(_ reference: AttemptReference) {
        let index = Int(reference.index)
        if let looks = attempts[index].looks {
            // Check whether other streams were opened, like `OrderedIntake`.
            let node = attempts[index].node
            _ = read(node)
            if open(node).opened == attempts[index].opened {
                guard looks > 0 else { return refuse(reference) }
                attempts[index].looks = looks - 1
                return queue.add(.attempt(reference), after: 20)
            }
            attempts[index].looks = nil
        }
        if attempts[index].isHeld { publish(reference) } else { begin(reference) }
    }

    private func begin(_ reference: AttemptReference) {
        let index = Int(reference.index)
        let node = attempts[index].node
        let (streams, opened) = open(node)
        let partition = installations[installation(of: attempts[index].batch)].partition
        let stream = streams[partition % streams.count]
        attempts[index].stream = stream
        attempts[index].opened = opened
        prepare(stream, at: node)
        if let error = nodes[node].streams[stream]?.gate.offered(bytes: Self.recordBytes) {
            return refuse(reference, error)
        }
        attempts[index].isHeld = true
        attempts[index].held = HeldRecord(at: time)
        attempts[index].first = nil
        outcome.held = max(outcome.held, nodes[node].streams[stream]?.gate.heldRecords ?? 0)
        if let held = nodes[node].streams[stream]?.gate.heldRecords, held > plan.waiting {
            broken("collector \(node) holds \(held) batches for INTAKE_\(stream), but its limit is \(plan.waiting)")
        }
        publish(reference)
    }

    private func publish(_ reference: AttemptReference) {
        let index = Int(reference.index)
        let (node, stream) = (attempts[index].node, attempts[index].stream)
        guard let known = nodes[node].streams[stream] else { return }
        let connection = nodes[node].server == nil ? nil : nodes[node].connection
        let standing = plan.flaw == .believesUnproven ? .proven : known.durability.standing(on: connection)
        attempts[index].connection = nodes[node].connection
        switch nodes[node].streams[stream]?.gate.permission(standing) {
        case .refuse(let error)?: fail(reference, error)
        case .wait(let reason)?: take(attempts[index].held.publishBlocked(reason, at: time), reference)
        case .publish(let floor, let isProbe)?:
            attempts[index].floor = floor
            attempts[index].isProbe = isProbe
            attempts[index].round += 1
            attempts[index].isInFlight = true
            send(reference, from: nodes[node].server)
        case nil: break
        }
    }

    private func send(_ reference: AttemptReference, from server: Int?) {
        let index = Int(reference.index)
        let round = attempts[index].round
        attempts[index].server = server
        guard let server else { return answered(reference, round, PublishOutcome(.notConnected)) }
        queue.add(.unanswered(reference, round: round), after: 2_000)
        guard works(server) else { return }
        let stream = attempts[index].stream
        let owner = owner[installations[installation(of: attempts[index].batch)].partition]
        if owner == stream, logs[stream].leader != nil || logs[stream].former != nil {
            // Shorter than the wait after closing streams.
            queue.add(.arrival(reference, round: round), after: isLate > 0 ? number(20...450) : number(1...3))
        } else if owner >= 0, owner != stream, leader(of: owner, from: server) != nil {
            queue.add(.answer(reference, round: round, .otherStream(owner)), after: travel)
        } else if owner < 0 || logs[owner].leader == nil {
            queue.add(.answer(reference, round: round, .noLeader), after: travel)
        }
    }

    /// Returns the outcome of a rejection, as the product maps it.
    func outcome(of refusal: SimulatedEvent.Refusal, for reference: AttemptReference) -> PublishOutcome {
        let stream = logs[attempts[Int(reference.index)].stream].name
        switch refusal {
        case .noLeader: return .notStored("the stream \(stream) currently has no leader, or does not exist")
        case .inProcess: return .inProcess
        case .otherStream:
            let body = #"{"error":{"code":400,"err_code":10060,"description":"expected stream does not match"}}"#
            return PublishOutcome(
                NATSMessage(subject: "a", subscription: 1, body: Array(body.utf8)),
                stream: stream
            )
        case .connectionLost: return PublishOutcome(.connectionLost(connection: 1))
        }
    }

    /// Handles the answer to a published record.
    func answered(_ reference: AttemptReference, _ round: Int32, _ outcome: PublishOutcome) {
        let index = Int(reference.index)
        guard attempts[index].isInFlight, attempts[index].round == round else { return }
        attempts[index].isInFlight = false
        let (node, stream) = (attempts[index].node, attempts[index].stream)
        let lowest = attempts[index].first ?? attempts[index].floor
        attempts[index].first = lowest
        let isProbe = attempts[index].isProbe
        if let error = nodes[node].streams[stream]?.gate.published(outcome, floor: lowest, isProbe: isProbe) {
            return fail(reference, error)
        }
        take(attempts[index].held.published(outcome, at: time), reference)
    }

    private func take(_ step: HeldRecord.Step, _ reference: AttemptReference) {
        let index = Int(reference.index)
        let (node, stream) = (attempts[index].node, attempts[index].stream)
        switch step {
        case .stored(let sequence, _): acknowledge(reference, sequence)
        case .again(let wait, let elsewhere):
            if elsewhere { leave(node, attempts[index].connection) }
            queue.add(.attempt(reference), after: max(1, wait.wholeMilliseconds))
        case .refuse(let refusal):
            let error = IntakeError(refusal)
            nodes[node].streams[stream]?.gate.refused(error, at: time)
            fail(reference, error)
        }
    }

    /// Acknowledges a batch, and checks that it is stored at that position by a majority not known to be lazy.
    private func acknowledge(_ reference: AttemptReference, _ sequence: UInt64) {
        let attempt = attempts[Int(reference.index)]
        let (node, stream, place) = (attempt.node, attempt.stream, Int(sequence) - 1)
        nodes[node].streams[stream]?.gate.released(bytes: Self.recordBytes)
        if stream > 0, let end = nodes[node].streams[stream]?.gate.highest { known(end, in: stream, at: node) }
        let name =
            "batch \(attempt.batch), acknowledged by collector \(node) as record \(sequence) of INTAKE_\(stream),"
        if place >= logs[stream].records.count || logs[stream].records[place].body != attempt.batch {
            broken("\(name) is missing there")
        } else if place >= logs[stream].stored || logs[stream].copies(of: place) < 2 {
            broken("\(name) is not on a majority of servers")
        }
        // A server known to be down is not counted, and a collector that slept notices it with its next check.
        let lazy = logs[stream].members.indices.filter { member in
            guard let since = servers[logs[stream].members[member]].lazySince else { return false }
            return now - since > Self.unnoticed && logs[stream].held[member] > place
        }
        if logs[stream].copies(of: place) - lazy.count < 2, nodes[node].asleepUntil + Self.unnoticed < now {
            broken("\(name) is on only one server that syncs, long after another stopped syncing")
        }
        end(reference.index)
        acknowledged(attempt.batch)
    }

    private func fail(_ reference: AttemptReference, _ error: IntakeError) {
        let index = Int(reference.index)
        let (node, stream) = (attempts[index].node, attempts[index].stream)
        nodes[node].streams[stream]?.gate.released(bytes: Self.recordBytes)
        attempts[index].isHeld = false
        switch error.code {
        case .engineUnavailable, .engineNotDurable:
            if open(node).opened != attempts[index].opened { return begin(reference) }
        case .engineMisconfigured:
            attempts[index].looks = 250
            return queue.add(.attempt(reference), after: 1)
        case .stopped: broken("collector \(node) stopped permanently: \(error.message)")
        default: break
        }
        refuse(reference, error)
    }

    private func refuse(_ reference: AttemptReference, _ error: IntakeError? = nil) {
        let batch = attempts[Int(reference.index)].batch
        end(reference.index)
        refused(batch)
    }
}
