// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector

/// Decides which records of a stream are deleted because their contents were erased.
///
/// A value type: the caller reads ``order``, carries it out, and passes in the result.
///
/// The tables record the blocks in which an installation's data arrived, including rejected events and duplicates. The
/// records of these blocks are read. Those that belong to erased installations only are listed first, and deleted once
/// the list has acknowledged them. After a kill in between, the block is read again, and the records that still exist
/// are listed and deleted again. The stream's last record is always kept until another one arrives.
package struct DeletionPlanner: Sendable {
    /// The next step.
    package enum Order: Sendable, Hashable {
        /// Read the current status.
        case look
        /// Find the blocks with data of erased installations.
        ///
        /// These are the blocks from `from` to `goal` that an earlier search up to `done` did not cover.
        case find(done: UInt64, goal: UInt64, from: UInt64)
        /// Verify that records can be listed safely.
        case prepare
        /// Read a block's records, and find those to delete.
        case read(block: UInt64)
        /// List a record.
        case list(DeletedRecordEntry)
        /// Delete a record.
        case delete(UInt64)
        /// Store the progress.
        case note(ErasureProgress)
        /// End: nothing is left to do.
        case end
    }

    /// The status of the stream, the tables, and the indexes.
    package struct Look: Sendable, Hashable {
        /// The range of the stream's records.
        package var extent: StreamExtent
        /// The number of consecutive blocks, from the first one, that the tables have.
        package var completed: UInt64
        /// The positions of the indexes.
        package var readers: [ReaderPosition]
        /// The stored progress of the search.
        package var progress: ErasureProgress

        /// Creates a status.
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
    package enum Hold: Sendable, Hashable {
        /// There is nothing more to delete.
        case done
        /// The stream's last record is left, which is kept until another one arrives.
        case last
        /// This collector has an earlier version, whose index would stop at a missing record.
        case reader(ReaderPosition)
    }

    private enum State: Sendable, Hashable {
        case looking
        case finding
        case preparing
        case reading
        case listing(Int)
        case deleting(Int)
        case noting(ErasureProgress)
        case ended
    }

    /// The number of new blocks after which progress is stored even without deletions.
    ///
    /// This keeps the queries to the tables small.
    private static let blocksBetweenNotes: UInt64 = 1_000

    private var state = State.looking
    private var look = Look(extent: StreamExtent(first: 1, last: 0), completed: 0)
    private var goal: UInt64 = 0
    /// The blocks still to be searched, in reverse order.
    private var blocks: [UInt64] = []
    private var records: [DeletedRecordEntry] = []
    private var hasLast = false
    /// Why no more records are deleted; known once ``order`` is `end`.
    package private(set) var hold = Hold.done
    /// The number of deleted records.
    package private(set) var deleted = 0
    /// The number of blocks still to be searched; nil until known.
    package private(set) var left: Int?

    /// Creates a planner in its initial state.
    package init() {}

    /// The next step.
    package var order: Order {
        switch state {
        case .looking: .look
        case .finding: .find(done: look.progress.done, goal: goal, from: max(look.progress.next, 1))
        case .preparing: .prepare
        case .reading: .read(block: blocks.last ?? 0)
        case .listing(let index): .list(records[index])
        case .deleting(let index): .delete(records[index].sequence)
        case .noting(let progress): .note(progress)
        case .ended: .end
        }
    }

    // MARK: Results of steps

    /// Continues with the current status.
    package mutating func looked(_ look: Look) {
        guard case .looking = state else { return }
        self.look = look
        // A search that has begun is finished first, with its own goal, so that the blocks already searched remain
        // valid.
        goal = look.progress.goal > look.progress.done ? look.progress.goal : look.completed
        // Tables that are being refilled have fewer blocks for a while, and in the end the same contents as before.
        guard goal > look.progress.done, goal <= look.completed else {
            if goal <= look.progress.done { left = 0 }
            return end(.done)
        }
        state = .finding
    }

    /// Continues with the blocks that contain data of erased installations.
    package mutating func found(_ blocks: [UInt64]) {
        guard case .finding = state else { return }
        self.blocks = blocks.sorted(by: >)
        left = blocks.count
        if blocks.isEmpty {
            let isNews = look.progress.next > 0 || goal - look.progress.done >= Self.blocksBetweenNotes
            // If nothing was ever erased, no list is created.
            guard look.progress != ErasureProgress(), isNews else { return end(.done) }
        } else if let reader = look.readers.first(where: { !$0.passesErased }) {
            return end(.reader(reader))
        }
        state = .preparing
    }

    /// Continues after the list was prepared.
    package mutating func prepared() {
        guard case .preparing = state else { return }
        if blocks.isEmpty {
            state = .noting(ErasureProgress(done: goal, goal: goal))
        } else {
            state = .reading
        }
    }

    /// Continues with the block's records that belong to erased installations only.
    package mutating func read(_ records: [DeletedRecordEntry]) {
        guard case .reading = state else { return }
        self.records = records.filter { $0.sequence < look.extent.last }
        hasLast = self.records.count < records.count
        list(from: 0)
    }

    /// Continues after the record was listed.
    package mutating func listed() {
        guard case .listing(let index) = state else { return }
        list(from: index + 1)
    }

    /// Continues after the record was deleted.
    package mutating func removed() {
        guard case .deleting(let index) = state else { return }
        deleted += 1
        delete(from: index + 1)
    }

    /// Continues after the progress was stored.
    package mutating func noted() {
        guard case .noting(let progress) = state else { return }
        if progress.done == goal {
            left = 0
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
        if hasLast { return end(.last) }
        blocks.removeLast()
        left = blocks.count
        if let next = blocks.last {
            state = .noting(ErasureProgress(done: look.progress.done, goal: goal, next: next))
        } else {
            state = .noting(ErasureProgress(done: goal, goal: goal))
        }
    }

    private mutating func end(_ hold: Hold) {
        self.hold = hold
        state = .ended
    }
}
