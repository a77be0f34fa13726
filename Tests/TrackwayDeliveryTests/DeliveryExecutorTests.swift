// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayJournal
import TrackwayLifecycle
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("The thread on which delivery accesses the disk")
struct DeliveryExecutorTests {
    /// An executor with a dedicated thread that it can recognize.
    private final class ThreadExecutor: SerialExecutor {
        private let condition = NSCondition()
        private let waiting = Locked<[UnownedJob]>([])
        private let thread = Locked<UInt>(0)
        private let isOver = Locked(false)

        init() {
            Thread { self.run() }.start()
        }

        private func run() {
            thread.withLock { $0 = UInt(pthread_self()) }
            while let next = next() { next.runSynchronously(on: asUnownedSerialExecutor()) }
        }

        /// Waits for the next job; returns nil once the executor has ended.
        private func next() -> UnownedJob? {
            condition.lock()
            defer { condition.unlock() }
            while true {
                let job = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                if let job { return job }
                if isOver.withLock({ $0 }) { return nil }
                condition.wait()
            }
        }

        /// Ends the thread once no jobs are waiting.
        func end() {
            condition.lock()
            isOver.withLock { $0 = true }
            condition.signal()
            condition.unlock()
        }

        var isHere: Bool { thread.withLock { $0 } == UInt(pthread_self()) }

        func enqueue(_ job: UnownedJob) {
            condition.lock()
            waiting.withLock { $0.append(job) }
            condition.signal()
            condition.unlock()
        }

        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    }

    /// Records the threads on which cursors are moved and logs are read.
    private final class WatchedStorage: JournalStorage {
        let base = MemoryStorage()
        let elsewhere = Locked<[String]>([])
        let onThread = Locked(0)
        let executor: ThreadExecutor

        init(_ executor: ThreadExecutor) {
            self.executor = executor
        }

        private func note(_ operation: String, _ path: String) {
            if executor.isHere {
                onThread.withLock { $0 += 1 }
            } else if path.contains("cursor.") || path.contains("/segment") || path.hasSuffix("deliver.lock") {
                elsewhere.withLock { $0.append("\(operation) \(path)") }
            }
        }

        func makeFolder(_ path: String) { base.makeFolder(path) }
        func names(in folder: String) -> [String] { base.names(in: folder) }
        func contents(of path: String) -> [UInt8]? {
            note("contents", path)
            return base.contents(of: path)
        }
        func size(of path: String) -> Int? { base.size(of: path) }
        func read(_ path: String, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            note("read", path)
            return base.read(path, at: offset, into: buffer)
        }
        func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) {
            note("replace", path)
            try base.replace(path, with: bytes, durably: durably)
        }
        func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
            try base.overwrite(path, with: bytes)
        }
        func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool {
            try base.create(path, with: bytes, durably: durably)
        }
        func rename(_ path: String, to other: String) throws(StorageError) { try base.rename(path, to: other) }
        func remove(_ path: String) {
            note("remove", path)
            base.remove(path)
        }
        func removeFolder(_ path: String) throws(StorageError) { try base.removeFolder(path) }
        func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
            try base.makeSegment(path, bytes: bytes)
        }
        func lock(_ path: String) throws(StorageError) -> (any StorageLock)? {
            note("lock", path)
            return try base.lock(path)
        }
        func synchronize(_ path: String) { base.synchronize(path) }
        func synchronizeFolder(_ path: String) throws(StorageError) { try base.synchronizeFolder(path) }
        func freeBytes(at path: String) -> Int? { base.freeBytes(at: path) }
    }

    @Test(arguments: [false, true])
    func `delivery accesses the disk only on its own thread`(isQueue: Bool) async throws {
        let executor = ThreadExecutor()
        let storage = WatchedStorage(executor)
        let environment = try DeliveryEnvironment(
            ["one", "two"],
            storage: storage,
            queues: isQueue ? ["two": QueuePolicy(uploadWhenMoreThan: 30)] : [:],
            executor: executor
        )
        storage.elsewhere.withLock { $0 = [] }
        environment.begin()
        for round in 0..<5 {
            environment.record(100)
            #expect(await environment.service.flush(timeout: .seconds(60)).isComplete, "round \(round)")
            environment.service.admissionChanged()
            _ = environment.service.requestUpload(force: true)
            environment.clock.advanceToNextSleeper()
        }
        await environment.service.shutdown(timeout: .seconds(1))
        await environment.waitUntilEnded()
        executor.end()
        #expect(storage.onThread.withLock { $0 } > 20)
        // Counting reads logs on the caller's thread.
        let elsewhere = storage.elsewhere.withLock { $0 }.filter { !$0.hasPrefix("read ") }
        #expect(elsewhere.isEmpty, "\(Dictionary(grouping: elsewhere) { $0 }.mapValues(\.count))")
    }
}
