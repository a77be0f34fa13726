// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
public import TrackwayJournal

/// An in-memory file system that can lose power, with worst-case behavior.
///
/// It distinguishes the state that processes see from the state that survives power loss, has a capacity, and can
/// remember removed files.
/// - A file's bytes survive once the file has been flushed; its name, once its folder has been flushed; the folder's
///   name, once the parent folder has been flushed, and so on up to the root.
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

        /// Returns a copy with separate files, without locks and watches.
        func copied() -> State {
            State(tree: tree.copied { $0.copied() }, removed: removed.map { _ in [:] }, capacity: capacity)
        }

        /// Returns the changes since the last call, with the handlers to notify.
        mutating func consumeChangeFlag() -> [(tell: @Sendable (StorageChange) -> Void, change: StorageChange)] {
            guard !tree.changed.isEmpty || !watches.isEmpty else { return [] }
            defer { tree.changed = [] }
            var news: [(tell: @Sendable (StorageChange) -> Void, change: StorageChange)] = []
            for (number, watched) in watches {
                for change in tree.changed where change.folder == watched.folder {
                    news.append((watched.tell, .entry(change.name)))
                }
                guard tree.folder(at: watched.path) != watched.folder else { continue }
                news.append((watched.tell, .ended))
                watches[number] = nil
            }
            tree.watched = Set(watches.values.map(\.folder))
            return news
        }
    }

    private struct Watched: Sendable {
        var path: String
        var folder: Int
        var tell: @Sendable (StorageChange) -> Void
    }

    private let state: Locked<State>

    /// Creates an empty storage.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of bytes of all files together; nil for no limit.
    ///   - remembersRemoved: Whether removed files stay readable through ``includingRemoved()``, which takes memory.
    ///   - supportsWatching: Whether folders can be watched. If not, clients have to poll.
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
            let place = try Self.place(of: path, in: state, "open")
            let old = state.tree.file(at: path)?.length ?? 0
            try Self.checkCanAdd(state, path, for: bytes.count - old, "write")
            state.tree.set(place.name, in: place.folder, to: .file(fresh))
            if durably { state.tree.flush(place.folder) }
        }
    }

    public func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            let place = try Self.place(of: path, in: state, "open")
            let old = state.tree.file(at: path)
            try Self.checkCanAdd(state, path, for: bytes.count - (old?.length ?? 0), "write")
            if let old {
                // Keep the flushed content: a power loss restores it, under this name if the name was flushed.
                state.tree.exchange(old, for: old.rewritten(bytes), named: place.name, in: place.folder)
            } else {
                let fresh = MemoryFile(content: bytes, flushed: [])
                state.tree.set(place.name, in: place.folder, to: .file(fresh))
            }
        }
    }

    public func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool {
        try change { (state) throws(StorageError) in
            let place = try Self.place(of: path, in: state, "create")
            if state.tree.node(at: path) != nil { return false }
            try Self.checkCanAdd(state, path, for: bytes.count, "create")
            let fresh = MemoryFile(content: bytes, flushed: durably ? bytes : [])
            state.tree.set(place.name, in: place.folder, to: .file(fresh))
            if durably { state.tree.flush(place.folder) }
            return true
        }
    }

    public func rename(_ path: String, to other: String) throws(StorageError) {
        try change { (state) throws(StorageError) in
            let from = try Self.place(of: path, in: state, "rename")
            let to = try Self.place(of: other, in: state, "rename")
            guard let node = state.tree.node(at: path) else { throw Self.missing("rename", path) }
            state.tree.set(from.name, in: from.folder, to: nil)
            state.tree.set(to.name, in: to.folder, to: node)
        }
    }

    public func remove(_ path: String) {
        change { state in
            guard let place = state.tree.place(of: path), let file = state.tree.file(at: path) else { return }
            state.tree.set(place.name, in: place.folder, to: nil)
            state.removed?[path] = file
        }
    }

    public func removeFolder(_ path: String) throws(StorageError) {
        try change { (state) throws(StorageError) in
            guard let place = state.tree.place(of: path), state.tree.folder(at: path) != nil else { return }
            guard state.tree.names(in: path).isEmpty else {
                throw StorageError(.other, operation: "remove the folder", path: path, number: 39)
            }
            state.tree.removeFolder(place.name, in: place.folder)
        }
    }

    public func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try change { (state) throws(StorageError) in
            let place = try Self.place(of: path, in: state, "create")
            if state.tree.node(at: path) != nil {
                throw StorageError(.other, operation: "create", path: path, number: 17)
            }
            try Self.checkCanAdd(state, path, for: bytes, "reserve \(bytes) bytes for")
            let fresh = MemoryFile(bytes: bytes)
            state.tree.set(place.name, in: place.folder, to: .file(fresh))
            return fresh
        }
    }

    public func lock(_ path: String) throws(StorageError) -> (any StorageLock)? {
        let file = try state.withLock { state throws(StorageError) -> MemoryFile? in
            let place = try Self.place(of: path, in: state, "open the lock")
            let file: MemoryFile
            if let known = state.tree.file(at: path) {
                file = known
            } else {
                file = MemoryFile(bytes: 0)
                state.tree.set(place.name, in: place.folder, to: .file(file))
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
            state.watches[number] = Watched(path: folder, folder: id, tell: onChange)
            state.tree.watched.insert(id)
            return MemoryHandle { [weak self] in
                // The removed value is released outside the lock.
                _ = self?.state.withLock { $0.watches.removeValue(forKey: number) }
            }
        }
    }

    // MARK: Helpers

    /// Changes names, and then notifies watchers.
    private func change<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (result, news) = try state.withLock { (state) throws(Failure) in
            let result = try body(&state)
            return (result, state.consumeChangeFlag())
        }
        for (tell, change) in news { tell(change) }
        return result
    }

    private func file(_ path: String) -> MemoryFile? {
        state.withLock { $0.tree.file(at: path) }
    }

    private static func place(
        of path: String,
        in state: State,
        _ operation: String
    ) throws(StorageError) -> (folder: Int, name: String) {
        guard let place = state.tree.place(of: path) else { throw missing(operation, path) }
        return place
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

    /// Returns the storage for the next process if this one is killed.
    ///
    /// It contains everything that was written, and no locks are held. Later writes of the old process go to the old
    /// storage, and are not visible in the new one. If this storage remembers removed files, the new one starts without
    /// any and remembers those that the next process removes.
    ///
    /// - Complexity: O(bytes stored).
    public func afterKill() -> MemoryStorage {
        // Copy under the lock, so that the names and files are from the same moment.
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
    /// They are at their old paths, unless another file now has the same path. Only a storage that was created to
    /// remember removed files contains any.
    ///
    /// - Complexity: O(bytes stored and removed).
    public func includingRemoved() -> MemoryStorage {
        MemoryStorage(
            state.withLock { old in
                var full = old.copied()
                for (path, file) in old.removed ?? [:] where full.tree.node(at: path) == nil {
                    let parent = MemoryTree.parts(path).dropLast().joined(separator: "/")
                    full.tree.makeFolder("/" + parent)
                    guard let place = full.tree.place(of: path) else { continue }
                    let content = file.content
                    let copy = MemoryFile(content: content, flushed: content)
                    full.tree.set(place.name, in: place.folder, to: .file(copy))
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
            guard let place = state.tree.place(of: path) else { return }
            state.tree.exchange(file, for: changed, named: place.name, in: place.folder)
        }
    }

    /// Removes a folder and its contents from outside.
    ///
    /// This simulates a user or a cleanup tool. Does nothing if the folder does not exist. A process that has files
    /// open in it keeps them, without a name.
    public func sweep(_ folder: String) {
        change { state in
            guard let place = state.tree.place(of: folder) else { return }
            state.tree.set(place.name, in: place.folder, to: nil)
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
    private let give: Locked<(@Sendable () -> Void)?>

    init(giveBack: @escaping @Sendable () -> Void) {
        give = Locked(giveBack)
    }

    deinit {
        release()
    }

    func end() {
        release()
    }

    func release() {
        let giveBack = give.withLock { held in
            defer { held = nil }
            return held
        }
        giveBack?()
    }
}
