// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension MemoryStorage {
    /// The storage as the next process finds it when this one was killed: everything written is there, no lock is held.
    ///
    /// What the old process still writes goes to the old value and is not seen in the new one. A storage that remembers
    /// removed files remembers, from here on, those that the next process removes.
    ///
    /// - Complexity: O(bytes stored).
    public func afterKill() -> MemoryStorage {
        let old = state.withLock { $0 }
        return MemoryStorage(
            State(tree: old.tree.copied { $0.copied() }, removed: old.removed.map { _ in [:] }, capacity: old.capacity)
        )
    }

    /// The storage as it is when the power came back.
    ///
    /// - Complexity: O(bytes stored).
    public func afterPowerLoss(_ loss: PowerLoss = .everythingUnflushed) -> MemoryStorage {
        let old = state.withLock { $0 }
        return MemoryStorage(
            State(
                tree: old.tree.afterPowerLoss(loss),
                removed: old.removed.map { _ in [:] },
                capacity: old.capacity
            )
        )
    }

    /// A copy in which removed files lie where they were, unless another file has their name now. Only a storage that
    /// was made to remember them has any.
    ///
    /// - Complexity: O(bytes stored and removed).
    public func includingRemoved() -> MemoryStorage {
        let full = afterKill()
        let removed = state.withLock { $0.removed ?? [:] }
        full.state.withLock { state in
            for (path, file) in removed where state.tree.node(at: path) == nil {
                let parent = MemoryTree.parts(path).dropLast().joined(separator: "/")
                state.tree.makeFolder("/" + parent)
                guard let place = state.tree.place(of: path) else { continue }
                let content = file.content
                let copy = MemoryFile(content: content, flushed: content)
                state.tree.set(place.name, in: place.folder, to: .file(copy))
            }
        }
        return full
    }

    /// Changes a file's content behind the back of everybody, as damage or an attacker would.
    ///
    /// Does nothing when there is no such file. A process that has the file mapped does not see the change.
    ///
    /// - Complexity: O(bytes of the file).
    public func damage(_ path: String, _ change: (inout [UInt8]) -> Void) {
        guard let file = file(path) else { return }
        var content = file.content
        change(&content)
        let changed = MemoryFile(content: content, flushed: content)
        state.withLock { state in
            guard let place = state.tree.place(of: path) else { return }
            state.tree.exchange(file, for: changed, named: place.name, in: place.folder)
        }
    }

    /// Removes a folder with everything in it at once, behind the back of everybody, as a person or a cleaner would.
    ///
    /// Does nothing when there is no such folder. A process that has files open there keeps them, without a name.
    public func sweep(_ folder: String) {
        state.withLock { state in
            guard let place = state.tree.place(of: folder) else { return }
            state.tree.set(place.name, in: place.folder, to: nil)
        }
    }

    /// A flush of a file or folder fails: what it covered is lost, and counts as clean from now on.
    func loseUnflushed(_ path: String) {
        state.withLock { state in
            if let folder = state.tree.folder(at: path) {
                state.tree.loseNames(of: folder)
            } else {
                state.tree.file(at: path)?.loseUnflushed()
            }
        }
    }
}
