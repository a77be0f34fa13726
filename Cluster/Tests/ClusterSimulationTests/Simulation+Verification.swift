// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

@testable internal import CollectorClickHouse
@testable internal import CollectorJetStream

/// The end of a run, and the invariants that must hold then.
extension Simulation {
    /// Checks every second whether everything has settled.
    func checkSettled() {
        guard let unsettledReason else {
            isFinished = true
            return
        }
        let end = max(script.map { $0.at + $0.duration + 3_000 }.max() ?? 0, plan.streamChanges.map(\.at).max() ?? 0)
        if now > end + Self.settleTimeout + Int64(plan.maxPause * plan.batches) {
            return recordViolation("the run does not settle: \(unsettledReason)")
        }
        queue.add(.other { $0.checkSettled() }, after: 1_000)
    }

    /// The reason why the run has not settled yet; nil if it has.
    private var unsettledReason: String? {
        if unacknowledged > 0 { return "\(unacknowledged) batches are not acknowledged" }
        if streamChange.isRunning || streamChange.requestedCounts.count > 0 { return "streams are not open" }
        if now < (script.last?.at ?? 0) || now < (plan.streamChanges.last?.at ?? 0) { return "faults are pending" }
        for (index, node) in nodes.enumerated() where node.role != .streamChange {
            if !node.isAlive || node.asleepUntil > now { return "node \(index) is not running" }
            if !node.attempts.isEmpty { return "collector \(index) holds \(node.attempts.count) batches" }
            if lastReadable(index) != UInt64(orderedCount) {
                return "node \(index) has read \(lastReadable(index)) of \(orderedCount)"
            }
        }
        for stream in openStreams
        where prefixLength != nil && Int(streamOrderEnds.last?[stream] ?? 0) < logs[stream].stored {
            return "records of INTAKE_\(stream) are not in the order"
        }
        for log in logs.indices where exists[log] && logs[log].stored < logs[log].records.count {
            return "records of \(logs[log].name) are not stored"
        }
        if decisions.last.map({ Int($0.last) }) ?? 0 != orderedCount { return "blocks are not decided" }
        if tables.completed.count != decisions.count { return "blocks are not written" }
        return nil
    }

    private var openStreams: [Int] { streamOrders.last?.streams ?? [0] }

    /// Compares acknowledged batches with the order, and the order with the tables.
    func compareAll() {
        var first = Array(repeating: 0, count: acknowledgedAt.count)
        var firstTime = Array(repeating: Int64(0), count: acknowledgedAt.count)
        var firstStream = Array(repeating: 0, count: acknowledgedAt.count)
        var position = 0
        func visit(_ body: Int32, _ at: Int64, _ stream: Int) {
            position += 1
            guard body >= 0 else { return }
            let batch = Int(body)
            outcome.orderedRecords += 1
            guard first[batch] > 0 else {
                (first[batch], firstTime[batch], firstStream[batch]) = (position, at, stream)
                return
            }
            outcome.duplicates += 1
            // An id must not be stored twice, unless its partition moved to another stream or the id window had passed.
            if firstStream[batch] == stream, at - firstTime[batch] < SimulatedLog.idWindow {
                recordViolation("batch \(batch) is stored twice in INTAKE_\(stream) within \(at - firstTime[batch]) ms")
            }
        }
        for record in logs[0].records.prefix(prefixLength ?? logs[0].stored) { visit(record.body, record.at, 0) }
        // An independent reader that applies all entries from the first one.
        var streamOrder = orderEntries.first.map { StreamOrder(after: $0.first - 1) }
        for entry in orderEntries {
            do throws(OrderFault) {
                try streamOrder?.apply(entry)
            } catch {
                return recordViolation("the order cannot be read again: \(error)")
            }
            for run in entry.runs {
                for record in logs[run.stream].records[Int(run.first) - 1..<Int(run.last)] {
                    visit(record.body, record.at, run.stream)
                }
            }
        }
        if position != orderedCount {
            recordViolation("the order has \(position) records, but \(orderedCount) were read")
        }
        for batch in acknowledgedAt.indices where acknowledgedAt[batch] >= 0 {
            if first[batch] == 0 { return recordViolation("batch \(batch) was acknowledged, but is not in the order") }
            if batch % plan.batches > 0, first[batch] < first[batch - 1] {
                return recordViolation("batch \(batch) precedes the batch sent before it in the order")
            }
        }
        compareTables(with: first)
        for (index, node) in nodes.enumerated() {
            let held = node.streams.reduce(0) { $0 + ($1?.gate.heldRecords ?? 0) }
            if node.isAlive, held != 0 {
                recordViolation("collector \(index) holds \(held) batches without a waiting sender")
            }
        }
    }

    private func compareTables(with order: [Int]) {
        var written = Array(repeating: 0, count: order.count)
        for batch in tables.events.values.joined() { written[Int(batch)] += 1 }
        for batch in order.indices where written[batch] != (order[batch] > 0 ? 1 : 0) {
            return recordViolation("the events of batch \(batch) are in the tables \(written[batch]) times")
        }
        outcome.events = written.reduce(0, +)
    }
}
