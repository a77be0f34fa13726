// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore

/// Decides which records of a stream to delete after erasures.
///
/// A value type: the caller reads ``nextStep``, carries it out, and passes in the result.
///
/// The tables record the blocks in which an installation's data arrived, including rejected events and duplicates. The
/// records of these blocks are read. Those that belong only to erased installations are listed first, and deleted once
/// the list has acknowledged them. If the process is killed in between, the block is read again, and the records that
/// still exist are listed and deleted again. The stream's last record is always kept until another one arrives.
package struct DeletionPlanner: Sendable {
    /// The next step.
    package enum Step: Sendable, Hashable {
        /// Read the current status.
        case readStatus
        /// Find the blocks with data from erased installations.
        ///
        /// These are the blocks from `from` to `goal` that an earlier search up to `done` did not cover.
        case findBlocks(done: UInt64, goal: UInt64, from: UInt64)
        /// Verify that records can be listed safely.
        case prepare
        /// Read a block's records, and find those to delete.
        case read(block: UInt64)
        /// List a record.
        case list(DeletedRecordEntry)
        /// Delete a record.
        case delete(UInt64)
        /// Store the progress.
        case saveProgress(ErasureProgress)
        /// End: nothing is left to do.
        case end
    }

    /// The status of the stream, the tables, and the indexes.
    package struct Snapshot: Sendable, Hashable {
        /// The range of the stream's records.
        package var extent: StreamExtent
        /// The number of consecutive blocks in the tables, starting with the first.
        package var completed: UInt64
        /// The positions of the indexes.
        package var readers: [ReaderPosition]
        /// The stored progress of the search.
        package var progress: ErasureProgress

        /// Creates a snapshot.
        package init(
            extent: StreamExtent,
            completed: UInt64,
            readers: [ReaderPosition] = [],
            progress: ErasureProgress = ErasureProgress()
        ) {
            self.extent = extent
            self.completed = completed
            self.readers = readers
            self.progress = progress
        }
    }

    /// Why no more records are deleted.
    package enum StopReason: Sendable, Hashable {
        /// There is nothing more to delete.
        case done
        /// Only the stream's last record is left.
        ///
        /// It is kept until another one arrives.
        case lastRecord
        /// This collector runs an earlier version.
        ///
        /// Its index would stop at a missing record.
        case outdatedReader(ReaderPosition)
    }

    private enum State: Sendable, Hashable {
        case readingStatus
        case findingBlocks
        case preparing
        case reading
        case listing(Int)
        case deleting(Int)
        case savingProgress(ErasureProgress)
        case ended
    }

    /// The number of new blocks after which progress is stored even without deletions.
    ///
    /// This keeps queries against the tables small.
    private static let blocksBetweenSaves: UInt64 = 1_000

    private var state = State.readingStatus
    private var snapshot = Snapshot(extent: StreamExtent(first: 1, last: 0), completed: 0)
    private var goal: UInt64 = 0
    /// The blocks still to search, in reverse order.
    private var blocks: [UInt64] = []
    private var records: [DeletedRecordEntry] = []
    private var hasLastRecord = false
    /// Why no more records are deleted; known once ``nextStep`` is `end`.
    package private(set) var stopReason = StopReason.done
    /// The number of deleted records.
    package private(set) var deleted = 0
    /// The number of blocks still to search; nil until known.
    package private(set) var remainingBlocks: Int?

    /// Creates a planner in its initial state.
    package init() {}

    /// The next step.
    package var nextStep: Step {
        switch state {
        case .readingStatus: .readStatus
        case .findingBlocks: .findBlocks(done: snapshot.progress.done, goal: goal, from: max(snapshot.progress.next, 1))
        case .preparing: .prepare
        case .reading: .read(block: blocks.last ?? 0)
        case .listing(let index): .list(records[index])
        case .deleting(let index): .delete(records[index].sequence)
        case .savingProgress(let progress): .saveProgress(progress)
        case .ended: .end
        }
    }

    // MARK: Results of steps

    /// Continues with the current status.
    package mutating func statusRead(_ snapshot: Snapshot) {
        guard case .readingStatus = state else { return }
        self.snapshot = snapshot
        // A search that has begun is finished first, with its own goal, so that the results for the blocks already
        // searched remain valid.
        goal = snapshot.progress.goal > snapshot.progress.done ? snapshot.progress.goal : snapshot.completed
        // While tables are being refilled, they have fewer blocks. Eventually, their contents are the same as before.
        guard goal > snapshot.progress.done, goal <= snapshot.completed else {
            if goal <= snapshot.progress.done { remainingBlocks = 0 }
            return end(.done)
        }
        state = .findingBlocks
    }

    /// Continues with the blocks that contain data from erased installations.
    package mutating func blocksFound(_ blocks: [UInt64]) {
        guard case .findingBlocks = state else { return }
        self.blocks = blocks.sorted(by: >)
        remainingBlocks = blocks.count
        if blocks.isEmpty {
            let shouldSave = snapshot.progress.next > 0 || goal - snapshot.progress.done >= Self.blocksBetweenSaves
            // If nothing was ever erased, no list is created.
            guard snapshot.progress != ErasureProgress(), shouldSave else { return end(.done) }
        } else if let reader = snapshot.readers.first(where: { !$0.skipsErasedRecords }) {
            return end(.outdatedReader(reader))
        }
        state = .preparing
    }

    /// Continues after the list was prepared.
    package mutating func listPrepared() {
        guard case .preparing = state else { return }
        if blocks.isEmpty {
            state = .savingProgress(ErasureProgress(done: goal, goal: goal))
        } else {
            state = .reading
        }
    }

    /// Continues with the block's records that belong only to erased installations.
    package mutating func recordsRead(_ records: [DeletedRecordEntry]) {
        guard case .reading = state else { return }
        self.records = records.filter { $0.sequence < snapshot.extent.last }
        hasLastRecord = self.records.count < records.count
        list(from: 0)
    }

    /// Continues after the record was listed.
    package mutating func recordListed() {
        guard case .listing(let index) = state else { return }
        list(from: index + 1)
    }

    /// Continues after the record was deleted.
    package mutating func recordDeleted() {
        guard case .deleting(let index) = state else { return }
        deleted += 1
        delete(from: index + 1)
    }

    /// Continues after the progress was stored.
    package mutating func progressSaved() {
        guard case .savingProgress(let progress) = state else { return }
        if progress.done == goal {
            remainingBlocks = 0
            end(.done)
        } else {
            state = .reading
        }
    }

    // MARK: Deciding

    private mutating func list(from index: Int) {
        if index < records.count { state = .listing(index) } else { delete(from: 0) }
    }

    private mutating func delete(from index: Int) {
        if index < records.count {
            state = .deleting(index)
            return
        }
        if hasLastRecord { return end(.lastRecord) }
        blocks.removeLast()
        remainingBlocks = blocks.count
        if let next = blocks.last {
            state = .savingProgress(ErasureProgress(done: snapshot.progress.done, goal: goal, next: next))
        } else {
            state = .savingProgress(ErasureProgress(done: goal, goal: goal))
        }
    }

    private mutating func end(_ stopReason: StopReason) {
        self.stopReason = stopReason
        state = .ended
    }
}
