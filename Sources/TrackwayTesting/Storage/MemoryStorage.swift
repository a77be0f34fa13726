// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
public import TrackwayJournal

/// An in-memory file system that can lose power, with worst-case behavior.
///
/// It distinguishes the state that processes see from the state that survives power loss, has a capacity, and can
/// remember removed files.
/// - A file's bytes survive once the file has been flushed; its name survives once its folder has been flushed; the
///   folder's name survives once the parent folder has been flushed, and so on up to the root.
/// - A rename or a removal survives once the folders that it changed have been flushed.
/// - Changes covered by a failed flush (``FaultyStorage``) count as clean although they are lost: a later flush of the
///   same file or folder, by any process, reports success and writes only changes made since.
/// Thread-safe.
public final class MemoryStorage: JournalStorage {
    private struct State: Sendable {
        var tree = MemoryTree()
        /// Removed files by path, if they are remembered.
        var removed: [String: MemoryFile]?
        /// Files whose lock is held.
        var locks: Set<ObjectIdentifier> = []
        var capacity: Int?
        var supportsWatching = false
        var watches: [UInt64: Watched] = [:]
        var lastWatch: UInt64 = 0

        var used: Int { tree.files.reduce(0) { $0 + $1.file.length } }

        /// Returns a copy with separate files, without locks or watches.
        func copied() -> State {
            State(tree: tree.copied { $0.copied() }, removed: removed.map { _ in [:] }, capacity: capacity)
        }

        /// Returns the changes since the last call, with the handlers to notify.
        mutating func takeChanges() -> [(notify: @Sendable (StorageChange) -> Void, change: StorageChange)] {
            guard !tree.changed.isEmpty || !watches.isEmpty else { return [] }
            defer { tree.changed = [] }
            var notifications: [(notify: @Sendable (StorageChange) -> Void, change: StorageChange)] = []
            for (number, watched) in watches {
                for change in tree.changed where change.folder == watched.folder {
                    notifications.append((watched.notify, .entry(change.name)))
                }
                guard tree.folder(at: watched.path) != watched.folder else { continue }
                notifications.append((watched.notify, .ended))
                watches[number] = nil
            }
            tree.watched = Set(watches.values.map(\.folder))
            return notifications
        }
    }

    private struct Watched: Sendable {
        var path: String
        var folder: Int
        var notify: @Sendable (StorageChange) -> Void
    }

    private let state: Locked<State>

    /// Creates an empty storage.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of bytes of all files together; nil for no limit.
    ///   - remembersRemoved: Whether removed files stay readable through ``includingRemoved()``, which takes memory.
    ///   - supportsWatching: Whether folders can be watched. If they cannot, clients have to poll.
    public init(capacity: Int? = nil, remembersRemoved: Bool = false, supportsWatching: Bool = false) {
        state = Locked(
            State(removed: remembersRemoved ? [:] : nil, capacity: capacity, supportsWatching: supportsWatching)
        )
    }

    private init(_ state: State) {
        self.state = Locked(state)
    }

    /// The maximum number of bytes; nil for no limit.
    ///
    /// Lowering it below the stored size makes the disk full, and removes nothing.
    public var capacity: Int? {
        get { state.withLock { $0.capacity } }
        set { state.withLock { $0.capacity = newValue } }
    }

    /// The paths of all files, sorted.
    public var paths: [String] {
        state.withLock { $0.tree.files.map(\.path) }
    }

    // MARK: JournalStorage

    public func makeFolder(_ path: String) {
        change { state in state.tree.makeFolder(path) }
    }

    public func names(in folder: String) -> [String] {
        state.withLock { $0.tree.names(in: folder) }
    }

    public func contents(of path: String) -> [UInt8]? {
        file(path)?.content
    }

    public func size(of path: String) -> Int? {
        file(path)?.length
    }

    public func read(_ path: String, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        file(path)?.read(at: offset, into: buffer)
    }

