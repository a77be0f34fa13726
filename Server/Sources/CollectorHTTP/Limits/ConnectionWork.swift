// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Hummingbird
internal import TrackwayCore

/// The work on the responses of one connection.
///
/// The work is canceled when the client disconnects, because responses could no longer be delivered. Safe to use from
/// any task.
final class ConnectionWork: Sendable {
    private struct State: Sendable {
        var tasks: [UInt64: Task<Response, any Error>] = [:]
        var next: UInt64 = 0
        var hasEnded = false
    }

    private let state = Locked(State())

    /// Runs a closure that prepares a response in a new task.
    ///
    /// The task is canceled when the connection ends or the caller is canceled.
    func run(_ body: @escaping @Sendable () async throws -> Response) async throws -> Response {
        let task = Task { try await body() }
        let number = state.withLock { state -> UInt64? in
            guard !state.hasEnded else { return nil }
            defer { state.next += 1 }
            state.tasks[state.next] = task
            return state.next
        }
        if number == nil { task.cancel() }
        defer { if let number { state.withLock { _ = $0.tasks.removeValue(forKey: number) } } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Cancels the work because the client disconnected or closed its sending side.
    func end() {
        let tasks = state.withLock { state in
            state.hasEnded = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
