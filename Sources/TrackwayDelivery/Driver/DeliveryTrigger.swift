// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

/// Lets a recording thread know, for the price of one load, whether delivery wants to hear of its event.
///
/// Delivery arms the trigger with the sequence number from which on it wants to hear, and then counts what waits once more:
/// an event recorded before the count is counted, one recorded after it finds it armed. Whoever wants to hear has a
/// subscription of its own, for events of its destination alone; subscriptions come and go.
///
/// `@unchecked Sendable`: the word is only reached through atomic operations, everything else lies behind the lock.
final class DeliveryTrigger: @unchecked Sendable {
    /// Names a subscription; never used twice.
    struct SubscriptionID: Sendable, Hashable {
        fileprivate let value: UInt64
    }

    private struct Subscription {
        let number: SubscriptionID
        let destination: DestinationID
        let signal: WakeSignal
        var wants = UInt64.max
    }

    private struct State {
        var subscriptions: [Subscription] = []
        var lastNumber: UInt64 = 0
        var lastSequence: UInt64 = 0

        var earliest: UInt64 { subscriptions.lazy.map(\.wants).min() ?? .max }
    }

    // On the heap at an address of its own, because a recording thread reads it without the lock.
    private let word: UnsafeMutablePointer<UInt64>
    private let state = Locked(State())

    /// Makes a trigger without subscriptions.
    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: .max)
    }

    deinit {
        word.deallocate()
    }

    /// Subscribes to events of a destination; the signal is not given before the subscription is armed.
    func subscribe(for destination: DestinationID, waking signal: WakeSignal) -> SubscriptionID {
        state.withLock { state in
            state.lastNumber += 1
            let number = SubscriptionID(value: state.lastNumber)
            state.subscriptions.append(Subscription(number: number, destination: destination, signal: signal))
            return number
        }
    }

    /// Ends a subscription; arming it afterwards does nothing.
    func unsubscribe(_ number: SubscriptionID) {
        state.withLock { state in
            state.subscriptions.removeAll { $0.number == number }
            ctrackway_store_64(word, state.earliest)
        }
    }

    /// True when delivery may want to hear of the event with this sequence number. One load.
    @inline(__always)
    func isOpen(for sequence: UInt64) -> Bool {
        sequence >= ctrackway_load_acquire_64(word)
    }

    /// An event passed the armed trigger: signals the subscriptions of its destinations that are armed for it, and disarms them.
    ///
    /// - Parameter route: Its destinations; none means all.
    func passed(_ sequence: UInt64, to route: [DestinationID]) {
        let woken = state.withLock { state -> [WakeSignal] in
            state.lastSequence = max(state.lastSequence, sequence)
            var woken: [WakeSignal] = []
            for index in state.subscriptions.indices where state.subscriptions[index].wants <= sequence {
                guard route.isEmpty || route.contains(state.subscriptions[index].destination) else { continue }
                state.subscriptions[index].wants = .max
                woken.append(state.subscriptions[index].signal)
            }
            if !woken.isEmpty { ctrackway_store_64(word, state.earliest) }
            return woken
        }
        for signal in woken { signal.signal() }
    }

    /// Events may be numbered anew from here on, as after erasing: what was seen before says nothing of their numbers.
    func forgetNumbers() {
        state.withLock { $0.lastSequence = 0 }
    }

    /// Arms a subscription: it signals once this many more events were recorded; nil disarms it.
    func arm(_ number: SubscriptionID, after events: UInt64?) {
        state.withLock { state in
            guard let index = state.subscriptions.firstIndex(where: { $0.number == number }) else { return }
            switch events {
            case nil: state.subscriptions[index].wants = .max
            case 0, 1: state.subscriptions[index].wants = 0
            // The last number seen may be old. Then the trigger fires early, and is armed again with a better one.
            case .some(let events):
                state.subscriptions[index].wants = state.lastSequence &+ min(events, .max - state.lastSequence)
            }
            ctrackway_store_64(word, state.earliest)
        }
    }
}
