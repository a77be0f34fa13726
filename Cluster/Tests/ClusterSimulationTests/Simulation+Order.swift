// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayEvents

@testable internal import CollectorJetStream

/// The order: whoever follows it reads entries, and decides the next one, as `OrderFollower` does.
extension Simulation {
    private static let page = 64

    func follows(_ node: Int, after delay: Int64) {
        nodes[node].follow += 1
        queue.add(.follow(node: node, number: nodes[node].follow), after: max(1, delay))
    }

    /// A record is known to be stored, and all before it in its stream.
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
        // What it makes of the entry alone is what everybody has made of all before it.
        if var line = OrderLine(before: entry) {
            do throws(OrderFault) {
                try line.take(entry)
                if line != lines[newest - 1] { broken("who begins with entry \(newest) has another order") }
            } catch {
                broken("who begins with entry \(newest) cannot take it: \(error)")
            }
        } else {
            broken("nobody can begin with entry \(newest) of the order")
        }
        nodes[node].isThere = true
        took(node, min(copied, newest + Self.page - 1))
        follows(node, after: 1)
    }

    /// Reads entries.
    ///
    /// - Returns: Whether there were new ones; nil when nobody hands them out.
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

    /// A node has taken so many entries. They are the same for everybody, so what comes of them is computed once.
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

    /// Puts into the order what is missing there, if it is time.
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
            return broken("there is nothing to put into the order")
        }
        propose(proposal, by: node) { simulation, isOurs in
            simulation.nodes[node].keeping.decided(isOurs == true)
            simulation.follows(node, after: isOurs == nil ? 500 : 1)
        }
    }

    /// Decides an entry.
    func propose(_ entry: OrderEntry, by node: Int, _ completion: @escaping (Simulation, Bool?) -> Void) {
        guard let kept = OrderEntry(json: entry.json), kept == entry else {
            return broken("entry \(entry.number) of the order cannot be read as it was written")
        }
        entryPool.append(entry)
        decide(Self.order, Int(entry.number) - 1, Int32(entryPool.count - 1), by: node) { simulation, isOurs in
            // What it has decided itself it has not to read.
            if isOurs == true, simulation.taken(node) == Int(entry.number) - 1 {
                simulation.took(node, Int(entry.number))
            }
            completion(simulation, isOurs)
        }
    }

    /// So many entries a node has taken; nil where it has begun without an order.
    private func taken(_ node: Int) -> Int? {
        if case .ordered(let taken) = nodes[node].standing { taken } else { nil }
    }

    /// Publishes a decision behind so many others, and waits for its answer: whether it was decided so, or nil.
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
                    // Where nobody leads that is said at once.
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

    /// Something that is done once.
    final class Mark {
        private var isSet = false

        /// - Returns: Whether it was not done before.
        func set() -> Bool {
            defer { isSet = true }
            return !isSet
        }
    }

    // MARK: What is decided

    /// Entries are stored: from now on they are what everybody reads.
    func ordered(_ places: Range<Int>) {
        for place in places {
            let entry = entryPool[Int(logs[Self.order].records[place].body)]
            var line = lines.last ?? OrderLine(behind: entry.first - 1)
            do throws(OrderFault) {
                try line.take(entry)
            } catch {
                return broken("an entry of the order was decided that does not follow: \(error)")
            }
            if lines.isEmpty {
                prefix = Int(entry.first) - 1
                guard Int(entry.first) - 1 == logs[0].stored else {
                    return broken(
                        "the order begins behind record \(entry.first - 1) of INTAKE_0, which has \(logs[0].stored)"
                    )
                }
            }
            if case .opened = entry.content { compareClosed(lines.last, entry) }
            for run in entry.runs {
                guard Int(run.last) <= logs[run.stream].stored else {
                    return broken(
                        "entry \(entry.number) of the order has record \(run.last) of INTAKE_\(run.stream), where \(logs[run.stream].stored) are stored"
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

    /// When other streams are opened nothing of those before them is missing.
    private func compareClosed(_ line: OrderLine?, _ entry: OrderEntry) {
        for (stream, end) in (line?.ends ?? [:]).sorted(by: { $0.key < $1.key }) where Int(end) < logs[stream].stored {
            broken(
                "entry \(entry.number) opens other streams, and INTAKE_\(stream) has \(logs[stream].stored) records, of which \(end) are in the order"
            )
        }
    }

    /// So many records are in the order.
    var orderedCount: Int { prefix.map { $0 + orderedBodies.count } ?? logs[0].stored }

    /// A record of the order, counted from 1.
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
            // Once there is an order it ends where the first stream does.
            guard let server = nodes[node].server, let end = copy(of: 0, from: server, taste: node) else { return 0 }
            return UInt64(end)
        }
    }
}
