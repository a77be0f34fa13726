// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

@testable internal import CollectorJetStream

/// Collectors, whose intakes run the product's state machines as `OrderedIntake` and `StreamIntake` do.
extension Simulation {
    /// The maximum time until a server that does not sync is noticed.
    ///
    /// Checks are ten seconds apart and take up to four seconds, and a report is up to two seconds old on arrival.
    private static let detectionTime: Int64 = 17_000
    private static let recordBytes = 100

    /// The streams that a node considers open, and the entry that opened them.
    func openedStreams(_ node: Int) -> (streams: [Int], opened: UInt64) {
        if case .ordered(let entriesRead) = nodes[node].status {
            (streamOrders[entriesRead - 1].streams, streamOrders[entriesRead - 1].opened)
        } else {
            ([0], 0)
        }
    }

    /// Begins an attempt, or continues it when it is due.
    func step(_ reference: AttemptReference) {
        let index = Int(reference.index)
        if let remainingChecks = attempts[index].remainingChecks {
            // Check whether other streams were opened, as `OrderedIntake` does.
            let node = attempts[index].node
            _ = read(node)
            if openedStreams(node).opened == attempts[index].opened {
                guard remainingChecks > 0 else { return reject(reference) }
                attempts[index].remainingChecks = remainingChecks - 1
                return queue.add(.attempt(reference), after: 20)
            }
            attempts[index].remainingChecks = nil
        }
        if attempts[index].isHeld { publish(reference) } else { begin(reference) }
    }

    private func begin(_ reference: AttemptReference) {
        let index = Int(reference.index)
        let node = attempts[index].node
        let (streams, opened) = openedStreams(node)
        let partition = installations[installation(of: attempts[index].batch)].partition
        let stream = streams[partition % streams.count]
        attempts[index].stream = stream
        attempts[index].opened = opened
        prepare(stream, at: node)
        if let error = nodes[node].streams[stream]?.gate.admit(bytes: Self.recordBytes) {
            return reject(reference, error)
        }
        attempts[index].isHeld = true
        attempts[index].heldRecord = HeldRecord(at: time)
        attempts[index].lowestEnd = nil
        outcome.maxHeldRecords = max(outcome.maxHeldRecords, nodes[node].streams[stream]?.gate.heldRecords ?? 0)
        if let held = nodes[node].streams[stream]?.gate.heldRecords, held > plan.maxHeldBatches {
            recordViolation(
                "collector \(node) holds \(held) batches for INTAKE_\(stream), but its limit is \(plan.maxHeldBatches)"
            )
        }
        publish(reference)
    }

