// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import TrackwayEvents
public import TrackwayJournal

/// A storage that fails when told to: at the nth call, for some files, for a while or for ever.
///
/// ```swift
/// let storage = FaultyStorage()
/// storage.fail(.synchronizeSegment, with: .inputOutput, after: 2, times: 1)   // the third flush fails
/// storage.fail(.makeSegment, with: .noSpace)                                  // the disk is full from now on
/// storage.heal()                                                              // and has space again
/// ```
/// All calls may come from any thread.
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
        /// By operation: what a path must contain to be held.
        var held: [StorageOperation: String] = [:]
        var waiting: [DispatchSemaphore] = []
    }

    /// The storage underneath, which does what is not told to fail.
    public let base: any JournalStorage
    private let state = Locked(State())

    /// Wraps a storage; a fresh ``MemoryStorage`` when none is given.
    public init(_ base: any JournalStorage = MemoryStorage()) {
        self.base = base
    }

    /// Lets an operation fail from now on.
    ///
    /// - Parameters:
    ///   - operation: what fails.
    ///   - fault: how it fails.
    ///   - after: how many matching calls succeed first; 0 or more.
    ///   - times: how many calls fail then; nil for all until ``heal()``.
    ///   - part: only paths that contain this text; empty for all.
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

    /// Ends every failure ordered so far.
    public func heal() {
        state.withLock { $0.rules.removeAll() }
    }

    /// How often an operation was called, failures included.
    public func count(of operation: StorageOperation) -> Int {
        state.withLock { $0.counts[operation, default: 0] }
    }

    /// Lets calls of an operation block their thread until ``release()``.
    ///
    /// - Parameters:
    ///   - operation: what blocks.
    ///   - part: only paths that contain this text; empty for all.
    public func hold(_ operation: StorageOperation, paths part: String = "") {
        state.withLock { $0.held[operation] = part }
    }

    /// How many threads are blocked by ``hold(_:paths:)`` now.
    public var heldCalls: Int {
        state.withLock { $0.waiting.count }
    }

    /// Ends all holds.
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

    /// Counts a call, waits while it is held, and throws when a rule says so.
    func pass(_ operation: StorageOperation, _ path: String) throws(StorageError) {
        let (fault, hold) = state.withLock { state -> (StorageFault?, DispatchSemaphore?) in
            state.counts[operation, default: 0] += 1
            var hold: DispatchSemaphore?
            if let part = state.held[operation], part.isEmpty || Self.contains(path, part) {
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

    /// As ``pass(_:_:)``; a flush that fails in a ``MemoryStorage`` loses what it covered, as real ones do.
    func passFlush(_ operation: StorageOperation, _ path: String) throws(StorageError) {
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
