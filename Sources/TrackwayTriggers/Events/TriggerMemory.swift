// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A record of the IDs of events that have fired.
///
/// With this record, events with the same ID fire only once, even if cells are re-created or reused. A memory lasts as
/// long as its owner; ``process`` is shared by the whole process. Callable from any thread.
public final class TriggerMemory: Sendable {
    /// The process's shared memory.
    ///
    /// This memory lasts until the process ends and contains at least the newest 50,000 IDs.
    public static let process = TriggerMemory(maximumCount: 100_000)

    private struct State: Sendable {
        var newer: Set<String> = []
        var older: Set<String> = []
    }

    private let generationLimit: Int
    private let state = Locked(State())

    /// Creates a separate memory.
    ///
    /// - Parameter maximumCount: the maximum number of IDs, at least 2; when it would be exceeded, the older half is
    ///   discarded.
    public init(maximumCount: Int = 100_000) {
        generationLimit = max(1, maximumCount / 2)
    }

    /// The number of stored IDs.
    public var count: Int { state.withLock { $0.newer.count + $0.older.count } }

    /// Returns whether an event with this ID has fired.
    public func contains(_ id: String) -> Bool {
        state.withLock { $0.newer.contains(id) || $0.older.contains(id) }
    }

    /// Removes all IDs, so that their events can fire again.
    public func forget() {
        state.withLock { $0 = State() }
    }

    /// Adds an ID.
    ///
    /// - Returns: Whether the ID was new.
    func insert(_ id: String) -> Bool {
        state.withLock { state in
            guard !state.older.contains(id), state.newer.insert(id).inserted else { return false }
            if state.newer.count >= generationLimit {
                state.older = state.newer
                state.newer = []
            }
            return true
        }
    }
}
