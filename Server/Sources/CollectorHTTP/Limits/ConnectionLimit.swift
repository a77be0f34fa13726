// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import TrackwayCore

/// Keeps the number of connections within a limit.
///
/// Executes the decisions of ``ConnectionTable``. Safe to use from any thread.
final class ConnectionLimit: Sendable {
    private struct State: Sendable {
        var table: ConnectionTable
        var channels: [UInt64: any Channel] = [:]
        var works: [ObjectIdentifier: ConnectionWork] = [:]
        var next: UInt64 = 0
        var evicted: UInt64 = 0
    }

    private let state: Locked<State>

    /// Creates a limit without connections.
    ///
    /// - Parameter limit: The maximum number of concurrent connections.
    init(_ limit: Int) {
        state = Locked(State(table: ConnectionTable(limit: limit)))
    }

    /// The number of connections that were closed to make room for others.
    var evicted: UInt64 { state.withLock { $0.evicted } }

    /// The number of open connections.
    var count: Int { state.withLock { $0.table.count } }

    /// Registers a connection, and closes another one if the limit is exceeded.
    ///
    /// - Returns: The connection's new id.
    func connectionOpened(_ channel: any Channel) -> UInt64 {
        let (id, victim) = state.withLock { state in
            let id = state.next
            state.next += 1
            state.channels[id] = channel
            state.works[ObjectIdentifier(channel)] = ConnectionWork()
            let victim = state.table.insert(id).flatMap { state.channels.removeValue(forKey: $0) }
            if victim != nil { state.evicted += 1 }
            return (id, victim)
        }
        victim?.close(promise: nil)
        return id
    }

    /// Records that a connection entered another phase.
    func move(_ id: UInt64, to phase: ConnectionTable.Phase) {
        state.withLock { $0.table.move(id, to: phase) }
    }

    /// Returns the work object of a connection.
    ///
    /// Nil if the connection is not registered.
    func work(of channel: any Channel) -> ConnectionWork? {
        state.withLock { $0.works[ObjectIdentifier(channel)] }
    }

    /// Cancels the work for a connection whose client closed its sending side.
    ///
    /// Such a client is assumed not to wait for responses.
    func inputClosed(_ channel: any Channel) {
        work(of: channel)?.end()
    }

    /// Records that a connection was closed.
    func connectionClosed(_ id: UInt64, _ channel: any Channel) {
        let work = state.withLock { state in
            state.table.remove(id)
            state.channels[id] = nil
            return state.works.removeValue(forKey: ObjectIdentifier(channel))
        }
        work?.end()
    }
}
