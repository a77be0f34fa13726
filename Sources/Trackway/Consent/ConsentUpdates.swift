// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Publishes the current user's consent to asynchronous sequences.
final class ConsentUpdates: Sendable {
    private struct State: Sendable {
        var current: Consent
        var next = 0
        var subscribers: [Int: AsyncStream<Consent>.Continuation] = [:]
    }

    private let state: Locked<State>

    init(_ consent: Consent) {
        state = Locked(State(current: consent))
    }

    deinit {
        for subscriber in state.withLock({ $0.subscribers }).values { subscriber.finish() }
    }

    /// Publishes the consent if it changed.
    func publish(_ consent: Consent) {
        state.withLock { state in
            guard consent != state.current else { return }
            state.current = consent
            // A continuation calls no app code: it stores the value and schedules the waiting task.
            for subscriber in state.subscribers.values { subscriber.yield(consent) }
        }
    }

    /// A sequence of the current consent and its changes.
    ///
    /// A slow subscriber receives only the latest value.
    var stream: AsyncStream<Consent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = state.withLock { state in
                defer { state.next += 1 }
                state.subscribers[state.next] = continuation
                continuation.yield(state.current)
                return state.next
            }
            continuation.onTermination = { [weak self] _ in
                // Remove outside the lock, because the stream may be terminated by a call that holds the lock.
                self?.remove(id)
            }
        }
    }

    private func remove(_ id: Int) {
        state.withLock { $0.subscribers[id] = nil }
    }
}
