// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayCore

@testable internal import CollectorJetStream

/// The order: each follower reads entries and decides the next one, as `OrderFollower` does.
extension Simulation {
    private static let pageSize = 64

    func scheduleRead(_ node: Int, after delay: Int64) {
        nodes[node].readNumber += 1
        queue.add(.readOrder(node: node, number: nodes[node].readNumber), after: max(1, delay))
    }

    /// Notes that a record and all records before it in its stream are known to be stored.
    func recordKnownEnd(_ last: UInt64, in stream: Int, at node: Int) {
        guard last > nodes[node].knownEnds[stream] else { return }
        nodes[node].knownEnds[stream] = last
        nodes[node].hasFreshEnd[stream] = true
        if nodes[node].coordinator.isOurs, nodes[node].isWaiting { scheduleRead(node, after: 1) }
    }

    func readOrder(_ node: Int, _ number: Int32) {
        guard nodes[node].isAlive, nodes[node].readNumber == number else { return }
        nodes[node].isWaiting = false
        switch nodes[node].status {
        case .unknown: beginReading(node)
        case .single:
            guard nodes[node].orderExists else {
                nodes[node].orderExists =
                    exists[Self.order]
                    && nodes[node].server.flatMap { storedCount(of: Self.order, from: $0, preferredMember: node) }
                        != nil
                return scheduleRead(node, after: 2_000)
            }
            let isNew = read(node)
            scheduleRead(node, after: isNew == nil ? 500 : isNew == true ? 1 : 100)
        case .ordered:
            guard let isNew = read(node) else { return scheduleRead(node, after: 500) }
            if isNew { return scheduleRead(node, after: transitTime) }
            requestEnds(node)
            proposeEntry(node)
        }
    }

    private func beginReading(_ node: Int) {
        guard let server = nodes[node].server else { return scheduleRead(node, after: 500) }
        let stored: Int
        if exists[Self.order] {
            guard let reporting = reportingLeader(of: Self.order, from: server) else {
                return scheduleRead(node, after: 500)
            }
            stored = reporting.stored
        } else {
            stored = 0
        }
        guard stored > 0 else {
            nodes[node].status = .single
            watchOpenStreams(node)
            return scheduleRead(node, after: 1)
        }
        let newest = stored - (stored - 1) % Int(OrderEntry.stride)
        guard let copyEnd = storedCount(of: Self.order, from: server, preferredMember: node), copyEnd >= newest else {
            return scheduleRead(node, after: 500)
        }
        let entry = orderEntries[newest - 1]
        // The state derived from this entry alone must equal the state after all entries up to it.
        if var streamOrder = StreamOrder(before: entry) {
            do throws(OrderFault) {
                try streamOrder.apply(entry)
                if streamOrder != streamOrders[newest - 1] {
                    recordViolation("a reader starting with entry \(newest) has a different order")
                }
            } catch {
                recordViolation("a reader starting with entry \(newest) cannot apply it: \(error)")
            }
        } else {
            recordViolation("no reader can start with entry \(newest) of the order")
        }
        nodes[node].orderExists = true
        recordRead(node, min(copyEnd, newest + Self.pageSize - 1))
        scheduleRead(node, after: 1)
    }

    /// Reads entries.
    ///
    /// - Returns: Whether there were new ones; nil if no server provides them.
    func read(_ node: Int) -> Bool? {
        guard let server = nodes[node].server else { return nil }
        outcome.reads += 1
        let entriesRead: Int
        switch nodes[node].status {
        case .unknown: return false
        case .single: entriesRead = 0
        case .ordered(let count): entriesRead = count
        }
        guard exists[Self.order] else { return entriesRead == 0 ? false : nil }
        guard let copyEnd = storedCount(of: Self.order, from: server, preferredMember: node) else { return nil }
        guard copyEnd > entriesRead else { return false }
        nodes[node].coordinator.entryRead()
        recordRead(node, min(copyEnd, entriesRead + Self.pageSize))
        return true
    }

