// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayEvents

@testable internal import CollectorJetStream

/// The order: each follower reads entries and decides the next one, like `OrderFollower`.
extension Simulation {
    private static let page = 64

    func follows(_ node: Int, after delay: Int64) {
        nodes[node].follow += 1
        queue.add(.follow(node: node, number: nodes[node].follow), after: max(1, delay))
    }

    /// Handles that a record, and all before it in its stream, are known to be stored.
    func known(_ last: UInt64, in stream: Int, at node: Int) {
        guard last > nodes[node].known[stream] else { return }
        nodes[node].known[stream] = last
        nodes[node].heard[stream] = true
        if nodes[node].keeping.isOurs, nodes[node].isPausing { follows(node, after: 1) }
    }

    func follow(_ node: Int, _ number: Int32) {
        guard nodes[node].isAlive, nodes[node].follow == number else { return }
        nodes[node].isPausing = false
        switch nodes[node].standing {
        case .unknown: begin(node)
        case .single:
            guard nodes[node].isThere else {
                nodes[node].isThere =
                    exists[Self.order]
                    && nodes[node].server.flatMap { copy(of: Self.order, from: $0, taste: node) } != nil
                return follows(node, after: 2_000)
            }
            let isNew = read(node)
            follows(node, after: isNew == nil ? 500 : isNew == true ? 1 : 100)
        case .ordered:
            guard let isNew = read(node) else { return follows(node, after: 500) }
            if isNew { return follows(node, after: travel) }
            askForEnds(node)
            put(node)
        }
    }

    private func begin(_ node: Int) {
        guard let server = nodes[node].server else { return follows(node, after: 500) }
        let stored: Int
        if exists[Self.order] {
            guard let told = teller(of: Self.order, from: server) else { return follows(node, after: 500) }
            stored = told.stored
        } else {
            stored = 0
        }
        guard stored > 0 else {
            nodes[node].standing = .single
            watchOpenStreams(node)
            return follows(node, after: 1)
        }
        let newest = stored - (stored - 1) % Int(OrderEntry.stride)
        guard let copied = copy(of: Self.order, from: server, taste: node), copied >= newest else {
            return follows(node, after: 500)
        }
        let entry = canonical[newest - 1]
        // The state derived from this entry alone must equal the state after all entries up to it.
        if var line = StreamOrder(before: entry) {
            do throws(OrderFault) {
                try line.take(entry)
                if line != lines[newest - 1] { broken("a reader starting with entry \(newest) has a different order") }
            } catch {
                broken("a reader starting with entry \(newest) cannot apply it: \(error)")
            }
        } else {
            broken("no reader can start with entry \(newest) of the order")
        }
        nodes[node].isThere = true
        took(node, min(copied, newest + Self.page - 1))
        follows(node, after: 1)
    }

    /// Reads entries.
    ///
    /// - Returns: Whether there were new ones; nil if no server provides them.
    func read(_ node: Int) -> Bool? {
        guard let server = nodes[node].server else { return nil }
        outcome.reads += 1
        let taken: Int
        switch nodes[node].standing {
        case .unknown: return false
        case .single: taken = 0
        case .ordered(let count): taken = count
        }
        guard exists[Self.order] else { return taken == 0 ? false : nil }
        guard let copied = copy(of: Self.order, from: server, taste: node) else { return nil }
        guard copied > taken else { return false }
        nodes[node].keeping.read()
        took(node, min(copied, taken + Self.page))
        return true
    }

    /// Handles that a node has read this number of entries.
    ///
    /// Entries are the same for all nodes, so their effect is computed once.
    private func took(_ node: Int, _ count: Int) {
        var before: UInt64 = 0
        if case .ordered(let taken) = nodes[node].standing {
            guard count > taken else { return }
            before = lines[taken - 1].opened
            if lines[count - 1].end < lines[taken - 1].end { broken("the order of node \(node) became shorter") }
        }
        nodes[node].standing = .ordered(count)
        for (stream, end) in lineEnds[count - 1].enumerated() where end > nodes[node].known[stream] {
            nodes[node].known[stream] = end
        }
        if lines[count - 1].opened != before { watchOpenStreams(node) }
    }

    private func askForEnds(_ node: Int) {
        guard now - nodes[node].asked >= 1_000, let server = nodes[node].server,
            case .ordered(let taken) = nodes[node].standing
        else { return }
        nodes[node].asked = now
        for stream in lines[taken - 1].streams {
            if nodes[node].heard[stream] {
                nodes[node].heard[stream] = false
            } else if let end = copy(of: stream, from: server, taste: node) {
                known(UInt64(end), in: stream, at: node)
                nodes[node].heard[stream] = false
            }
        }
    }

