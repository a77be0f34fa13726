// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore

/// A signal from recording threads to delivery, costing one load per event.
///
/// Delivery arms the trigger with the first sequence number of interest, and then counts the pending events again: an
/// event recorded before the count is counted, and one recorded after the count finds the trigger armed. Each
/// subscription is for the events of one destination; subscriptions can be added and removed at any time.
///
/// `@unchecked Sendable`: the word is accessed only by atomic operations; everything else is protected by the lock.
final class DeliveryTrigger: @unchecked Sendable {
    /// The id of a subscription; never reused.
    struct SubscriptionID: Sendable, Equatable {
        fileprivate let value: UInt64
    }

    private struct Subscription {
        let number: SubscriptionID
        let destination: DestinationID
        let signal: WakeSignal
        var threshold = UInt64.max
    }

    private struct State {
        var subscriptions: [Subscription] = []
        var lastNumber: UInt64 = 0
        var lastSequence: UInt64 = 0

        var earliest: UInt64 { subscriptions.lazy.map(\.threshold).min() ?? .max }
    }

    // Separately allocated at a fixed address, because recording threads read it without the lock.
    private let word: UnsafeMutablePointer<UInt64>
    private let state = Locked(State())

    /// Creates a trigger without subscriptions.
    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: .max)
    }

    deinit {
        word.deallocate()
    }

    /// Subscribes to a destination's events.
    ///
    /// The signal is not sent until the subscription is armed.
    func subscribe(for destination: DestinationID, waking signal: WakeSignal) -> SubscriptionID {
        state.withLock { state in
            state.lastNumber += 1
            let number = SubscriptionID(value: state.lastNumber)
            state.subscriptions.append(Subscription(number: number, destination: destination, signal: signal))
            return number
        }
    }

    /// Ends a subscription; arming it afterward has no effect.
    func unsubscribe(_ number: SubscriptionID) {
        state.withLock { state in
            state.subscriptions.removeAll { $0.number == number }
            ctrackway_store_64(word, state.earliest)
        }
    }

    /// Whether delivery may be interested in this event; costs one load.
    @inline(__always)
    func isOpen(for sequence: UInt64) -> Bool {
        sequence >= ctrackway_load_acquire_64(word)
    }

    /// Handles an event that reached the armed trigger.
    ///
    /// Signals and disarms the subscriptions of its destinations that are armed for it.
    ///
    /// - Parameter route: The event's destinations; empty means all.
    func sequenceReached(_ sequence: UInt64, to route: [DestinationID]) {
        let woken = state.withLock { state -> [WakeSignal] in
            state.lastSequence = max(state.lastSequence, sequence)
            var woken: [WakeSignal] = []
            for index in state.subscriptions.indices where state.subscriptions[index].threshold <= sequence {
                guard route.isEmpty || route.contains(state.subscriptions[index].destination) else { continue }
                state.subscriptions[index].threshold = .max
                woken.append(state.subscriptions[index].signal)
            }
            if !woken.isEmpty { ctrackway_store_64(word, state.earliest) }
            return woken
        }
        for signal in woken { signal.signal() }
    }

    /// Resets the last sequence number, because numbering may start over.
    ///
    /// Numbering starts over after an erasure, for example. Earlier numbers cannot be compared with the new ones.
    func resetSequence() {
        state.withLock { $0.lastSequence = 0 }
    }

    /// Arms a subscription to signal after this many events; nil disarms it.
    func arm(_ number: SubscriptionID, after events: UInt64?) {
        state.withLock { state in
            guard let index = state.subscriptions.firstIndex(where: { $0.number == number }) else { return }
            switch events {
            case nil: state.subscriptions[index].threshold = .max
            case 0, 1: state.subscriptions[index].threshold = 0
            // The last number seen may be outdated. In that case, the trigger fires early and is armed again with a
            // better number.
            case .some(let events):
                state.subscriptions[index].threshold = state.lastSequence &+ min(events, .max - state.lastSequence)
            }
            ctrackway_store_64(word, state.earliest)
        }
    }
}
