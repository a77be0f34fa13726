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
        copy { $0.content }
    }

    /// The storage as it is when the power came back.
    ///
    /// - Complexity: O(bytes stored).
    public func afterPowerLoss(_ loss: PowerLoss = .everythingUnflushed) -> MemoryStorage {
        var random = SeededGenerator(seed: 0)
        if case .someUnflushed(let seed) = loss { random = SeededGenerator(seed: seed) }
        return state.withLock { old in
            var left = State()
            left.folders = old.folders
            left.capacity = old.capacity
            left.removed = old.removed.map { _ in [:] }
            // Sorted: the same seed must decide the same way every time, and a dictionary's order differs per process.
            for path in Set(old.entries.keys).union(old.flushedEntries.keys).sorted() {
                var survivor = old.flushedEntries[path]
                if case .someUnflushed = loss, survivor !== old.entries[path], random.nextBool() {
                    survivor = old.entries[path]
                }
                guard let survivor else { continue }
                let content = survivor.remains(loss, &random)
                let file = MemoryFile(content: content, flushed: content)
                left.entries[path] = file
                left.flushedEntries[path] = file
            }
            return MemoryStorage(left)
        }
    }

    /// A copy in which removed files lie where they were, unless another file has their name now. Only a storage that
    /// was made to remember them has any.
    ///
    /// - Complexity: O(bytes stored and removed).
    public func includingRemoved() -> MemoryStorage {
        let full = copy { $0.content }
        let removed = state.withLock { $0.removed ?? [:] }
        full.state.withLock { state in
            for (path, file) in removed where state.entries[path] == nil {
                let content = file.content
                state.entries[path] = MemoryFile(content: content, flushed: content)
                var folder = Self.folder(of: path)
                while folder.count > 1 {
                    state.folders.insert(folder)
                    folder = Self.folder(of: folder)
                }
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
            state.entries[path] = changed
            state.flushedEntries[path] = changed
        }
    }

    private func copy(_ content: (MemoryFile) -> [UInt8]) -> MemoryStorage {
        let old = state.withLock { $0 }
        var fresh = State()
        fresh.folders = old.folders
        fresh.capacity = old.capacity
        fresh.removed = old.removed.map { _ in [:] }
        var copies: [ObjectIdentifier: MemoryFile] = [:]
        for (path, file) in old.entries {
            let copy = MemoryFile(content: content(file), flushed: file.flushed)
            copies[ObjectIdentifier(file)] = copy
            fresh.entries[path] = copy
        }
        for (path, file) in old.flushedEntries {
            let copy = copies[ObjectIdentifier(file)] ?? MemoryFile(content: file.content, flushed: file.flushed)
            fresh.flushedEntries[path] = copy
        }
        return MemoryStorage(fresh)
    }
}
