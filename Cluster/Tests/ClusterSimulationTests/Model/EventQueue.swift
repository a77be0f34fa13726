// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A reference to an attempt: its slot, and the attempt within the slot.
struct AttemptReference {
    let index: Int32
    let serial: Int32
}

/// An event of the simulation.
///
/// Frequent events have separate cases; the others carry a closure.
enum SimulatedEvent {
    /// An installation sends its next batch, or repeats it.
    case send(installation: Int32)
    /// An installation's wait for this answer times out.
    case sendTimedOut(installation: Int32, round: Int32)
    /// A batch arrives at a collector, or its next attempt is due.
    case attempt(AttemptReference)
    /// A record arrives at its stream's leader.
    case arrival(AttemptReference, round: Int32)
    /// The cluster's answer arrives at a collector, with the record's sequence and whether it is a duplicate.
    case stored(AttemptReference, round: Int32, sequence: Int32, isRepeated: Bool)
    /// The cluster rejects a record.
    case rejected(AttemptReference, round: Int32, Rejection)
    /// The wait for an answer times out.
    case answerTimedOut(AttemptReference, round: Int32)
    /// A leader and the fast followers have written the records so far.
    case flushFinished(log: Int, term: Int, target: Int)
    /// A slow disk has written the records so far.
    case slowFlushFinished(log: Int, member: Int, term: Int, target: Int)
    /// A node begins to check a stream's durability.
    case checkStarted(node: Int, stream: Int, number: Int32)
    /// The node receives the result.
    case checkFinished(node: Int, stream: Int, number: Int32)
    /// A node reads the order.
    case readOrder(node: Int, number: Int32)
    /// Runs a node's action, unless the node has died since.
    case node(Int, incarnation: Int, (Simulation) -> Void)
    /// Runs any other action.
    case other((Simulation) -> Void)

    /// Why the cluster does not store a record.
    enum Rejection {
        case noLeader
        case inProgress
        case otherStream(Int)
        case connectionLost
    }
}

/// The queue of future events, in virtual milliseconds.
///
/// Time advances once a millisecond has no more events. Events of the same millisecond run in the order in which they
/// were added.
struct EventQueue {
    private static let windowLength: Int64 = 1 << 16
    private var currentWindow: [[SimulatedEvent]] = Array(repeating: [], count: Int(windowLength))
    private var laterWindows: [Int64: [(due: Int64, event: SimulatedEvent)]] = [:]
    private var slotIndex = 0
    /// Milliseconds since the start.
    private(set) var now: Int64 = 0
    /// The number of queued events.
    private(set) var count = 0

    /// Adds an event that occurs after this number of milliseconds.
    mutating func add(_ event: SimulatedEvent, after delay: Int64) {
        let due = now + max(0, delay)
        count += 1
        if due / Self.windowLength == now / Self.windowLength {
            currentWindow[Int(due % Self.windowLength)].append(event)
        } else {
            laterWindows[due / Self.windowLength, default: []].append((due, event))
        }
    }

    /// Removes and returns the next event; nil if the queue is empty.
    mutating func next() -> SimulatedEvent? {
        guard count > 0 else { return nil }
        while true {
            let slot = Int(now % Self.windowLength)
            if slotIndex < currentWindow[slot].count {
                defer { slotIndex += 1 }
                count -= 1
                return currentWindow[slot][slotIndex]
            }
            currentWindow[slot] = []
            slotIndex = 0
            now += 1
            guard now % Self.windowLength == 0, let due = laterWindows.removeValue(forKey: now / Self.windowLength)
            else { continue }
            for (due, event) in due { currentWindow[Int(due % Self.windowLength)].append(event) }
        }
    }
}
