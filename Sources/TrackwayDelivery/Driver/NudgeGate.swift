// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

/// Lets a recording thread know, for the price of one load, whether delivery wants to hear of its event.
///
/// Delivery arms the gate with the sequence number from which on it wants to hear, and then counts what waits once more:
/// an event recorded before the count is counted, one recorded after it finds the gate armed.
///
/// `@unchecked Sendable`: the word is only reached through atomic operations, everything else lies behind the lock.
final class NudgeGate: @unchecked Sendable {
    private struct State {
        var wants: [UInt64]
        var lastSequence: UInt64 = 0
    }

    // On the heap at an address of its own, because a recording thread reads it without the lock.
    private let word: UnsafeMutablePointer<UInt64>
    private let state: Locked<State>

    /// Makes a gate that nobody has armed.
    init(workers: Int) {
        word = .allocate(capacity: 1)
        word.initialize(to: .max)
        state = Locked(State(wants: Array(repeating: .max, count: workers)))
    }

    deinit {
        word.deallocate()
    }

    /// True when delivery wants to hear of the event with this sequence number. One load.
    @inline(__always)
    func isOpen(for sequence: UInt64) -> Bool {
        sequence >= ctrackway_load_acquire_64(word)
    }

    /// An event passed the open gate: closes it for everybody until they arm it again.
    ///
    /// - Returns: False when another thread was first.
    func passed(_ sequence: UInt64) -> Bool {
        state.withLock { state in
            state.lastSequence = max(state.lastSequence, sequence)
            guard state.wants.contains(where: { $0 <= sequence }) else { return false }
            for index in state.wants.indices { state.wants[index] = .max }
            ctrackway_store_64(word, .max)
            return true
        }
    }

    /// Arms the gate for a worker: it wants to hear once this many more events were recorded; nil disarms.
    func arm(_ worker: Int, after events: UInt64?) {
        state.withLock { state in
            switch events {
            case nil: state.wants[worker] = .max
            case 0, 1: state.wants[worker] = 0
            // The last number seen may be old. Then the gate opens early, and is armed again with a better one.
            case .some(let events): state.wants[worker] = state.lastSequence &+ events
            }
            ctrackway_store_64(word, state.wants.min() ?? .max)
        }
    }
}