    public func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) {
        let fresh = MemoryFile(content: bytes, flushed: durably ? bytes : [])
        try change { (state) throws(StorageError) in
            let entry = try Self.entry(at: path, in: state, "open")
            let old = state.tree.file(at: path)?.length ?? 0
            try Self.checkCanAdd(state, path, for: bytes.count - old, "write")
            state.tree.set(entry.name, in: entry.folder, to: .file(fresh))
            if durably { state.tree.flush(entry.folder) }
        }
    }

    public func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            let entry = try Self.entry(at: path, in: state, "open")
            let old = state.tree.file(at: path)
            try Self.checkCanAdd(state, path, for: bytes.count - (old?.length ?? 0), "write")
            if let old {
                // Keep the flushed content: a power loss restores it, under this name if the name was flushed.
                state.tree.exchange(old, for: old.rewritten(bytes), named: entry.name, in: entry.folder)
            } else {
                let fresh = MemoryFile(content: bytes, flushed: [])
                state.tree.set(entry.name, in: entry.folder, to: .file(fresh))
            }
        }
    }

    public func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool {
        try change { (state) throws(StorageError) in
            let entry = try Self.entry(at: path, in: state, "create")
            if state.tree.node(at: path) != nil { return false }
            try Self.checkCanAdd(state, path, for: bytes.count, "create")
            let fresh = MemoryFile(content: bytes, flushed: durably ? bytes : [])
            state.tree.set(entry.name, in: entry.folder, to: .file(fresh))
            if durably { state.tree.flush(entry.folder) }
            return true
        }
    }

    public func rename(_ path: String, to other: String) throws(StorageError) {
        try change { (state) throws(StorageError) in
            let from = try Self.entry(at: path, in: state, "rename")
            let to = try Self.entry(at: other, in: state, "rename")
            guard let node = state.tree.node(at: path) else { throw Self.missing("rename", path) }
            state.tree.set(from.name, in: from.folder, to: nil)
            state.tree.set(to.name, in: to.folder, to: node)
        }
    }

    public func remove(_ path: String) {
        change { state in
            guard let entry = state.tree.entry(at: path), let file = state.tree.file(at: path) else { return }
            state.tree.set(entry.name, in: entry.folder, to: nil)
            state.removed?[path] = file
        }
    }

    public func removeFolder(_ path: String) throws(StorageError) {
        try change { (state) throws(StorageError) in
            guard let entry = state.tree.entry(at: path), state.tree.folder(at: path) != nil else { return }
            guard state.tree.names(in: path).isEmpty else {
                throw StorageError(.other, operation: "remove the folder", path: path, number: 39)
            }
            state.tree.removeFolder(entry.name, in: entry.folder)
        }
    }

    public func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try change { (state) throws(StorageError) in
            let entry = try Self.entry(at: path, in: state, "create")
            if state.tree.node(at: path) != nil {
                throw StorageError(.other, operation: "create", path: path, number: 17)
            }
            try Self.checkCanAdd(state, path, for: bytes, "reserve \(bytes) bytes for")
            let fresh = MemoryFile(bytes: bytes)
            state.tree.set(entry.name, in: entry.folder, to: .file(fresh))
            return fresh
        }
    }

    public func lock(_ path: String) throws(StorageError) -> (any StorageLock)? {
        let file = try state.withLock { state throws(StorageError) -> MemoryFile? in
            let entry = try Self.entry(at: path, in: state, "open the lock")
            let file: MemoryFile
            if let known = state.tree.file(at: path) {
                file = known
            } else {
                file = MemoryFile(bytes: 0)
                state.tree.set(entry.name, in: entry.folder, to: .file(file))
            }
            // Lock the file rather than its name, as the system does: a re-created file has a separate lock.
            return state.locks.insert(ObjectIdentifier(file)).inserted ? file : nil
        }
        guard let file else { return nil }
        return MemoryHandle { [state] in state.withLock { _ = $0.locks.remove(ObjectIdentifier(file)) } }
    }

    public func synchronize(_ path: String) {
        file(path)?.synchronize()
    }

    public func synchronizeFolder(_ path: String) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            guard let folder = state.tree.folder(at: path) else { throw Self.missing("flush the folder", path) }
            state.tree.flush(folder)
        }
    }

    public func freeBytes(at path: String) -> Int? {
        state.withLock { state in state.capacity.map { max($0 - state.used, 0) } }
    }

    public func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)? {
        state.withLock { state -> MemoryHandle? in
            guard state.supportsWatching, let id = state.tree.folder(at: folder) else { return nil }
            state.lastWatch += 1
            let number = state.lastWatch
            state.watches[number] = Watched(path: folder, folder: id, notify: onChange)
            state.tree.watched.insert(id)
            return MemoryHandle { [weak self] in
                // The removed value is released outside the lock.
                _ = self?.state.withLock { $0.watches.removeValue(forKey: number) }
            }
        }
    }

    // MARK: Helpers

    /// Changes names in the tree, and then notifies watchers.
    private func change<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (result, notifications) = try state.withLock { (state) throws(Failure) in
            let result = try body(&state)
            return (result, state.takeChanges())
        }
        for (notify, change) in notifications { notify(change) }
        return result
    }

    private func file(_ path: String) -> MemoryFile? {
        state.withLock { $0.tree.file(at: path) }
    }

    private static func entry(
        at path: String,
        in state: State,
        _ operation: String
    ) throws(StorageError) -> (folder: Int, name: String) {
        guard let entry = state.tree.entry(at: path) else { throw missing(operation, path) }
        return entry
    }

    private static func missing(_ operation: String, _ path: String) -> StorageError {
        StorageError(.missing, operation: operation, path: path, number: 2)
    }

    private static func checkCanAdd(
        _ state: State,
        _ path: String,
        for bytes: Int,
        _ operation: String
    ) throws(StorageError) {
        guard bytes > 0, let capacity = state.capacity, state.used + bytes > capacity else { return }
        throw StorageError(.full, operation: operation, path: path, number: 28)
    }

    /// Returns the storage for the next process, as if this one were killed.
    ///
    /// It contains everything that was written, and no locks are held. Later writes of the old process go to the old
    /// storage, and are not visible in the new one. If this storage remembers removed files, the new one starts without
    /// remembered files, and remembers the files that the next process removes.
    ///
    /// - Complexity: O(bytes stored).
    public func afterKill() -> MemoryStorage {
        // Copy under the lock, so that the names and the files are consistent.
        MemoryStorage(state.withLock { $0.copied() })
    }

    /// Returns the storage after a power loss.
    ///
    /// - Complexity: O(bytes stored).
    public func afterPowerLoss(_ loss: PowerLoss = .everythingUnflushed) -> MemoryStorage {
        MemoryStorage(
            state.withLock { old in
                State(
                    tree: old.tree.afterPowerLoss(loss),
                    removed: old.removed.map { _ in [:] },
                    capacity: old.capacity
                )
            }
        )
    }

    /// Returns a copy that includes the removed files.
    ///
    /// The removed files are at their old paths, unless another file now has the same path. Only a storage that was
    /// created to remember removed files contains any.
    ///
    /// - Complexity: O(bytes stored and removed).
    public func includingRemoved() -> MemoryStorage {
        MemoryStorage(
            state.withLock { old in
                var full = old.copied()
                for (path, file) in old.removed ?? [:] where full.tree.node(at: path) == nil {
                    let parent = MemoryTree.parts(path).dropLast().joined(separator: "/")
                    full.tree.makeFolder("/" + parent)
                    guard let entry = full.tree.entry(at: path) else { continue }
                    let content = file.content
                    let copy = MemoryFile(content: content, flushed: content)
                    full.tree.set(entry.name, in: entry.folder, to: .file(copy))
                }
                return full
            }
        )
    }

    /// Changes a file's content from outside.
    ///
    /// This simulates disk damage or an attacker. Does nothing if the file does not exist. A process that has the file
    /// mapped does not see the change.
    ///
    /// - Complexity: O(bytes of the file).
    public func damage(_ path: String, _ change: (inout [UInt8]) -> Void) {
        guard let file = file(path) else { return }
        var content = file.content
        change(&content)
        let changed = MemoryFile(content: content, flushed: content)
        state.withLock { state in
            guard let entry = state.tree.entry(at: path) else { return }
            state.tree.exchange(file, for: changed, named: entry.name, in: entry.folder)
        }
    }

    /// Removes a folder and its contents from outside.
    ///
    /// This simulates a user or a cleanup tool. Does nothing if the folder does not exist. Files in the folder that a
    /// process has open stay usable for that process, without a name.
    public func sweep(_ folder: String) {
        change { state in
            guard let entry = state.tree.entry(at: folder) else { return }
            state.tree.set(entry.name, in: entry.folder, to: nil)
        }
    }

    /// Simulates a failed flush of a file or folder.
    ///
    /// The changes that it covered are lost, and count as clean from now on.
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

/// The unflushed data that is lost in a power loss.
public enum PowerLoss: Sendable, Hashable {
    /// All unflushed data is lost.
    ///
    /// Files and folders are as they were at their last flush.
    case everythingUnflushed
    /// Some unflushed data is lost, in any order.
    ///
    /// Every 512-byte sector, file length, new name, and removal that was not flushed survives or not, as the seed
    /// determines. Writes can be torn, and a later write can survive although an earlier one is lost.
    case someUnflushed(seed: UInt64)
}

/// An advisory lock, or a watch on a folder, of a ``MemoryStorage``.
private final class MemoryHandle: StorageLock, StorageWatch {
    private let releaseHandler: Locked<(@Sendable () -> Void)?>

    init(onRelease: @escaping @Sendable () -> Void) {
        releaseHandler = Locked(onRelease)
    }

    deinit {
        release()
    }

    func end() {
        release()
    }

    func release() {
        let onRelease = releaseHandler.withLock { held in
            defer { held = nil }
            return held
        }
        onRelease?()
    }
}
