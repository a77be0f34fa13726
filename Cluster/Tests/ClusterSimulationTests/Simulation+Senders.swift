// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import TrackwayCore

@testable internal import CollectorJetStream

/// Installations, which send each batch repeatedly until it is acknowledged.
extension Simulation {
    /// The time, in milliseconds, after which a sender stops waiting and tries another collector.
    private static let maxWait: Int64 = 15_000

    func beginSending() {
        for number in 0..<plan.installations {
            let id = InstallationID(high: 7 &+ plan.seed, low: UInt64(number))
            installations.append(SimulatedInstallation(partition: StreamNames.partition(of: id)))
            scheduleSend(Int32(number), after: self.number(0...plan.maxPause))
        }
    }

    private func scheduleSend(_ installation: Int32, after delay: Int64) {
        installations[Int(installation)].due = now + delay
        queue.add(.send(installation: installation), after: delay)
    }

    /// The installation of a batch.
    func installation(of batch: Int32) -> Int { Int(batch) / plan.batches }

    func send(_ installation: Int32) {
        let index = Int(installation)
        guard installations[index].due == now, installations[index].next < plan.batches else { return }
        installations[index].due = -1
        installations[index].round += 1
        installations[index].outstanding = 0
        let batch = Int32(index * plan.batches + installations[index].next)
        offer(batch, installation)
        // A sender that stopped waiting tries another collector while the first is still busy.
        if random.oneIn(40) { offer(batch, installation) }
        if installations[index].outstanding == 0 { return scheduleSend(installation, after: number(200...1_000)) }
        queue.add(
            .sendTimedOut(installation: installation, round: installations[index].round),
            after: Self.maxWait
        )
    }

    private func offer(_ batch: Int32, _ installation: Int32) {
        let node = Int(number(0...plan.collectors - 1))
        guard nodes[node].isAlive else { return }
        outcome.attempts += 1
        installations[Int(installation)].outstanding += 1
        let reference = makeAttempt(of: batch, at: node)
        queue.add(.attempt(reference), after: number(1...3))
    }

    func handleSendTimeout(_ installation: Int32, _ round: Int32) {
        guard installations[Int(installation)].round == round, installations[Int(installation)].due < 0 else { return }
        scheduleSend(installation, after: number(0...500))
    }

    /// Handles the rejection of a batch, or the death of its collector.
    func attemptRejected(_ batch: Int32) {
        let index = installation(of: batch)
        guard Int(batch) % plan.batches == installations[index].next, installations[index].due < 0 else { return }
        installations[index].outstanding -= 1
        if installations[index].outstanding <= 0 { scheduleSend(Int32(index), after: number(200...2_000)) }
    }

    /// Handles the acknowledgment of a batch.
    func attemptAcknowledged(_ batch: Int32) {
        let index = installation(of: batch)
        if acknowledgedAt[Int(batch)] < 0 {
            acknowledgedAt[Int(batch)] = now
            outcome.acknowledged += 1
            unacknowledged -= 1
        }
        guard Int(batch) % plan.batches == installations[index].next else { return }
        installations[index].next += 1
        installations[index].round += 1
        if installations[index].next < plan.batches { scheduleSend(Int32(index), after: number(1...plan.maxPause)) }
    }

    // MARK: Attempts

    private func makeAttempt(of batch: Int32, at node: Int) -> AttemptReference {
        let index: Int32
        if let known = freeAttempts.popLast() {
            index = known
        } else {
            index = Int32(attempts.count)
            attempts.append(SimulatedAttempt())
        }
        let serial = attempts[Int(index)].serial + 1
        var attempt = SimulatedAttempt()
        attempt.serial = serial
        attempt.isUsed = true
        attempt.node = node
        attempt.batch = batch
        attempt.slot = nodes[node].attempts.count
        attempts[Int(index)] = attempt
        nodes[node].attempts.append(index)
        return AttemptReference(index: index, serial: serial)
    }

    func isCurrent(_ reference: AttemptReference) -> Bool {
        attempts[Int(reference.index)].isUsed && attempts[Int(reference.index)].serial == reference.serial
    }

    /// Ends a call.
    func endAttempt(_ index: Int32) {
        let (node, slot) = (attempts[Int(index)].node, attempts[Int(index)].slot)
        attempts[Int(index)].isUsed = false
        freeAttempts.append(index)
        let last = nodes[node].attempts.removeLast()
        guard last != index else { return }
        nodes[node].attempts[slot] = last
        attempts[Int(last)].slot = slot
    }
}
