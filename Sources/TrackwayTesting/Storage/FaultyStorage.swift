// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import TrackwayEvents
public import TrackwayJournal

/// A storage with injectable failures.
///
/// A failure can start at the nth call, affect only some files, and be temporary or permanent.
///
/// ```swift
/// let storage = FaultyStorage()
/// storage.fail(.synchronizeSegment, with: .inputOutput, after: 2, times: 1)   // the third flush fails
/// storage.fail(.makeSegment, with: .noSpace)                                  // the disk is full from now on
/// storage.heal()                                                              // the disk has space again
/// ```
/// Thread-safe.
public final class FaultyStorage: JournalStorage {
    private struct Rule: Sendable {
        var operation: StorageOperation
        var fault: StorageFault
        var part: String
        var skip: Int
        var times: Int
    }

    private struct State: Sendable {
        var rules: [Rule] = []
        var counts: [StorageOperation: Int] = [:]
        /// The calls to hold, by operation.
        ///
        /// Each entry has the text that affected paths contain, and the number of calls.
        var held: [StorageOperation: (part: String, calls: Int)] = [:]
        var waiting: [DispatchSemaphore] = []
        var supportsWatching = true
    }

    /// The underlying storage, which performs the calls that do not fail.
    public let base: any JournalStorage
    private let state = Locked(State())

    /// Wraps a storage; a new ``MemoryStorage`` by default.
    public init(_ base: any JournalStorage = MemoryStorage()) {
        self.base = base
    }

    /// Makes an operation fail from now on.
    ///
    /// - Parameters:
    ///   - operation: The operation that fails.
    ///   - fault: The failure.
    ///   - after: The number of matching calls that succeed first; 0 or more.
    ///   - times: The number of calls that then fail; nil for all until ``heal()``.
    ///   - part: The text that affected paths contain; empty for all.
    public func fail(
        _ operation: StorageOperation,
        with fault: StorageFault,
        after: Int = 0,
        times: Int? = nil,
        paths part: String = ""
    ) {
        let rule = Rule(operation: operation, fault: fault, part: part, skip: after, times: times ?? .max)
        state.withLock { $0.rules.append(rule) }
    }

    /// Removes all injected failures.
    public func heal() {
        state.withLock { $0.rules.removeAll() }
    }

    /// Returns the number of calls of an operation, including failed ones.
    public func count(of operation: StorageOperation) -> Int {
        state.withLock { $0.counts[operation, default: 0] }
    }

    /// Makes calls of an operation block their thread until ``release()``.
    ///
    /// - Parameters:
    ///   - operation: The operation that blocks.
    ///   - part: The text that affected paths contain; empty for all.
    ///   - calls: The number of calls that block; later ones pass.
    public func hold(_ operation: StorageOperation, paths part: String = "", calls: Int = .max) {
        state.withLock { $0.held[operation] = (part, calls) }
    }

    /// The number of threads that ``hold(_:paths:calls:)`` currently blocks.
    public var heldCalls: Int {
        state.withLock { $0.waiting.count }
    }

    /// Ends all holds, and releases the held calls.
    public func release() {
        let waiting = state.withLock { state in
            defer {
                state.held.removeAll()
                state.waiting.removeAll()
            }
            return state.waiting
        }
        for semaphore in waiting { semaphore.signal() }
    }

    /// Whether folders can be watched.
    ///
    /// A change affects only later watches.
    public var supportsWatching: Bool {
        get { state.withLock { $0.supportsWatching } }
        set { state.withLock { $0.supportsWatching = newValue } }
    }

    /// Counts a call, waits while held, and throws if a rule applies.
    fileprivate func pass(_ operation: StorageOperation, _ path: String) throws(StorageError) {
        let (fault, hold) = state.withLock { state -> (StorageFault?, DispatchSemaphore?) in
            state.counts[operation, default: 0] += 1
            var hold: DispatchSemaphore?
            if let (part, calls) = state.held[operation], calls > 0, part.isEmpty || Self.contains(path, part) {
                state.held[operation]?.calls = calls - 1
                let semaphore = DispatchSemaphore(value: 0)
                state.waiting.append(semaphore)
                hold = semaphore
            }
            return (Self.fault(operation, path, &state.rules), hold)
        }
        hold?.wait()
        if let fault {
            throw StorageError(fault.code, operation: operation.rawValue, path: path, number: fault.number)
        }
    }