    /// Notes that a node has read this number of entries.
    ///
    /// Entries are the same for all nodes, so their effect is computed once.
    private func recordRead(_ node: Int, _ count: Int) {
        var before: UInt64 = 0
        if case .ordered(let entriesRead) = nodes[node].status {
            guard count > entriesRead else { return }
            before = streamOrders[entriesRead - 1].opened
            if streamOrders[count - 1].end < streamOrders[entriesRead - 1].end {
                recordViolation("the order of node \(node) became shorter")
            }
        }
        nodes[node].status = .ordered(count)
        for (stream, end) in streamOrderEnds[count - 1].enumerated() where end > nodes[node].knownEnds[stream] {
            nodes[node].knownEnds[stream] = end
        }
        if streamOrders[count - 1].opened != before { watchOpenStreams(node) }
    }

    private func requestEnds(_ node: Int) {
        guard now - nodes[node].lastEndRequest >= 1_000, let server = nodes[node].server,
            case .ordered(let entriesRead) = nodes[node].status
        else { return }
        nodes[node].lastEndRequest = now
        for stream in streamOrders[entriesRead - 1].streams {
            if nodes[node].hasFreshEnd[stream] {
                nodes[node].hasFreshEnd[stream] = false
            } else if let end = storedCount(of: stream, from: server, preferredMember: node) {
                recordKnownEnd(UInt64(end), in: stream, at: node)
                nodes[node].hasFreshEnd[stream] = false
            }
        }
    }

    /// Adds missing records to the order, if it is time.
    private func proposeEntry(_ node: Int) {
        guard case .ordered(let entriesRead) = nodes[node].status else { return }
        let streamOrder = streamOrders[entriesRead - 1]
        let hasMissingRecords = streamOrder.streams.contains {
            nodes[node].knownEnds[$0] > streamOrderEnds[entriesRead - 1][$0]
        }
        guard nodes[node].coordinator.isDue(hasMissingRecords, at: time) else {
            nodes[node].isWaiting = true
            return scheduleRead(node, after: hasMissingRecords ? 20 : 100)
        }
        let known = Dictionary(uniqueKeysWithValues: streamOrder.streams.map { ($0, nodes[node].knownEnds[$0]) })
        guard let proposal = streamOrder.proposal(known: known) else {
            return recordViolation("no records are missing from the order")
        }
        propose(proposal, by: node) { simulation, isOurs in
            simulation.nodes[node].coordinator.entryDecided(isOurs: isOurs == true)
            simulation.scheduleRead(node, after: isOurs == nil ? 500 : 1)
        }
    }

    /// Proposes an entry.
    func propose(_ entry: OrderEntry, by node: Int, _ completion: @escaping (Simulation, Bool?) -> Void) {
        guard let decoded = OrderEntry(json: entry.json), decoded == entry else {
            return recordViolation("entry \(entry.number) of the order does not survive encoding and decoding")
        }
        entryPool.append(entry)
        decide(Self.order, Int(entry.number) - 1, Int32(entryPool.count - 1), by: node) { simulation, isOurs in
            // A node need not read its own decision.
            if isOurs == true, simulation.entriesRead(node) == Int(entry.number) - 1 {
                simulation.recordRead(node, Int(entry.number))
            }
            completion(simulation, isOurs)
        }
    }

    /// The number of entries that a node has read; nil if it started without an order.
    private func entriesRead(_ node: Int) -> Int? {
        if case .ordered(let entriesRead) = nodes[node].status { entriesRead } else { nil }
    }

    /// Publishes a decision after `expected` earlier ones.
    ///
    /// The completion receives whether it was accepted; nil if that is unknown.
    func decide(
        _ log: Int,
        _ expected: Int,
        _ body: Int32,
        by node: Int,
        _ completion: @escaping (Simulation, Bool?) -> Void
    ) {
        let isAnswered = OneTimeFlag()
        let incarnation = nodes[node].incarnation
        func answer(_ simulation: Simulation, _ isOurs: Bool?, after delay: Int64) {
            guard simulation.nodes[node].incarnation == incarnation else { return }
            simulation.after(delay, on: node) { simulation in
                if isAnswered.set() { completion(simulation, isOurs) }
            }
        }
        answer(self, nil, after: 5_000)
        guard let server = nodes[node].server else { return answer(self, nil, after: 1) }
        queue.add(
            .other { simulation in
                guard simulation.exists[log], simulation.leader(of: log, from: server) != nil else {
                    // Without a leader, a server reports that immediately.
                    if simulation.logs[log].leader == nil, simulation.isResponsive(server) {
                        answer(simulation, nil, after: simulation.transitTime)
                    }
                    return
                }
                let isChecked = simulation.plan.flaw != .skipsDecisionCheck || log != Self.blocks
                guard simulation.logs[log].records.count == expected || !isChecked else {
                    return answer(simulation, false, after: simulation.transitTime)
                }
                let isLost = simulation.lossFaults > 0 && simulation.random.oneIn(3)
                simulation.logs[log].append(
                    body,
                    now: simulation.now,
                    waiter: .other { simulation in
                        if !isLost { answer(simulation, true, after: simulation.transitTime) }
                    }
                )
                simulation.flush(log)
            },
            after: transitTime
        )
    }

