// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal

/// Writes the successive states of the lifecycle state machines to a file.
///
/// Only the newest state matters: a state that has not been written when the next one is submitted is never written.
/// With a queue, submitting returns immediately; without one, the state is written where ``writePending()`` is called.
/// States are submitted under the controller's lock, so they are in the order of the changes. Only code that may wait
/// for the disk calls ``writePending()`` and ``forget()``, and runs the work of ``afterPendingWrites(_:)``.
final class LifecyclePersister: Sendable {
    private struct State: Sendable {
        /// The newest state, until its write begins.
        var pending: [UInt8]?
        /// Whether a write is in progress.
        var isWriting = false
        /// Whether a write is scheduled but has not begun.
        var isScheduled = false
        /// The state that this process last read from or wrote to the file.
        var written: [UInt8]?
        var failure = ReportedFailure()
    }

    /// Whether states are written on a queue, so that callers need not wait.
    var isAsynchronous: Bool { queue != nil }

    private let file: StateFile<PersistedLifecycle>
    private let queue: StorageQueue?
    private let state = Locked(State())
    /// Held while the file is written.
    private let writeLock = Locked(())

    /// - Parameters:
    ///   - file: The file that stores the state.
    ///   - queue: The queue on which states are written; nil if every thread may wait for the disk.
    init(_ file: StateFile<PersistedLifecycle>, on queue: StorageQueue?) {
        self.file = file
        self.queue = queue
    }

    /// The state that this process last read from or wrote to the file.
    var written: [UInt8]? { state.withLock { $0.written } }

    /// Whether the file contains this state and no other write is pending.
    func contains(_ bytes: [UInt8]) -> Bool {
        state.withLock { $0.pending == nil && !$0.isWriting && $0.written == bytes }
    }

    /// Whether every submitted state was written, or its write failed.
    var isSettled: Bool { state.withLock { $0.pending == nil && !$0.isWriting } }

    /// Remembers the state that was read from the file.
    func noteStored(_ bytes: [UInt8]) {
        state.withLock { $0.written = bytes }
    }

    /// Submits a state to be written.
    ///
    /// Does not wait for the write.
    func submit(_ bytes: [UInt8]) {
        state.withLock { state in
            if state.pending == nil, !state.isWriting, state.written == bytes { return }
            state.pending = bytes
        }
    }

    /// Writes the submitted state on the queue.
    ///
    /// - Parameter report: Receives the first of several consecutive failures, on the queue, with no lock held.
    func scheduleWrite(_ report: @escaping @Sendable (StorageError) -> Void) {
        guard let queue else { return }
        let isNew = state.withLock { state in
            guard state.pending != nil, !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
        guard isNew else { return }
        queue.enqueue {
            self.state.withLock { $0.isScheduled = false }
            do throws(StorageError) {
                try self.writePending()
                self.state.withLock { $0.failure.noteSuccess() }
            } catch {
                if self.state.withLock({ $0.failure.noteFailure() }) { report(error) }
            }
        }
    }

    /// Writes the submitted state, and returns when it has reached the kernel.
    ///
    /// Waits for a write in progress. A state that could not be written is dropped; the next change submits another
    /// one.
    func writePending() throws(StorageError) {
        let result = writeLock.withLock { _ -> Result<Void, StorageError> in
            let next = state.withLock { state in
                defer { state.pending = nil }
                state.isWriting = state.pending != nil
                return state.pending
            }
            guard let next else { return .success(()) }
            let result = Result { () throws(StorageError) in try file.write(bytes: next) }
            state.withLock { state in
                state.isWriting = false
                if case .success = result { state.written = next }
            }
            return result
        }
        try result.get()
    }

    /// Runs `work` once every submitted state is written: immediately, or on the queue.
    func afterPendingWrites(_ work: @escaping @Sendable () -> Void) {
        guard let queue, !isSettled else { return work() }
        queue.enqueue {
            try? self.writePending()  // There is no caller to report the error to.
            work()
        }
    }

    /// Discards the submitted state and waits for any write in progress.
    func forget() {
        writeLock.withLock { _ in
            state.withLock { state in
                state.pending = nil
                state.written = nil
            }
        }
    }
}
