// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Which ids have fired, so that events of one id fire once, however often a cell is made or used again.
///
/// It ends with its owner; ``process`` is the process's own. Any thread.
public final class TriggerMemory: Sendable {
    /// Remembers until the process ends, the newest 50,000 ids at least.
    public static let process = TriggerMemory(most: 100_000)

    private struct State: Sendable {
        var newer: Set<String> = []
        var older: Set<String> = []
    }

    private let bound: Int
    private let state = Locked(State())

    /// A memory of its own.
    ///
    /// - Parameter most: how many ids are remembered; when there are more, the older half is forgotten. At least 2.
    public init(most: Int = 100_000) {
        bound = max(1, most / 2)
    }

    /// How many ids are remembered.
    public var count: Int { state.withLock { $0.newer.count + $0.older.count } }

    /// Whether events of the id have fired.
    public func contains(_ id: String) -> Bool {
        state.withLock { $0.newer.contains(id) || $0.older.contains(id) }
    }

    /// Lets events of every id fire again.
    public func forget() {
        state.withLock { $0 = State() }
    }

    /// Remembers an id.
    ///
    /// - Returns: Whether it was not remembered before.
    func isNew(_ id: String) -> Bool {
        state.withLock { state in
            guard !state.older.contains(id), state.newer.insert(id).inserted else { return false }
            if state.newer.count >= bound {
                state.older = state.newer
                state.newer = []
            }
            return true
        }
    }
}
