// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

/// Lets a recording thread know, for the price of one load, whether delivery wants to hear of its event.
///
/// Delivery arms the gate with the sequence number from which on it wants to hear, and then counts what waits once more:
/// an event recorded before the count is counted, one recorded after it finds the gate armed. Whoever wants to hear has a
/// bell of its own, which rings for events of its destination alone; bells come and go.
///
/// `@unchecked Sendable`: the word is only reached through atomic operations, everything else lies behind the lock.
final class NudgeGate: @unchecked Sendable {
    /// Names a bell; never used twice.
    struct BellNumber: Sendable, Hashable {
        fileprivate let value: UInt64
    }

    private struct Bell {
        let number: BellNumber
        let destination: DestinationID
        let signal: WakeSignal
        var wants = UInt64.max
    }

    private struct State {
        var bells: [Bell] = []
        var lastNumber: UInt64 = 0
        var lastSequence: UInt64 = 0

        var earliest: UInt64 { bells.lazy.map(\.wants).min() ?? .max }
    }

    // On the heap at an address of its own, because a recording thread reads it without the lock.
    private let word: UnsafeMutablePointer<UInt64>
    private let state = Locked(State())

    /// Makes a gate without bells.
    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: .max)
    }

    deinit {
        word.deallocate()
    }

    /// Hangs a bell up for events of a destination; it does not ring before it is armed.
    func hang(for destination: DestinationID, ringing signal: WakeSignal) -> BellNumber {
        state.withLock { state in
            state.lastNumber += 1
            let number = BellNumber(value: state.lastNumber)
            state.bells.append(Bell(number: number, destination: destination, signal: signal))
            return number
        }
    }

    /// Takes a bell down; arming it afterwards does nothing.
    func takeDown(_ number: BellNumber) {
        state.withLock { state in
            state.bells.removeAll { $0.number == number }
            ctrackway_store_64(word, state.earliest)
        }
    }

    /// True when delivery may want to hear of the event with this sequence number. One load.
    @inline(__always)
    func isOpen(for sequence: UInt64) -> Bool {
        sequence >= ctrackway_load_acquire_64(word)
    }

    /// An event passed the open gate: rings the bells of its destinations that are armed for it, and disarms them.
    ///
    /// - Parameter route: Its destinations; none means all.
    func passed(_ sequence: UInt64, to route: [DestinationID]) {
        let rung = state.withLock { state -> [WakeSignal] in
            state.lastSequence = max(state.lastSequence, sequence)
            var rung: [WakeSignal] = []
            for index in state.bells.indices where state.bells[index].wants <= sequence {
                guard route.isEmpty || route.contains(state.bells[index].destination) else { continue }
                state.bells[index].wants = .max
                rung.append(state.bells[index].signal)
            }
            if !rung.isEmpty { ctrackway_store_64(word, state.earliest) }
            return rung
        }
        for signal in rung { signal.signal() }
    }

    /// Events may be numbered anew from here on, as after erasing: what was seen before says nothing of their numbers.
    func forgetNumbers() {
        state.withLock { $0.lastSequence = 0 }
    }

    /// Arms a bell: it rings once this many more events were recorded; nil disarms it.
    func arm(_ number: BellNumber, after events: UInt64?) {
        state.withLock { state in
            guard let index = state.bells.firstIndex(where: { $0.number == number }) else { return }
            switch events {
            case nil: state.bells[index].wants = .max
            case 0, 1: state.bells[index].wants = 0
            // The last number seen may be old. Then the gate opens early, and is armed again with a better one.
            case .some(let events):
                state.bells[index].wants = state.lastSequence &+ min(events, .max - state.lastSequence)
            }
            ctrackway_store_64(word, state.earliest)
        }
    }
}
