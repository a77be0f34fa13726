// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Computes paths from the names in sessions, in any order.
public struct PathTally: Sendable {
    private struct Entry {
        var session: Int32
        var name: Int32
        var time: Int64
        var position: Int64

        func precedes(_ other: Entry) -> Bool {
            (session, time, position) < (other.session, other.time, other.position)
        }
    }

    private struct Step: Hashable {
        var step: Int
        var name: Int32
    }

    private struct Link: Hashable {
        var step: Int
        var from: Int32
        var to: Int32
    }

    private static let others: Int32 = -1

    private let query: PathQuery
    private let budget: QueryBudget
    private var entries: [Entry] = []
    private var numbers: [[UInt8]: Int32] = [:]
    private var names: [[UInt8]] = []
    private var nameBytes = 0

    /// Creates an empty tally.
    public init(_ query: PathQuery, budget: QueryBudget) {
        self.query = query
        self.budget = budget
    }

    /// Counts an occurrence of a name in a session.
    ///
    /// - Parameter session: the session's number, assigned by the caller.
    /// - Throws: ``StoreError`` when the budget is exhausted.
    public mutating func count(session: Int32, name: [UInt8], at time: Int64, position: Int64) throws(StoreError) {
        guard entries.count < budget.kept else {
            throw .overBudget("from", "its sessions have more than \(budget.kept) names: choose a shorter time range")
        }
        let number: Int32
        if let known = numbers[name] {
            number = known
        } else {
            nameBytes += name.count
            guard nameBytes <= budget.groupBytes else {
                throw .overBudget("from", "its names exceed \(budget.groupBytes) bytes: choose a shorter time range")
            }
            number = Int32(names.count)
            numbers[name] = number
            names.append(name)
        }
        entries.append(Entry(session: session, name: number, time: time, position: position))
    }

    // MARK: Result

    /// Returns steps, links, and the number of sessions with a path.
    ///
    /// - Complexity: O(n log n) for n counted names.
    public mutating func result() throws(StoreError) -> (steps: [Paths.Step], links: [Paths.Link], sessions: Int64) {
        entries.sort { $0.precedes($1) }
        var paths = Sum()
        try forEachPath { path throws(StoreError) in try paths.add(path, budget) }
        let top = top(paths.stepCounts)
        var links: [Link: Int64] = [:]
        for (link, sessions) in paths.links {
            let from = top.contains(Step(step: link.step, name: link.from)) ? link.from : Self.others
            let to = top.contains(Step(step: link.step + 1, name: link.to)) ? link.to : Self.others
            links[Link(step: link.step, from: from, to: to), default: 0] += sessions
        }
        return (steps(paths, top), self.links(links), paths.sessions)
    }

    /// The counts of all paths, by step and link.
    private struct Sum {
        var sessions: Int64 = 0
        var stepCounts: [Step: Int64] = [:]
        var links: [Link: Int64] = [:]
        var ended: [Int64] = []

        mutating func add(_ path: [Int32], _ budget: QueryBudget) throws(StoreError) {
            sessions += 1
            for (step, name) in path.enumerated() {
                stepCounts[Step(step: step, name: name), default: 0] += 1
                if step > 0 { links[Link(step: step - 1, from: path[step - 1], to: name), default: 0] += 1 }
            }
            while ended.count < path.count { ended.append(0) }
            ended[path.count - 1] += 1
            guard links.count <= budget.sums else {
                throw .overBudget("steps", "its paths have more than \(budget.sums) distinct links: choose fewer steps")
            }
        }
    }

    private func forEachPath(_ body: ([Int32]) throws(StoreError) -> Void) throws(StoreError) {
        let anchor: Int32?
        switch query.anchor {
        case .beginning: anchor = nil
        case .start(let name), .end(let name):
            // A name that did not occur has no paths.
            guard let number = numbers[Array(name.utf8)] else { return }
            anchor = number
        }
        var start = 0
        while start < entries.count {
            var end = start + 1
            while end < entries.count, entries[end].session == entries[start].session { end += 1 }
            if let path = path(entries[start..<end], anchor) { try body(path) }
            start = end
        }
    }

    /// Returns the path of one session.
    ///
    /// Returns nil if the session lacks the anchor's name. Consecutive occurrences of a name count once.
    private func path(_ session: ArraySlice<Entry>, _ anchor: Int32?) -> [Int32]? {
        var path: [Int32] = []
        func add(_ entry: Entry) -> Bool {
            if path.last != entry.name { path.append(entry.name) }
            return path.count < query.steps
        }
        if case .end = query.anchor {
            guard let last = session.lastIndex(where: { $0.name == anchor }) else { return nil }
            for entry in session[...last].reversed() { if !add(entry) { break } }
        } else {
            guard let first = anchor == nil ? session.startIndex : session.firstIndex(where: { $0.name == anchor })
            else { return nil }
            for entry in session[first...] { if !add(entry) { break } }
        }
        return path
    }

    /// Returns the names of each step that are listed individually.
    private func top(_ stepCounts: [Step: Int64]) -> Set<Step> {
        var top: Set<Step> = []
        for (_, candidates) in Dictionary(grouping: stepCounts, by: { $0.key.step }) {
            let ranked = candidates.sorted { more($0.value, $0.key.name, than: $1.value, $1.key.name) }
            for candidate in ranked.prefix(query.top) { top.insert(candidate.key) }
        }
        return top
    }

    private func more(_ left: Int64, _ leftName: Int32, than right: Int64, _ rightName: Int32) -> Bool {
        guard left == right else { return left > right }
        // The group of all other names sorts before an empty name.
        guard let name = bytes(leftName), let other = bytes(rightName) else { return leftName < rightName }
        return name.lexicographicallyPrecedes(other)
    }

    private func bytes(_ name: Int32) -> [UInt8]? { name == Self.others ? nil : names[Int(name)] }
    private func text(_ name: Int32) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }

    private func steps(_ paths: Sum, _ top: Set<Step>) -> [Paths.Step] {
        paths.ended.indices.map { step in
            let stepCounts = paths.stepCounts.filter { $0.key.step == step }
            let named = stepCounts.filter { top.contains($0.key) }
                .sorted { more($0.value, $0.key.name, than: $1.value, $1.key.name) }
            return Paths.Step(
                names: named.compactMap { entry in
                    text(entry.key.name).map { Paths.Name($0, sessions: entry.value) }
                },
                other: stepCounts.values.reduce(0, +) - named.map(\.value).reduce(0, +),
                ended: step + 1 < query.steps ? paths.ended[step] : 0
            )
        }
    }

    private func links(_ links: [Link: Int64]) -> [Paths.Link] {
        links.sorted { left, right in
            if left.key.step != right.key.step { return left.key.step < right.key.step }
            if left.value != right.value { return left.value > right.value }
            if left.key.from != right.key.from {
                return more(0, left.key.from, than: 0, right.key.from)
            }
            return more(0, left.key.to, than: 0, right.key.to)
        }.map { link in
            Paths.Link(
                step: link.key.step,
                from: text(link.key.from),
                to: text(link.key.to),
                sessions: link.value
            )
        }
    }
}
