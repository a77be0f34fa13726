// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector

/// Decides what whoever carries a stream's records into tables does next. A value: it is asked for its ``order``, and told what came
/// of it.
///
/// It knows nothing that another one, or the next one after a death, does not find out. The only cursor is the list of decided blocks,
/// and which of them are in the table of blocks: the lowest that is not there is the next one. When it is decided it is written as it
/// was decided, by whoever comes first, and again by whoever comes later, which changes nothing. When it is not, it is cut and decided;
/// of several who do that at once, one succeeds.
package struct Forwarder: Sendable {
    /// What is to be done next.
    package enum Order: Sendable, Hashable {
        /// See how many blocks are written.
        case count
        /// Read what was decided about a block, and about the one before it, unless that is 0.
        case readDecisions(block: UInt64)
        /// Take records from a sequence on until a block is full, or its time is over.
        case collect(from: UInt64)
        /// Decide a block.
        case decide(BlockDecision)
        /// Read the records of a decided block.
        case load(BlockDecision)
        /// See which of the block's events are known, and make its rows.
        case recognise(BlockDecision)
        /// Write the block's rows into a table.
        case insert(ColumnTable, BlockDecision)
        /// Remove what is there of installations that were erased.
        case erase(BlockDecision)
        /// Wait.
        case wait(Duration)
        /// End: everything there is is written.
        case rest
        /// End with this reason.
        case stop(String)
    }

    /// How long what may take.
    package struct Times: Sendable, Hashable {
        /// So often it is looked whether somebody else finishes what was decided, before that is done here.
        package var looks = 4
        /// Between two such looks.
        package var look: Duration = .milliseconds(500)
        /// After the first failure.
        package var firstPause: Duration = .milliseconds(500)
        /// At most so long after failures that follow one another.
        package var longestPause: Duration = .seconds(30)

        /// The usual times.
        package init() {}
    }

    private enum State: Sendable, Hashable {
        case counting
        case reading(block: UInt64)
        case collecting(block: UInt64, from: UInt64)
        case deciding(BlockDecision)
        /// Somebody has decided this block, and may be writing it.
        case yielding(BlockDecision)
        case loading(BlockDecision)
        case recognising(BlockDecision)
        case inserting(ColumnTable, BlockDecision)
        /// Behind all tables but that of blocks: what is erased is gone before the block counts as written.
        case erasing(BlockDecision)
        case pausing(Duration)
        case resting
        case stopped(String)
    }

    /// Which versions of rows can be written. A decision of another one is for another program.
    private static let versions = 1...BlockRows.version

    private let times: Times
    private var state = State.counting
    /// The block that was found decided and not written, and how often it was looked for.
    private var yielded: (block: UInt64, looks: Int)?
    private var failures = 0
    /// Whether anything was ever written or read there: what is wrong from the start does not become right by waiting.
    private var hasBegun = false

    /// One that has just begun.
    package init(times: Times = Times()) {
        self.times = times
    }

    /// What is to be done next.
    package var order: Order {
        switch state {
        case .counting: .count
        case .reading(let block): .readDecisions(block: block)
        case .collecting(_, let first): .collect(from: first)
        case .deciding(let decision): .decide(decision)
        case .yielding: .wait(times.look)
        case .loading(let decision): .load(decision)
        case .recognising(let decision): .recognise(decision)
        case .inserting(let table, let decision): .insert(table, decision)
        case .erasing(let decision): .erase(decision)
        case .pausing(let pause): .wait(pause)
        case .resting: .rest
        case .stopped(let reason): .stop(reason)
        }
    }

    // MARK: What came of it

    /// So many blocks are written.
    package mutating func counted(_ completed: UInt64) {
        guard case .counting = state else { return }
        hasBegun = true
        if let block = yielded?.block, block <= completed { yielded = nil }
        state = .reading(block: completed + 1)
    }

    /// This was decided about the block, and about the one before it.
    ///
    /// - Parameter isNewest: Whether the block behind it is not decided. Of the newest somebody may be writing the rows; where another
    ///   is decided behind one that is missing, the tables have lost it, or are filled anew.
    package mutating func read(_ decision: BlockDecision?, previous: BlockDecision?, isNewest: Bool = true) {
        guard case .reading(let block) = state else { return }
        if block > 1, previous == nil {
            state = .stopped(
                "The tables have block \(block - 1), and no such block was decided: they were made of another stream, or the stream of "
                    + "decisions was made anew. Name a database of its own behind --to, and prepare it with `trackway engine init`."
            )
            return
        }
        let next = previous.map { $0.last + 1 } ?? 1
        for (number, found) in [(block - 1, previous), (block, decision)] {
            if let found, let fault = Self.fault(of: found, number) {
                state = .stopped(fault)
                return
            }
        }
        guard let decision else {
            state = .collecting(block: block, from: next)
            return
        }
        guard decision.first == next else {
            state = .stopped(
                "Block \(block) was decided to begin with record \(decision.first), and \(next) is what follows the block before it: "
                    + "somebody else writes into the stream of decisions. See who may."
            )
            return
        }
        guard isNewest else {
            state = .loading(decision)
            return
        }
        let looks = yielded.flatMap { $0.block == block ? $0.looks : nil } ?? 0
        yielded = (block, looks + 1)
        state = looks < times.looks ? .yielding(decision) : .loading(decision)
    }

    private static func fault(of decision: BlockDecision, _ number: UInt64) -> String? {
        if decision.block != number {
            return
                "In place \(number) of the decisions stands block \(decision.block): somebody else writes into the stream of decisions. "
                + "See who may."
        }
        guard !versions.contains(decision.version) else { return nil }
        return
            "Block \(number) was decided by a newer version of trackway (rows of version \(decision.version), and this one knows "
            + "\(versions.upperBound)). Install that version here, too."
    }

    /// A block was collected up to a record; nil when there are no records, and none are waited for.
    package mutating func collected(last: UInt64?) {
        guard case .collecting(let block, let first) = state else { return }
        guard let last else {
            state = .resting
            return
        }
        state = .deciding(BlockDecision(block: block, first: first, last: last, version: BlockRows.version))
    }

    /// The block was decided as it was proposed here, or otherwise by somebody else.
    package mutating func decided(_ isOurs: Bool) {
        guard case .deciding(let decision) = state else { return }
        state = isOurs ? .recognising(decision) : .reading(block: decision.block)
    }

    /// The block's records were read.
    package mutating func loaded() {
        guard case .loading(let decision) = state else { return }
        state = .recognising(decision)
    }

    /// The block's rows were made.
    package mutating func recognised() {
        guard case .recognising(let decision) = state else { return }
        state = .inserting(ColumnTable.allCases[0], decision)
    }

    /// The block's rows are in the table, or it has none there.
    package mutating func inserted() {
        guard case .inserting(let table, let decision) = state else { return }
        let tables = ColumnTable.allCases
        guard let index = tables.firstIndex(of: table), index + 1 < tables.count else {
            failures = 0
            yielded = nil
            state = .reading(block: decision.block + 1)
            return
        }
        state = tables[index + 1] == .blocks ? .erasing(decision) : .inserting(tables[index + 1], decision)
    }

    /// What was erased is ordered to go.
    package mutating func erased() {
        guard case .erasing(let decision) = state else { return }
        state = .inserting(.blocks, decision)
    }

    /// The time is over.
    package mutating func waited() {
        switch state {
        case .yielding, .pausing: state = .counting
        default: break
        }
    }

    /// The order could not be carried out.
    ///
    /// Everything that was in memory is let go of. What was decided or written stays, and is found again.
    ///
    /// - Parameters:
    ///   - reason: A sentence.
    ///   - isLasting: Whether it stays so until somebody does something about it.
    ///   - isFinal: Whether nothing that can be done would make it right for this process.
    package mutating func failed(_ reason: String, isLasting: Bool = false, isFinal: Bool = false) {
        if isFinal || (isLasting && !hasBegun) {
            state = .stopped(reason)
            return
        }
        failures += 1
        var pause = times.firstPause
        for _ in 1..<failures where pause < times.longestPause { pause *= 2 }
        state = .pausing(min(pause, times.longestPause))
    }
}
