// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import TrackwayEvents

/// Keeps the number of connections within a limit. Carries out what ``ConnectionTable`` decides; safe from any thread.
final class ConnectionLimit: Sendable {
    private struct State: Sendable {
        var table: ConnectionTable
        var channels: [UInt64: any Channel] = [:]
        var works: [ObjectIdentifier: ConnectionWork] = [:]
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
            state.works[ObjectIdentifier(channel)] = ConnectionWork()
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

    /// What is being worked on for a connection; nil for one that is not counted here.
    func work(of channel: any Channel) -> ConnectionWork? {
        state.withLock { $0.works[ObjectIdentifier(channel)] }
    }

    /// The other end of a connection sends nothing more, and does not wait for answers.
    func left(_ channel: any Channel) {
        work(of: channel)?.end()
    }

    /// A connection is gone.
    func closed(_ id: UInt64, _ channel: any Channel) {
        let work = state.withLock { state in
            state.table.closed(id)
            state.channels[id] = nil
            return state.works.removeValue(forKey: ObjectIdentifier(channel))
        }
        work?.end()
    }
}
