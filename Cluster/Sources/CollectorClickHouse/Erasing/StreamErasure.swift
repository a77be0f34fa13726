// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector

/// Decides which of a stream's records are looked at and deleted, since what is in them was erased. A value: it is asked for its ``order``,
/// and told what came of it.
///
/// The tables know in which blocks anything of an installation ever came, also of what was refused or came again. The records of these
/// blocks are read, and those that are the installation's alone are first listed, and deleted when that is acknowledged. Whoever is
/// killed between reads the block again, and lists and deletes again what is still there. The stream's last record always stays until
/// another one comes.
package struct StreamErasure: Sendable {
    /// What is to be done next.
    package enum Order: Sendable, Hashable {
        /// See what there is.
        case look
        /// See which blocks have something of installations that were erased: those from the block `from` to `goal` that were not looked
        /// through when all up to `done` was.
        case find(done: UInt64, goal: UInt64, from: UInt64)
        /// See that records can be listed safely.
        case prepare
        /// Read the records of a block, and see which are to go.
        case read(block: UInt64)
        /// List a record.
        case list(ErasedRecord)
        /// Delete a record.
        case delete(UInt64)
        /// Keep how far this has come.
        case note(ErasureProgress)
        /// Nothing more.
        case end
    }

    /// What there is.
    package struct Look: Sendable, Hashable {
        /// The stream's records.
        package var extent: StreamExtent
        /// How many blocks the tables have from the first one on.
        package var completed: UInt64
        /// How far the indexes are.
        package var readers: [ReaderPlace]
        /// How far this had come.
        package var progress: ErasureProgress

        /// A look.
        package init(
            extent: StreamExtent,
            completed: UInt64,
            readers: [ReaderPlace] = [],
            progress: ErasureProgress = ErasureProgress()
        ) {
            self.extent = extent
            self.completed = completed
            self.readers = readers
            self.progress = progress
        }
    }

    /// Why no more is deleted.
    package enum Hold: Sendable, Hashable {
        /// There is nothing more.
        case done
        /// What is left is the stream's last record, which stays until another one comes.
        case last
        /// This collector is of an earlier version, whose index would stop where a record is missing.
        case reader(ReaderPlace)
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

    /// A progress is kept where nothing was to do, too, when so many blocks came: what is asked of the tables stays small.
    private static let blocksBetweenNotes: UInt64 = 1_000

    private var state = State.looking
    private var look = Look(extent: StreamExtent(first: 1, last: 0), completed: 0)
    private var goal: UInt64 = 0
    /// Those that are still to be looked through, in reverse.
    private var blocks: [UInt64] = []
    private var records: [ErasedRecord] = []
    private var hasLast = false
    /// Why no more is deleted; known once ``order`` is `end`.
    package private(set) var hold = Hold.done
    /// How many records were deleted.
    package private(set) var deleted = 0
    /// How many blocks are still to be looked through; nil before that is known.
    package private(set) var left: Int?

    /// One that has just begun.
    package init() {}

    /// What is to be done next.
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

    // MARK: What came of it

    /// This is there.
    package mutating func looked(_ look: Look) {
        guard case .looking = state else { return }
        self.look = look
        // What was begun is ended first, with what was known then: so a block that was looked through stays so.
        goal = look.progress.goal > look.progress.done ? look.progress.goal : look.completed
        // Tables that are filled anew have less for a while, and know in the end what those before knew.
        guard goal > look.progress.done, goal <= look.completed else {
            if goal <= look.progress.done { left = 0 }
            return end(.done)
        }
        state = .finding
    }

    /// These blocks have something of installations that were erased.
    package mutating func found(_ blocks: [UInt64]) {
        guard case .finding = state else { return }
        self.blocks = blocks.sorted(by: >)
        left = blocks.count
        if blocks.isEmpty {
            let isNews = look.progress.next > 0 || goal - look.progress.done >= Self.blocksBetweenNotes
            // Where nobody was ever erased no list is made.
            guard look.progress != ErasureProgress(), isNews else { return end(.done) }
        } else if let reader = look.readers.first(where: { !$0.passesErased }) {
            return end(.reader(reader))
        }
        state = .preparing
    }

    /// Records can be listed.
    package mutating func prepared() {
        guard case .preparing = state else { return }
        if blocks.isEmpty {
            state = .noting(ErasureProgress(done: goal, goal: goal))
        } else {
            state = .reading
        }
    }

    /// These records of the block are those of erased installations alone.
    package mutating func read(_ records: [ErasedRecord]) {
        guard case .reading = state else { return }
        self.records = records.filter { $0.sequence < look.extent.last }
        hasLast = self.records.count < records.count
        list(from: 0)
    }

    /// The record is listed.
    package mutating func listed() {
        guard case .listing(let index) = state else { return }
        list(from: index + 1)
    }

    /// The record is deleted.
    package mutating func removed() {
        guard case .deleting(let index) = state else { return }
        deleted += 1
        delete(from: index + 1)
    }

    /// The progress is kept.
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
