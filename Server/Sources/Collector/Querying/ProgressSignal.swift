// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Tells any number of listeners how far an index, or what answers in its place, has come. A slow one hears only the latest, so nothing piles up.
public final class ProgressSignal: Sendable {
    private struct State: Sendable {
        var position: EventPosition
        var listeners: [Int: AsyncStream<EventPosition>.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    private let state: Locked<State>

    /// A signal that begins at a position.
    public init(at position: EventPosition) {
        state = Locked(State(position: position))
    }

    /// The latest position.
    public var position: EventPosition { state.withLock { $0.position } }

    /// The index has come to `position`.
    public func advance(to position: EventPosition) {
        let listeners = state.withLock { state in
            state.position = position
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(position) }
    }

    /// The position at once, then every later one.
    public func listen() -> AsyncStream<EventPosition> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: EventPosition.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let (number, isFinished) = state.withLock { state in
            let number = state.next
            state.next += 1
            // Inside the lock, or a later position could be overtaken by this one; yielding only fills the buffer.
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
