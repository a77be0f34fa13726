// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import TrackwayCore
public import TrackwayJournal

/// A storage with injectable failures.
///
/// A failure can start at the nth call, affect only some files, and be temporary or permanent.
///
/// ```swift
/// let storage = FaultyStorage()
/// storage.fail(.synchronizeSegment, with: .inputOutput, after: 2, times: 1)   // the third flush fails
/// storage.fail(.makeSegment, with: .noSpace)                                  // the disk is full from now on
/// storage.clearFaults()                                                       // the disk has space again
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
        /// The calls to block, by operation.
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
    ///   - times: The number of calls that then fail; nil for all until ``clearFaults()``.
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
    public func clearFaults() {
        state.withLock { $0.rules.removeAll() }
    }

    /// Returns the number of calls to an operation, including failed ones.
    public func count(of operation: StorageOperation) -> Int {
        state.withLock { $0.counts[operation, default: 0] }
    }

    /// Makes calls to an operation block their thread until ``release()``.
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

    /// Counts a call, blocks if the call is held, and throws an injected failure.
    fileprivate func checkFaults(_ operation: StorageOperation, _ path: String) throws(StorageError) {
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

    /// Acts like ``checkFaults(_:_:)``, and simulates the data loss of a failed flush.
    ///
    /// In a ``MemoryStorage``, a failed flush loses the data that it covered, as on a real disk.
    private func checkFlushFaults(_ operation: StorageOperation, _ path: String) throws(StorageError) {
        do throws(StorageError) {
            try checkFaults(operation, path)
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
        try checkFaults(.makeFolder, path)
        try base.makeFolder(path)
    }

    public func names(in folder: String) throws(StorageError) -> [String] {
        try checkFaults(.names, folder)
        return try base.names(in: folder)
    }

    public func contents(of path: String) throws(StorageError) -> [UInt8]? {
        try checkFaults(.contents, path)
        return try base.contents(of: path)
    }

    public func size(of path: String) throws(StorageError) -> Int? {
        try checkFaults(.size, path)
        return try base.size(of: path)
    }

    public func read(
        _ path: String,
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(StorageError) -> Int? {
        try checkFaults(.read, path)
        return try base.read(path, at: offset, into: buffer)
    }

    public func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) {
        try checkFaults(.replace, path)
        try base.replace(path, with: bytes, durably: durably)
    }

    public func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        try checkFaults(.overwrite, path)
        try base.overwrite(path, with: bytes)
    }

    public func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool {
        try checkFaults(.create, path)
        return try base.create(path, with: bytes, durably: durably)
    }

    public func rename(_ path: String, to other: String) throws(StorageError) {
        try checkFaults(.rename, path)
        try base.rename(path, to: other)
    }

    public func remove(_ path: String) throws(StorageError) {
        try checkFaults(.remove, path)
        try base.remove(path)
    }

    public func removeFolder(_ path: String) throws(StorageError) {
        try checkFaults(.removeFolder, path)
        try base.removeFolder(path)
    }

    public func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try checkFaults(.makeSegment, path)
        return FaultySegment(try base.makeSegment(path, bytes: bytes), path: path, storage: self)
    }

    /// Makes a marker file without injected failures.
    ///
    /// Such files are accessible even on a locked device.
    public func makeMarkerFile(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try base.makeMarkerFile(path, bytes: bytes)
    }

    public func lock(_ path: String) throws(StorageError) -> (any StorageLock)? {
        try checkFaults(.lock, path)
        return try base.lock(path)
    }

    public func synchronize(_ path: String) throws(StorageError) {
        try checkFlushFaults(.synchronize, path)
        try base.synchronize(path)
    }

    public func synchronizeFolder(_ path: String) throws(StorageError) {
        try checkFlushFaults(.synchronizeFolder, path)
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
/// The failures are those injected into a ``FaultyStorage``.
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
            try storage.checkFaults(.synchronizeSegment, path)
        } catch {
            // Use the file, not its path: a segment created in advance has been renamed since.
            (base as? MemoryFile)?.loseUnflushed()
            throw error
        }
        try base.synchronize()
    }

    func finish(length: Int) throws(StorageError) {
        try storage.checkFaults(.finishSegment, path)
        try base.finish(length: length)
    }

    func populate() { base.populate() }
}
