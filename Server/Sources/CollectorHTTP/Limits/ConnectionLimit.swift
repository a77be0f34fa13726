// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import TrackwayEvents

/// Keeps the number of connections within a limit. Carries out what ``ConnectionTable`` decides; safe from any thread.
final class ConnectionLimit: Sendable {
    private struct State: Sendable {
        var table: ConnectionTable
        var channels: [UInt64: any Channel] = [:]
        var next: UInt64 = 0
        var evicted: UInt64 = 0
    }

    private let state: Locked<State>

    /// - Parameter limit: The most connections at once.
    init(_ limit: Int) {
        state = Locked(State(table: ConnectionTable(limit: limit)))
    }

    /// How many connections were closed to make room.
    var evicted: UInt64 { state.withLock { $0.evicted } }

    /// Takes a connection in, and closes the one that has to go for it.
    ///
    /// - Returns: The id under which the connection is known from now on.
    func opened(_ channel: any Channel) -> UInt64 {
        let (id, victim) = state.withLock { state in
            let id = state.next
            state.next += 1
            state.channels[id] = channel
            let victim = state.table.opened(id).flatMap { state.channels.removeValue(forKey: $0) }
            if victim != nil { state.evicted += 1 }
            return (id, victim)
        }
        victim?.close(promise: nil)
        return id
    }

    /// A connection entered another phase.
    func moved(_ id: UInt64, to phase: ConnectionTable.Phase) {
        state.withLock { $0.table.moved(id, to: phase) }
    }

    /// A connection is gone.
    func closed(_ id: UInt64) {
        state.withLock { state in
            state.table.closed(id)
            state.channels[id] = nil
        }
    }
}