    /// Adds missing records to the order, if it is time.
    private func put(_ node: Int) {
        guard case .ordered(let taken) = nodes[node].standing else { return }
        let line = lines[taken - 1]
        let isLacking = line.streams.contains { nodes[node].known[$0] > lineEnds[taken - 1][$0] }
        guard nodes[node].keeping.isDue(isLacking, at: time) else {
            nodes[node].isPausing = true
            return follows(node, after: isLacking ? 20 : 100)
        }
        let known = Dictionary(uniqueKeysWithValues: line.streams.map { ($0, nodes[node].known[$0]) })
        guard let proposal = line.proposal(known: known) else {
            return broken("no records are missing from the order")
        }
        propose(proposal, by: node) { simulation, isOurs in
            simulation.nodes[node].keeping.decided(isOurs == true)
            simulation.follows(node, after: isOurs == nil ? 500 : 1)
        }
    }

    /// Proposes an entry.
    func propose(_ entry: OrderEntry, by node: Int, _ completion: @escaping (Simulation, Bool?) -> Void) {
        guard let kept = OrderEntry(json: entry.json), kept == entry else {
            return broken("entry \(entry.number) of the order does not survive encoding and decoding")
        }
        entryPool.append(entry)
        decide(Self.order, Int(entry.number) - 1, Int32(entryPool.count - 1), by: node) { simulation, isOurs in
            // A node need not read its own decision.
            if isOurs == true, simulation.taken(node) == Int(entry.number) - 1 {
                simulation.took(node, Int(entry.number))
            }
            completion(simulation, isOurs)
        }
    }

    /// The number of entries that a node has read; nil if it started without an order.
    private func taken(_ node: Int) -> Int? {
        if case .ordered(let taken) = nodes[node].standing { taken } else { nil }
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
        let isAnswered = Mark()
        let life = nodes[node].life
        func answer(_ simulation: Simulation, _ isOurs: Bool?, after delay: Int64) {
            guard simulation.nodes[node].life == life else { return }
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
                    if simulation.logs[log].leader == nil, simulation.works(server) {
                        answer(simulation, nil, after: simulation.travel)
                    }
                    return
                }
                let isCompared = simulation.plan.flaw != .decidesTwice || log != Self.blocks
                guard simulation.logs[log].records.count == expected || !isCompared else {
                    return answer(simulation, false, after: simulation.travel)
                }
                let isLost = simulation.losesAnswers > 0 && simulation.chance.chance(3)
                simulation.logs[log].append(
                    body,
                    now: simulation.now,
                    waiter: .other { simulation in
                        if !isLost { answer(simulation, true, after: simulation.travel) }
                    }
                )
                simulation.flush(log)
            },
            after: travel
        )
    }

    /// A flag that can be set once.
    final class Mark {
        private var isSet = false

        /// Returns whether it was not set before.
        func set() -> Bool {
            defer { isSet = true }
            return !isSet
        }
    }

    // MARK: Decisions

    /// Handles stored entries, which all followers read from now on.
    func ordered(_ places: Range<Int>) {
        for place in places {
            let entry = entryPool[Int(logs[Self.order].records[place].body)]
            var line = lines.last ?? StreamOrder(behind: entry.first - 1)
            do throws(OrderFault) {
                try line.take(entry)
            } catch {
                return broken("an order entry was decided that does not follow the previous one: \(error)")
            }
            if lines.isEmpty {
                prefix = Int(entry.first) - 1
                guard Int(entry.first) - 1 == logs[0].stored else {
                    return broken(
                        "the order starts after record \(entry.first - 1) of INTAKE_0, which has \(logs[0].stored)"
                    )
                }
            }
            if case .opened = entry.content { compareClosed(lines.last, entry) }
            for run in entry.runs {
                guard Int(run.last) <= logs[run.stream].stored else {
                    return broken(
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
            canonical.append(entry)
            lines.append(line)
            var ends = Array(repeating: UInt64(0), count: Self.order)
            for (stream, end) in line.ends { ends[stream] = end }
            lineEnds.append(ends)
        }
    }

    /// Checks that no record of the previous streams is missing when other streams are opened.
    private func compareClosed(_ line: StreamOrder?, _ entry: OrderEntry) {
        for (stream, end) in (line?.ends ?? [:]).sorted(by: { $0.key < $1.key }) where Int(end) < logs[stream].stored {
            broken(
                """
                entry \(entry.number) opens other streams, but only \(end) of \(logs[stream].stored) records of \
                INTAKE_\(stream) are in the order
                """
            )
        }
    }

    /// The number of records in the order.
    var orderedCount: Int { prefix.map { $0 + orderedBodies.count } ?? logs[0].stored }

    /// Returns a record of the order, counted from 1.
    func orderedRecord(_ sequence: UInt64) -> (body: Int32, at: Int64) {
        let place = Int(sequence) - 1
        guard let prefix, place >= prefix else { return (logs[0].records[place].body, logs[0].records[place].at) }
        return (orderedBodies[place - prefix], orderedTimes[place - prefix])
    }

    /// The sequence, in the order, of the last record that a node can read.
    func readable(_ node: Int) -> UInt64 {
        switch nodes[node].standing {
        case .ordered(let taken): return lines[taken - 1].end - 1
        case .unknown: return 0
        case .single:
            // An order would start where the first stream ends.
            guard let server = nodes[node].server, let end = copy(of: 0, from: server, taste: node) else { return 0 }
            return UInt64(end)
        }
    }
}
