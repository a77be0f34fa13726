// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Watches an installation's folder for the delivering process.
///
/// Detects delivery requests from other processes, and writers that are added and removed. If a watch ends because
/// the folder was removed or moved, the next ``renew()`` restarts it.
final class FolderWatch: Sendable {
    private struct Slot: Sendable {
        var watch: (any StorageWatch)?
        /// The number of watches started so far.
        ///
        /// Distinguishes the end of an old watch from the end of its replacement.
        var begun = 0
    }

    private struct State: Sendable {
        /// The watch for delivery requests.
        var requests = Slot()
        /// The watch for writers' folders.
        var writers = Slot()
        var isOver = false
    }

    private let folder: JournalFolder
    private let storage: any JournalStorage
    private let changed: @Sendable () -> Void
    private let state = Locked(State())

    /// - Parameter changed: called on any thread after a change; must not block.
    init(_ folder: JournalFolder, in storage: any JournalStorage, changed: @escaping @Sendable () -> Void) {
        self.folder = folder
        self.storage = storage
        self.changed = changed
    }

    /// Starts the missing watches; changes made after this returns are reported.
    ///
    /// - Returns: false when either watch could not be started; callers must then poll.
    func renew() -> Bool {
        let request = JournalFolder.deliveryRequest
        return state.withLock { state in
            guard !state.isOver else { return false }
            begin(\.requests, in: &state, folder.root, for: .replacedFiles) { $0 == request }
            begin(\.writers, in: &state, folder.writers, for: .folders) { _ in true }
            return state.requests.watch != nil && state.writers.watch != nil
        }
    }

    private func begin(
        _ slot: any WritableKeyPath<State, Slot> & Sendable,
        in state: inout State,
        _ path: String,
        for entries: WatchedEntries,
        concerns: @escaping @Sendable (String) -> Bool
    ) {
        guard state[keyPath: slot].watch == nil else { return }
        state[keyPath: slot].begun += 1
        let number = state[keyPath: slot].begun
        state[keyPath: slot].watch = storage.watch(path, for: entries) { [weak self] change in
            switch change {
            case .entry(let name): if concerns(name) { self?.changed() }
            case .unknown: self?.changed()
            case .ended: self?.ended(slot, number)
            }
        }
    }

    private func ended(_ slot: any WritableKeyPath<State, Slot> & Sendable, _ number: Int) {
        state.withLock { state in
            if state[keyPath: slot].begun == number { state[keyPath: slot].watch = nil }
        }
        changed()
    }

    /// Ends the watches permanently.
    func end() {
        // Watches are ended outside the lock, because a callback on another thread may be waiting for that lock.
        let watches = state.withLock { state in
            defer { state = State(isOver: true) }
            return [state.requests.watch, state.writers.watch]
        }
        for watch in watches { watch?.end() }
    }
}