    private func publish(_ reference: AttemptReference) {
        let index = Int(reference.index)
        let (node, stream) = (attempts[index].node, attempts[index].stream)
        guard let known = nodes[node].streams[stream] else { return }
        let connection = nodes[node].server == nil ? nil : nodes[node].connection
        let status = plan.flaw == .publishesUnproven ? .proven : known.durability.status(on: connection)
        attempts[index].connection = nodes[node].connection
        switch nodes[node].streams[stream]?.gate.permission(status) {
        case .reject(let error)?: fail(reference, error)
        case .wait(let reason)?: perform(attempts[index].heldRecord.publishBlocked(reason, at: time), reference)
        case .publish(let knownEnd, let isProbe)?:
            attempts[index].knownEnd = knownEnd
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
        guard let server else { return publishFinished(reference, round, PublishOutcome(.notConnected)) }
        queue.add(.answerTimedOut(reference, round: round), after: 2_000)
        guard isResponsive(server) else { return }
        let stream = attempts[index].stream
        let owner = owners[installations[installation(of: attempts[index].batch)].partition]
        if owner == stream, logs[stream].leader != nil || logs[stream].formerLeader != nil {
            // Shorter than the wait after closing streams.
            queue.add(.arrival(reference, round: round), after: delayFaults > 0 ? number(20...450) : number(1...3))
        } else if owner >= 0, owner != stream, leader(of: owner, from: server) != nil {
            queue.add(.rejected(reference, round: round, .otherStream(owner)), after: transitTime)
        } else if owner < 0 || logs[owner].leader == nil {
            queue.add(.rejected(reference, round: round, .noLeader), after: transitTime)
        }
    }

    /// Returns the outcome that the product assigns to a rejection.
    func outcome(of failure: SimulatedEvent.Rejection, for reference: AttemptReference) -> PublishOutcome {
        let stream = logs[attempts[Int(reference.index)].stream].name
        switch failure {
        case .noLeader: return .notStored("the stream \(stream) currently has no leader, or does not exist")
        case .inProgress: return .inProgress
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
    func publishFinished(_ reference: AttemptReference, _ round: Int32, _ outcome: PublishOutcome) {
        let index = Int(reference.index)
        guard attempts[index].isInFlight, attempts[index].round == round else { return }
        attempts[index].isInFlight = false
        let (node, stream) = (attempts[index].node, attempts[index].stream)
        let lowest = attempts[index].lowestEnd ?? attempts[index].knownEnd
        attempts[index].lowestEnd = lowest
        let isProbe = attempts[index].isProbe
        if let error = nodes[node].streams[stream]?.gate.publishFinished(
            with: outcome,
            knownEnd: lowest,
            isProbe: isProbe
        ) {
            return fail(reference, error)
        }
        perform(attempts[index].heldRecord.publishFinished(with: outcome, at: time), reference)
    }

    private func perform(_ step: HeldRecord.Step, _ reference: AttemptReference) {
        let index = Int(reference.index)
        let (node, stream) = (attempts[index].node, attempts[index].stream)
        switch step {
        case .stored(let sequence, _): acknowledge(reference, sequence)
        case .retry(let wait, let onOtherServer):
            if onOtherServer { dropConnection(node, attempts[index].connection) }
            queue.add(.attempt(reference), after: max(1, wait.wholeMilliseconds))
        case .giveUp(let failure):
            let error = IntakeError(failure)
            nodes[node].streams[stream]?.gate.recordRejection(error, at: time)
            fail(reference, error)
        }
    }

    /// Acknowledges a batch and checks that it is stored at that position by a majority of servers, none of which is
    /// known to run without syncing.
    private func acknowledge(_ reference: AttemptReference, _ sequence: UInt64) {
        let attempt = attempts[Int(reference.index)]
        let (node, stream, position) = (attempt.node, attempt.stream, Int(sequence) - 1)
        nodes[node].streams[stream]?.gate.release(bytes: Self.recordBytes)
        if stream > 0, let end = nodes[node].streams[stream]?.gate.highest { recordKnownEnd(end, in: stream, at: node) }
        let name =
            "batch \(attempt.batch), acknowledged by collector \(node) as record \(sequence) of INTAKE_\(stream),"
        if position >= logs[stream].records.count || logs[stream].records[position].body != attempt.batch {
            recordViolation("\(name) is missing there")
        } else if position >= logs[stream].stored || logs[stream].copies(of: position) < 2 {
            recordViolation("\(name) is not on a majority of servers")
        }
        // A server known to be down is not counted, and a collector that slept notices it with its next check.
        let unsynced = logs[stream].members.indices.filter { member in
            guard let since = servers[logs[stream].members[member]].unsyncedSince else { return false }
            return now - since > Self.detectionTime && logs[stream].recordCounts[member] > position
        }
        if logs[stream].copies(of: position) - unsynced.count < 2, nodes[node].asleepUntil + Self.detectionTime < now {
            recordViolation("\(name) is on only one server that syncs, long after another stopped syncing")
        }
        endAttempt(reference.index)
        attemptAcknowledged(attempt.batch)
    }

    private func fail(_ reference: AttemptReference, _ error: IntakeError) {
        let index = Int(reference.index)
        let (node, stream) = (attempts[index].node, attempts[index].stream)
        nodes[node].streams[stream]?.gate.release(bytes: Self.recordBytes)
        attempts[index].isHeld = false
        switch error.code {
        case .engineUnavailable, .engineNotDurable:
            if openedStreams(node).opened != attempts[index].opened { return begin(reference) }
        case .engineMisconfigured:
            attempts[index].remainingChecks = 250
            return queue.add(.attempt(reference), after: 1)
        case .stopped: recordViolation("collector \(node) stopped permanently: \(error.message)")
        default: break
        }
        reject(reference, error)
    }

    private func reject(_ reference: AttemptReference, _ error: IntakeError? = nil) {
        let batch = attempts[Int(reference.index)].batch
        endAttempt(reference.index)
        attemptRejected(batch)
    }
}
