// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Remembers which ids have fired.
///
/// Events with the same id therefore fire once, even if cells are re-created or reused. A memory lasts as long as its
/// owner; ``process`` is shared by the process. Any thread may call.
public final class TriggerMemory: Sendable {
    /// The process's shared memory.
    ///
    /// It lasts until the process ends and holds at least the newest 50,000 ids.
    public static let process = TriggerMemory(most: 100_000)

    private struct State: Sendable {
        var newer: Set<String> = []
        var older: Set<String> = []
    }

    private let bound: Int
    private let state = Locked(State())

    /// Creates a separate memory.
    ///
    /// - Parameter most: the maximum number of ids; if it is exceeded, the older half is discarded. At least 2.
    public init(most: Int = 100_000) {
        bound = max(1, most / 2)
    }

    /// The number of remembered ids.
    public var count: Int { state.withLock { $0.newer.count + $0.older.count } }

    /// Whether an event with this id has fired.
    public func contains(_ id: String) -> Bool {
        state.withLock { $0.newer.contains(id) || $0.older.contains(id) }
    }

    /// Forgets all ids, so that their events can fire again.
    public func forget() {
        state.withLock { $0 = State() }
    }

    /// Adds an id.
    ///
    /// - Returns: Whether it was new.
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