    /// Acts like ``pass(_:_:)``, and simulates the data loss of a failed flush.
    ///
    /// In a ``MemoryStorage``, a failed flush loses the data that it covered, as on a real disk.
    private func passFlush(_ operation: StorageOperation, _ path: String) throws(StorageError) {
        do throws(StorageError) {
            try pass(operation, path)
        } catch {
            (base as? MemoryStorage)?.loseUnflushed(path)
            throw error
        }
    }

    private static func fault(_ operation: StorageOperation, _ path: String, _ rules: inout [Rule]) -> StorageFault? {
        for index in rules.indices {
            let rule = rules[index]
            guard rule.operation == operation, rule.part.isEmpty || contains(path, rule.part) else { continue }
            if rule.skip > 0 {
                rules[index].skip -= 1
            } else if rule.times > 0 {
                rules[index].times -= 1
                return rule.fault
            }
        }
        return nil
    }

    private static func contains(_ path: String, _ part: String) -> Bool {
        let path = Array(path.utf8)
        let part = Array(part.utf8)
        guard path.count >= part.count else { return false }
        return (0...(path.count - part.count)).contains { path[$0..<($0 + part.count)].elementsEqual(part) }
    }
}

extension FaultyStorage {
    public func makeFolder(_ path: String) throws(StorageError) {
        try pass(.makeFolder, path)
        try base.makeFolder(path)
    }

    public func names(in folder: String) throws(StorageError) -> [String] {
        try pass(.names, folder)
        return try base.names(in: folder)
    }

    public func contents(of path: String) throws(StorageError) -> [UInt8]? {
        try pass(.contents, path)
        return try base.contents(of: path)
    }

    public func size(of path: String) throws(StorageError) -> Int? {
        try pass(.size, path)
        return try base.size(of: path)
    }

    public func read(
        _ path: String,
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(StorageError) -> Int? {
        try pass(.read, path)
        return try base.read(path, at: offset, into: buffer)
    }

    public func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) {
        try pass(.replace, path)
        try base.replace(path, with: bytes, durably: durably)
    }

    public func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        try pass(.overwrite, path)
        try base.overwrite(path, with: bytes)
    }

    public func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool {
        try pass(.create, path)
        return try base.create(path, with: bytes, durably: durably)
    }

    public func rename(_ path: String, to other: String) throws(StorageError) {
        try pass(.rename, path)
        try base.rename(path, to: other)
    }

    public func remove(_ path: String) throws(StorageError) {
        try pass(.remove, path)
        try base.remove(path)
    }

    public func removeFolder(_ path: String) throws(StorageError) {
        try pass(.removeFolder, path)
        try base.removeFolder(path)
    }

    public func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try pass(.makeSegment, path)
        return FaultySegment(try base.makeSegment(path, bytes: bytes), path: path, storage: self)
    }

    /// Never fails, because such files are accessible even on a locked device.
    public func makeNote(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try base.makeNote(path, bytes: bytes)
    }

    public func lock(_ path: String) throws(StorageError) -> (any StorageLock)? {
        try pass(.lock, path)
        return try base.lock(path)
    }

    public func synchronize(_ path: String) throws(StorageError) {
        try passFlush(.synchronize, path)
        try base.synchronize(path)
    }

    public func synchronizeFolder(_ path: String) throws(StorageError) {
        try passFlush(.synchronizeFolder, path)
        try base.synchronizeFolder(path)
    }

    public func freeBytes(at path: String) -> Int? {
        base.freeBytes(at: path)
    }

    public func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)? {
        guard supportsWatching else { return nil }
        return base.watch(folder, for: entries, onChange: onChange)
    }
}

/// A segment whose flush and finish calls may fail.
///
/// They fail by the rules of a ``FaultyStorage``.
private final class FaultySegment: SegmentStorage {
    private let base: any SegmentStorage
    private let path: String
    private let storage: FaultyStorage

    init(_ base: any SegmentStorage, path: String, storage: FaultyStorage) {
        self.base = base
        self.path = path
        self.storage = storage
    }

    var memory: UnsafeMutableRawBufferPointer { base.memory }

    func synchronize() throws(StorageError) {
        do throws(StorageError) {
            try storage.pass(.synchronizeSegment, path)
        } catch {
            // Use the file, not its path: a segment created in advance has been renamed since.
            (base as? MemoryFile)?.loseUnflushed()
            throw error
        }
        try base.synchronize()
    }

    func finish(length: Int) throws(StorageError) {
        try storage.pass(.finishSegment, path)
        try base.finish(length: length)
    }

    func populate() { base.populate() }
}
