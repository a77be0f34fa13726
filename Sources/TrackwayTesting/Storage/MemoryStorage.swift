// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
public import TrackwayJournal

/// A file system in memory that can lose power.
///
/// It keeps apart what a process sees and what would survive power loss, has a size, and can remember removed files.
/// Simplified against a real one: folders themselves survive power loss at once. All calls may come from any thread.
public final class MemoryStorage: JournalStorage {
    struct State: Sendable {
        var folders: Set<String> = ["/"]
        var entries: [String: MemoryFile] = [:]
        /// Names as power loss would leave them.
        var flushedEntries: [String: MemoryFile] = [:]
        /// Removed files, when they are to be remembered.
        var removed: [String: MemoryFile]?
        var locks: Set<String> = []
        var capacity: Int?

        var used: Int { entries.values.reduce(0) { $0 + $1.length } }
    }

    let state: Locked<State>

    /// Makes an empty storage.
    ///
    /// - Parameters:
    ///   - capacity: how many bytes fit, in all files together; nil for no bound.
    ///   - remembersRemoved: whether removed files stay readable through ``includingRemoved()``; they then take memory.
    public init(capacity: Int? = nil, remembersRemoved: Bool = false) {
        state = Locked(State(removed: remembersRemoved ? [:] : nil, capacity: capacity))
    }

    init(_ state: State) {
        self.state = Locked(state)
    }

    /// How many bytes fit; nil for no bound. Lowering it below what is stored makes the disk full and removes nothing.
    public var capacity: Int? {
        get { state.withLock { $0.capacity } }
        set { state.withLock { $0.capacity = newValue } }
    }

    /// The paths of all files, sorted.
    public var paths: [String] {
        state.withLock { $0.entries.keys.sorted() }
    }

    // MARK: JournalStorage

    public func makeFolder(_ path: String) {
        state.withLock { state in
            var path = path
            while path.count > 1 {
                state.folders.insert(path)
                path = Self.folder(of: path)
            }
        }
    }

    public func names(in folder: String) -> [String] {
        state.withLock { state in
            (Array(state.entries.keys) + Array(state.folders)).compactMap { path in
                path != folder && Self.folder(of: path) == folder ? Self.name(of: path) : nil
            }
        }
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
        try state.withLock { state throws(StorageError) in
            let old = state.entries[path]?.length ?? 0
            try Self.checkRoom(state, path, for: bytes.count - old, "write")
            state.entries[path] = fresh
            if durably { state.flushedEntries[path] = fresh }
        }
    }

    public func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            let old = state.entries[path]
            guard state.folders.contains(Self.folder(of: path)) else {
                throw StorageError(.missing, operation: "open", path: path, number: 2)
            }
            try Self.checkRoom(state, path, for: bytes.count - (old?.length ?? 0), "write")
            // The same file: what was flushed of it is what power loss leaves, under its name if that was flushed.
            let file = MemoryFile(content: bytes, flushed: old?.flushed ?? [])
            if let old, state.flushedEntries[path] === old { state.flushedEntries[path] = file }
            state.entries[path] = file
        }
    }

    public func create(_ path: String, with bytes: [UInt8]) throws(StorageError) -> Bool {
        try state.withLock { state throws(StorageError) in
            if state.entries[path] != nil { return false }
            try Self.checkRoom(state, path, for: bytes.count, "create")
            let fresh = MemoryFile(content: bytes, flushed: bytes)
            state.entries[path] = fresh
            state.flushedEntries[path] = fresh
            return true
        }
    }

    public func rename(_ path: String, to other: String) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            guard let file = state.entries.removeValue(forKey: path) else {
                throw StorageError(.missing, operation: "rename", path: path, number: 2)
            }
            state.entries[other] = file
        }
    }

    public func remove(_ path: String) {
        state.withLock { state in
            guard let file = state.entries.removeValue(forKey: path) else { return }
            state.removed?[path] = file
        }
    }

    public func removeFolder(_ path: String) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            let inside = path + "/"
            let isEmpty =
                !state.entries.keys.contains { $0.hasPrefix(inside) }
                && !state.folders.contains { $0.hasPrefix(inside) }
            guard isEmpty else { throw StorageError(.other, operation: "remove the folder", path: path, number: 39) }
            state.folders.remove(path)
        }
    }

    public func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try state.withLock { state throws(StorageError) in
            if state.entries[path] != nil { throw StorageError(.other, operation: "create", path: path, number: 17) }
            guard state.folders.contains(Self.folder(of: path)) else {
                throw StorageError(.missing, operation: "create", path: path, number: 2)
            }
            try Self.checkRoom(state, path, for: bytes, "reserve \(bytes) bytes for")
            let fresh = MemoryFile(bytes: bytes)
            state.entries[path] = fresh
            return fresh
        }
    }

    public func lock(_ path: String) -> (any StorageLock)? {
        let isTaken = state.withLock { state in
            if state.entries[path] == nil { state.entries[path] = MemoryFile(bytes: 0) }
            return !state.locks.insert(path).inserted
        }
        if isTaken { return nil }
        return MemoryLock { [state] in state.withLock { _ = $0.locks.remove(path) } }
    }

    public func synchronize(_ path: String) {
        file(path)?.synchronize()
    }

    public func synchronizeFolder(_ path: String) {
        state.withLock { state in
            for name in state.flushedEntries.keys where Self.folder(of: name) == path {
                state.flushedEntries[name] = nil
            }
            for (name, file) in state.entries where Self.folder(of: name) == path {
                state.flushedEntries[name] = file
            }
        }
    }

    public func freeBytes(at path: String) -> Int? {
        state.withLock { state in state.capacity.map { max($0 - state.used, 0) } }
    }

    // MARK: Parts

    func file(_ path: String) -> MemoryFile? {
        state.withLock { $0.entries[path] }
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func name(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path }
        return String(path[path.index(after: slash)...])
    }

    private static func checkRoom(
        _ state: State,
        _ path: String,
        for bytes: Int,
        _ operation: String
    ) throws(StorageError) {
        guard bytes > 0, let capacity = state.capacity, state.used + bytes > capacity else { return }
        throw StorageError(.full, operation: operation, path: path, number: 28)
    }
}
