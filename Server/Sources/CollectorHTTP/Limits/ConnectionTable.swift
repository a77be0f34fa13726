// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides which connection has to go when there are too many. A value.
///
/// A new connection is always let in, and the one that has rested longest makes room: its sender connects again when it has
/// something to say. When none rests, the one whose request has been on its way longest goes; one whose answer is being made
/// never does. So connections that are only held cost those nothing who use theirs.
struct ConnectionTable {
    /// What a connection is doing.
    enum Phase: Sendable, Hashable, CaseIterable {
        /// Nothing has come yet, or everything that came was answered.
        case resting
        /// A request is coming.
        case receiving
        /// The collector works on an answer.
        case answering
    }

    /// The connections of a phase, in the order in which they entered it.
    private struct Queue {
        private var entries: [(ticket: UInt64, id: UInt64)] = []
        private var start = 0

        mutating func append(_ ticket: UInt64, _ id: UInt64) { entries.append((ticket, id)) }

        /// The first whose ticket is still the one it has.
        mutating func first(_ isCurrent: (UInt64, UInt64) -> Bool) -> UInt64? {
            while start < entries.count {
                let (ticket, id) = entries[start]
                if isCurrent(ticket, id) { return id }
                start += 1
            }
            return nil
        }

        /// Removes outdated entries once they are the majority, so that a queue stays as long as its valid entries.
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

    /// - Parameter limit: The most connections: at least one.
    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// How many connections there are.
    var count: Int { phases.count }

    /// A connection was made.
    ///
    /// - Returns: The connection that has to go; this one itself when all others are being answered.
    mutating func opened(_ id: UInt64) -> UInt64? {
        enter(id, .resting)
        guard phases.count > limit else { return nil }
        let victim = oldest(.resting, besides: id) ?? oldest(.receiving, besides: id) ?? id
        phases[victim] = nil
        return victim
    }

    /// A connection entered another phase.
    ///
    /// - Complexity: O(1) amortised.
    mutating func moved(_ id: UInt64, to phase: Phase) {
        guard let present = phases[id], present.phase != phase else { return }
        enter(id, phase)
    }

    /// A connection is gone.
    mutating func closed(_ id: UInt64) {
        phases[id] = nil
    }

    private mutating func enter(_ id: UInt64, _ phase: Phase) {
        tickets += 1
        phases[id] = (phase, tickets)
        let present = phases
        queues[phase, default: Queue()].append(tickets, id)
        queues[phase]?.compact(to: limit) { present[$1]?.ticket == $0 }
    }

    private mutating func oldest(_ phase: Phase, besides newcomer: UInt64) -> UInt64? {
        let present = phases
        let first = queues[phase]?.first { present[$1]?.ticket == $0 }
        return first == newcomer ? nil : first
    }
}
