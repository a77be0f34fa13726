// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Publishes the position of an index to any number of listeners.
///
/// A store that replaces the index can also use this class.
///
/// A slow listener receives only the latest position, so nothing accumulates.
public final class ProgressSignal: Sendable {
    private struct State: Sendable {
        var position: EventPosition
        var listeners: [Int: AsyncStream<EventPosition>.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    private let state: Locked<State>

    /// Creates a signal with an initial position.
    public init(at position: EventPosition) {
        state = Locked(State(position: position))
    }

    /// The latest position.
    public var position: EventPosition { state.withLock { $0.position } }

    /// Publishes that the index has reached `position`.
    public func advance(to position: EventPosition) {
        let listeners = state.withLock { state in
            state.position = position
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(position) }
    }

    /// Returns a stream of the current position and all later positions.
    public func listen() -> AsyncStream<EventPosition> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: EventPosition.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let (number, isFinished) = state.withLock { state in
            let number = state.next
            state.next += 1
            // Yield while holding the lock; otherwise, this position could be delivered after a later one. Yielding
            // only fills the buffer.
            continuation.yield(state.position)
            if !state.isFinished { state.listeners[number] = continuation }
            return (number, state.isFinished)
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        if isFinished { continuation.finish() }
        return stream
    }

    /// Ends every stream.
    public func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