    /// A flag that can be set once.
    final class OneTimeFlag {
        private var isSet = false

        /// Returns whether it was not set before.
        func set() -> Bool {
            defer { isSet = true }
            return !isSet
        }
    }

    // MARK: Decisions

    /// Handles stored entries, which all followers read from now on.
    func recordEntries(_ positions: Range<Int>) {
        for position in positions {
            let entry = entryPool[Int(logs[Self.order].records[position].body)]
            var streamOrder = streamOrders.last ?? StreamOrder(after: entry.first - 1)
            do throws(OrderFault) {
                try streamOrder.apply(entry)
            } catch {
                return recordViolation("an order entry was decided that does not follow the previous one: \(error)")
            }
            if streamOrders.isEmpty {
                prefixLength = Int(entry.first) - 1
                guard Int(entry.first) - 1 == logs[0].stored else {
                    return recordViolation(
                        "the order starts after record \(entry.first - 1) of INTAKE_0, which has \(logs[0].stored)"
                    )
                }
            }
            if case .opened = entry.content { compareClosed(streamOrders.last, entry) }
            for run in entry.runs {
                guard Int(run.last) <= logs[run.stream].stored else {
                    return recordViolation(
                        """
                        entry \(entry.number) of the order has record \(run.last) of INTAKE_\(run.stream), which has \
                        \(logs[run.stream].stored)
                        """
                    )
                }
                for record in logs[run.stream].records[Int(run.first) - 1..<Int(run.last)] {
                    orderedBodies.append(record.body)
                    orderedTimes.append(record.at)
                }
            }
            orderEntries.append(entry)
            streamOrders.append(streamOrder)
            var ends = Array(repeating: UInt64(0), count: Self.order)
            for (stream, end) in streamOrder.ends { ends[stream] = end }
            streamOrderEnds.append(ends)
        }
    }

    /// Checks that no record of the previous streams is missing when other streams are opened.
    private func compareClosed(_ streamOrder: StreamOrder?, _ entry: OrderEntry) {
        for (stream, end) in (streamOrder?.ends ?? [:]).sorted(by: { $0.key < $1.key })
        where Int(end) < logs[stream].stored {
            recordViolation(
                """
                entry \(entry.number) opens other streams, but only \(end) of \(logs[stream].stored) records of \
                INTAKE_\(stream) are in the order
                """
            )
        }
    }

    /// The number of records in the order.
    var orderedCount: Int { prefixLength.map { $0 + orderedBodies.count } ?? logs[0].stored }

    /// Returns a record of the order, counted from 1.
    func orderedRecord(_ sequence: UInt64) -> (body: Int32, at: Int64) {
        let position = Int(sequence) - 1
        guard let prefixLength, position >= prefixLength else {
            return (logs[0].records[position].body, logs[0].records[position].at)
        }
        return (orderedBodies[position - prefixLength], orderedTimes[position - prefixLength])
    }

    /// The sequence, in the order, of the last record that a node can read.
    func lastReadable(_ node: Int) -> UInt64 {
        switch nodes[node].status {
        case .ordered(let entriesRead): return streamOrders[entriesRead - 1].end - 1
        case .unknown: return 0
        case .single:
            // An order would start where the first stream ends.
            guard let server = nodes[node].server, let end = storedCount(of: 0, from: server, preferredMember: node)
            else { return 0 }
            return UInt64(end)
        }
    }
}
