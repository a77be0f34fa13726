// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

/// Writes what the behaviour machines know into its file, one state after the other, the newest first: a state that was not
/// written yet when the next one is handed in is never written.
///
/// With a queue, whoever hands a state in goes on at once; without one, it is written where ``settle()`` is called. States are
/// handed in under the driver's lock, so their order is that of the changes. Only those who may wait for the disk call
/// ``settle()``, ``forget()`` and ``whenSettled(_:)``'s work.
final class BehaviorKeeper: Sendable {
    private struct State: Sendable {
        /// The newest state, while nobody has begun to write it.
        var waiting: [UInt8]?
        /// True while a write is under way.
        var isWriting = false
        /// True from the order of a write until it begins.
        var isOrdered = false
        /// What was last read from the file, or written to it, by this process.
        var written: [UInt8]?
        var failure = ReportedFailure()
    }

    /// True when states are written on a queue, and nobody need wait for them.
    var isDeferring: Bool { queue != nil }

    private let file: StateFile<KeptBehavior>
    private let queue: StorageQueue?
    private let state = Locked(State())
    /// Held while the file is written.
    private let turn = Locked(())

    /// - Parameters:
    ///   - file: where states are kept.
    ///   - queue: writes them; nil where every thread may wait for the disk.
    init(_ file: StateFile<KeptBehavior>, on queue: StorageQueue?) {
        self.file = file
        self.queue = queue
    }

    /// What was last read from the file, or written to it, by this process.
    var written: [UInt8]? { state.withLock { $0.written } }

    /// Whether the file holds this state, and no other one is about to be written.
    func holds(_ bytes: [UInt8]) -> Bool {
        state.withLock { $0.waiting == nil && !$0.isWriting && $0.written == bytes }
    }

    /// Whether everything that was handed in was written, or failed to be.
    var isSettled: Bool { state.withLock { $0.waiting == nil && !$0.isWriting } }

    /// The file was read.
    func found(_ bytes: [UInt8]) {
        state.withLock { $0.written = bytes }
    }

    /// Takes a state that is to be in the file from now on. Waits for nothing.
    func handIn(_ bytes: [UInt8]) {
        state.withLock { state in
            if state.waiting == nil, !state.isWriting, state.written == bytes { return }
            state.waiting = bytes
        }
    }

    /// Has what was handed in written by the queue.
    ///
    /// - Parameter report: hears of the first failure in a row; on the queue, with no lock held.
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

    /// Writes what was handed in, and returns when it is with the kernel. A write that is under way is waited for.
    ///
    /// A state that could not be written is given up; the next change hands in another one.
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

    /// Does something when everything that was handed in so far was written: at once, or on the queue.
    func whenSettled(_ work: @escaping @Sendable () -> Void) {
        guard let queue, !isSettled else { return work() }
        queue.order {
            try? self.settle()  // Whoever is last has nobody left to tell.
            work()
        }
    }

    /// Nothing of what was handed in is to be written any more; returns when nothing is being written.
    func forget() {
        turn.withLock { _ in
            state.withLock { state in
                state.waiting = nil
                state.written = nil
            }
        }
    }
}
