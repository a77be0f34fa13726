// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

/// Writes the state of the behavior machines to its file, one state after another.
///
/// The newest state wins: a state that was not written before the next one was submitted is never written. With a
/// queue, submitting returns immediately; without one, the state is written where ``settle()`` is called. States are
/// submitted under the controller's lock, so their order is that of the changes. Only code that may wait for the disk
/// calls ``settle()``, ``forget()`` and the work of ``whenSettled(_:)``.
final class LifecyclePersister: Sendable {
    private struct State: Sendable {
        /// The newest state, until a write of it begins.
        var waiting: [UInt8]?
        /// Whether a write is in progress.
        var isWriting = false
        /// Whether a write was ordered and has not begun.
        var isOrdered = false
        /// The state that this process last read from the file, or wrote to it.
        var written: [UInt8]?
        var failure = ReportedFailure()
    }

    /// Whether states are written on a queue, so that callers need not wait.
    var isDeferring: Bool { queue != nil }

    private let file: StateFile<PersistedLifecycle>
    private let queue: StorageQueue?
    private let state = Locked(State())
    /// Held while the file is written.
    private let turn = Locked(())

    /// - Parameters:
    ///   - file: The file that stores the state.
    ///   - queue: Writes states; nil if every thread may wait for the disk.
    init(_ file: StateFile<PersistedLifecycle>, on queue: StorageQueue?) {
        self.file = file
        self.queue = queue
    }

    /// The state that this process last read from the file, or wrote to it.
    var written: [UInt8]? { state.withLock { $0.written } }

    /// Whether the file contains this state, with no other write pending.
    func holds(_ bytes: [UInt8]) -> Bool {
        state.withLock { $0.waiting == nil && !$0.isWriting && $0.written == bytes }
    }

    /// Whether every submitted state was written or could not be.
    var isSettled: Bool { state.withLock { $0.waiting == nil && !$0.isWriting } }

    /// Notes the state that was read from the file.
    func found(_ bytes: [UInt8]) {
        state.withLock { $0.written = bytes }
    }

    /// Submits the state to be written.
    ///
    /// Does not wait.
    func handIn(_ bytes: [UInt8]) {
        state.withLock { state in
            if state.waiting == nil, !state.isWriting, state.written == bytes { return }
            state.waiting = bytes
        }
    }

    /// Writes the submitted state on the queue.
    ///
    /// - Parameter report: Receives the first of several consecutive failures, on the queue, with no lock held.
    func settleLater(_ report: @escaping @Sendable (StorageError) -> Void) {
        guard let queue else { return }
        let isNew = state.withLock { state in
            guard state.waiting != nil, !state.isOrdered else { return false }
            state.isOrdered = true
            return true
        }
        guard isNew else { return }
        queue.order {
            self.state.withLock { $0.isOrdered = false }
            do throws(StorageError) {
                try self.settle()
                self.state.withLock { $0.failure.worked() }
            } catch {
                if self.state.withLock({ $0.failure.failed() }) { report(error) }
            }
        }
    }

    /// Writes the submitted state, and returns when it has reached the kernel.
    ///
    /// Waits for a write in progress. A state that could not be written is dropped; the next change submits another
    /// one.
    func settle() throws(StorageError) {
        let result = turn.withLock { _ -> Result<Void, StorageError> in
            let next = state.withLock { state in
                defer { state.waiting = nil }
                state.isWriting = state.waiting != nil
                return state.waiting
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
    func whenSettled(_ work: @escaping @Sendable () -> Void) {
        guard let queue, !isSettled else { return work() }
        queue.order {
            try? self.settle()  // There is no caller to report the error to.
            work()
        }
    }

    /// Discards the submitted state, and returns when nothing is being written.
    func forget() {
        turn.withLock { _ in
            state.withLock { state in
                state.waiting = nil
                state.written = nil
            }
        }
    }
}
