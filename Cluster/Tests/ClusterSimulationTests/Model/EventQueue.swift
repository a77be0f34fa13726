// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An attempt to have a batch stored, and which of those that had its number.
struct AttemptReference {
    let index: Int32
    let serial: Int32
}

/// What happens at a moment. Those of which there are millions have cases of their own; the others bring what is to be done.
enum SimulatedEvent {
    /// An installation sends its next batch, or the same one again.
    case send(installation: Int32)
    /// An installation has waited for this answer for long enough.
    case givenUp(installation: Int32, round: Int32)
    /// A batch arrives at a collector, or its time to be tried again has come.
    case attempt(AttemptReference)
    /// A record arrives at the leader of its stream.
    case arrival(AttemptReference, round: Int32)
    /// The engine's answer arrives at a collector: the record's sequence, and whether it had it before.
    case stored(AttemptReference, round: Int32, sequence: Int32, isRepeated: Bool)
    /// The engine answers otherwise.
    case answer(AttemptReference, round: Int32, Refusal)
    /// There is no answer.
    case unanswered(AttemptReference, round: Int32)
    /// A leader and whoever is quick have written what there was.
    case flush(log: Int, term: Int, target: Int)
    /// A slow disk has written what there was.
    case slowFlush(log: Int, member: Int, term: Int, target: Int)
    /// A node looks at a stream's durability.
    case look(node: Int, stream: Int, number: Int32)
    /// It has its answer.
    case looked(node: Int, stream: Int, number: Int32)
    /// A node follows the order.
    case follow(node: Int, number: Int32)
    /// Something that a node does, unless it has died since.
    case node(Int, life: Int, (Simulation) -> Void)
    /// Something else.
    case other((Simulation) -> Void)

    /// What an engine says that does not take a record.
    enum Refusal {
        case noLeader
        case inProcess
        case otherStream(Int)
        case connectionLost
    }
}

/// What happens next, in milliseconds that pass when nothing is left to do in one. What is added first happens first.
struct EventQueue {
    private static let slots: Int64 = 1 << 16
    private var near: [[SimulatedEvent]] = Array(repeating: [], count: Int(slots))
    private var far: [Int64: [(due: Int64, event: SimulatedEvent)]] = [:]
    private var place = 0
    /// Milliseconds since the beginning.
    private(set) var now: Int64 = 0
    /// How many wait.
    private(set) var count = 0

    /// Has something happen after so many milliseconds.
    mutating func add(_ event: SimulatedEvent, after delay: Int64) {
        let due = now + max(0, delay)
        count += 1
        if due / Self.slots == now / Self.slots {
            near[Int(due % Self.slots)].append(event)
        } else {
            far[due / Self.slots, default: []].append((due, event))
        }
    }

    /// What happens next; nil when nothing does.
    mutating func next() -> SimulatedEvent? {
        guard count > 0 else { return nil }
        while true {
            let slot = Int(now % Self.slots)
            if place < near[slot].count {
                defer { place += 1 }
                count -= 1
                return near[slot][place]
            }
            near[slot] = []
            place = 0
            now += 1
            guard now % Self.slots == 0, let due = far.removeValue(forKey: now / Self.slots) else { continue }
            for (due, event) in due { near[Int(due % Self.slots)].append(event) }
        }
    }
}
