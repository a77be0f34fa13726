// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides which connection to close when there are too many.
///
/// To make room for a new connection, the one that has been idle longest is closed: its client connects again when it
/// has something to send. If none is idle, the one whose request has been arriving longest is closed. A connection
/// whose response is being prepared is never closed; if that applies to all others, the new one is closed. Therefore,
/// connections that are only held open do not affect clients that use their connections.
struct ConnectionTable {
    /// The activity of a connection.
    enum Phase: Sendable, Hashable, CaseIterable {
        /// No request has arrived yet, or all requests have been answered.
        case idle
        /// A request is arriving.
        case receiving
        /// The collector is preparing a response.
        case responding
    }

    /// The connections of a phase, in the order in which they entered it.
    private struct Queue {
        private var entries: [(ticket: UInt64, id: UInt64)] = []
        private var start = 0

        mutating func append(_ ticket: UInt64, _ id: UInt64) { entries.append((ticket, id)) }

        /// Returns the first entry whose ticket is still current.
        mutating func first(_ isCurrent: (UInt64, UInt64) -> Bool) -> UInt64? {
            while start < entries.count {
                let (ticket, id) = entries[start]
                if isCurrent(ticket, id) { return id }
                start += 1
            }
            return nil
        }

        /// Removes outdated entries once they are the majority.
        ///
        /// This keeps the length of a queue proportional to the number of its current entries.
        mutating func compact(to limit: Int, _ isCurrent: (UInt64, UInt64) -> Bool) {
            guard entries.count > 2 * limit + 16 else { return }
            entries = entries[start...].filter { isCurrent($0.ticket, $0.id) }
            start = 0
        }
    }

    private let limit: Int
    private var phases: [UInt64: (phase: Phase, ticket: UInt64)] = [:]
    private var queues: [Phase: Queue] = [:]
    private var tickets: UInt64 = 0

    /// Creates an empty table.
    ///
    /// - Parameter limit: The maximum number of connections, at least one.
    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// The number of connections.
    var count: Int { phases.count }

    /// Records a new connection.
    ///
    /// - Returns: The connection to close; the new one itself if the collector is preparing responses on all others;
    ///   nil if the limit is not exceeded.
    mutating func insert(_ id: UInt64) -> UInt64? {
        enter(id, .idle)
        guard phases.count > limit else { return nil }
        let victim = oldest(.idle, excluding: id) ?? oldest(.receiving, excluding: id) ?? id
        phases[victim] = nil
        return victim
    }

    /// Records that a connection entered another phase.
    ///
    /// - Complexity: O(1) amortized.
    mutating func move(_ id: UInt64, to phase: Phase) {
        guard let present = phases[id], present.phase != phase else { return }
        enter(id, phase)
    }

    /// Records that a connection was closed.
    mutating func remove(_ id: UInt64) {
        phases[id] = nil
    }

    private mutating func enter(_ id: UInt64, _ phase: Phase) {
        tickets += 1
        phases[id] = (phase, tickets)
        let present = phases
        queues[phase, default: Queue()].append(tickets, id)
        queues[phase]?.compact(to: limit) { present[$1]?.ticket == $0 }
    }

    private mutating func oldest(_ phase: Phase, excluding newcomer: UInt64) -> UInt64? {
        let present = phases
        let first = queues[phase]?.first { present[$1]?.ticket == $0 }
        return first == newcomer ? nil : first
    }
}
