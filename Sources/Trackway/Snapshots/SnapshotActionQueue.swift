// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayLifecycle

/// The pending actions of the ``SnapshotMachine``, in order.
struct SnapshotActionQueue: Sendable {
    private var actions: [SnapshotMachine.Action] = []
    /// The number of actions that have already been taken.
    ///
    /// Taken actions are removed once all actions are taken, because each removal would shift all actions that follow.
    private var nextIndex = 0
    /// The number of pending actions to save.
    private var saves = 0

    /// Whether no action is pending.
    var isEmpty: Bool { actions.isEmpty }

    /// Adds actions after the pending ones.
    mutating func append(_ more: [SnapshotMachine.Action]) {
        actions += more
        saves += more.count { $0 == .save }
    }

    /// Takes the first action.
    ///
    /// A save stores the state at the time when it runs, so only the last of several saves is needed.
    mutating func next() -> SnapshotMachine.Action? {
        while nextIndex < actions.count {
            let action = actions[nextIndex]
            nextIndex += 1
            if nextIndex == actions.count { (actions, nextIndex) = ([], 0) }
            guard action == .save else { return action }
            saves -= 1
            if saves == 0 { return action }
        }
        return nil
    }

    /// Discards actions that would record or store something.
    ///
    /// Sources are still queried, started and stopped.
    mutating func discardWrites() {
        let others = actions[nextIndex...].filter { action in
            switch action {
            case .recordProperties, .recordState, .save: false
            case .query, .startHeading, .stopHeading, .startMotion, .stopMotion, .reportUnresponsiveSource: true
            }
        }
        (actions, nextIndex, saves) = (others, 0, 0)
    }
}
