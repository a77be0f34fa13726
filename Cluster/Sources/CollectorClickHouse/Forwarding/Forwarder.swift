// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector

/// Decides what whoever carries a stream's records into tables does next. A value: it is asked for its ``order``, and told what came
/// of it.
///
/// It knows nothing that another one, or the next one after a death, does not find out. The only cursor is the list of decided blocks,
/// and which of them are in the table of blocks: the lowest that is not there is the next one. When it is decided it is written as it
/// was decided, by whoever comes first, and again by whoever comes later, which changes nothing. When it is not, it is cut and decided;
/// of several who do that at once, one succeeds, and the others stand by (``Standby``).
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
        /// Write the block's rows into all tables but that of blocks.
        case insert(BlockDecision)
        /// Remove what is there of installations that were erased.
        case erase(BlockDecision)
        /// Write the block into the table of blocks: then it counts as written.
        case complete(BlockDecision)
        /// See whether somebody else has decided a block, and how far the stream has come.
        case watch(block: UInt64)
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
        /// Between two looks.
        package var look: Duration = .milliseconds(500)
        /// At so many looks one that stands by may see nothing come on before it takes over.
        package var looksAlone = 6
        /// After the first failure.
        package var firstPause: Duration = .milliseconds(500)
        /// At most so long after failures of the tables that follow one another.
        package var longestPause: Duration = .seconds(30)
        /// At most so long after failures of the engine: it is asked little, and mostly back after an election.
        package var longestEnginePause: Duration = .seconds(1)

        /// The usual times.
        package init() {}
    }

    /// What failed.
    package enum Part: Sendable, Hashable {
        /// The engine: records, or decisions about blocks.
        case engine
        /// The tables.
        case tables
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
        case inserting(BlockDecision)
        /// Behind all tables but that of blocks: what is erased is gone before the block counts as written.
        case erasing(BlockDecision)
        case completing(BlockDecision)
        /// Somebody else writes: looks at what they decide.
        case watching(Standby)
        /// Between two such looks.
        case idling(Standby)
        /// Sees whether what they decided is written.
        case checking(Standby)
        case pausing(Duration)
        case resting
        case stopped(String)
    }

    /// Which versions of rows can be written. A decision of another one is for another program.
    private static let versions = 1...BlockRows.version

    private let times: Times
    private var state = State.counting
    /// The decision that was found without its rows, and how often these were looked for.
    private var yielded: (decision: BlockDecision, looks: Int)?
    /// The block that is written at once where it is found decided, since nobody has written it for long.
    private var abandoned: UInt64?
    private var failures: [Part: Int] = [:]
    /// Whether it wrote the last block that it knows of, and nothing failed since.
    package private(set) var isWriting = false
    /// Whether anything was ever written or read there: what is wrong from the start does not become right by waiting.
    private var hasBegun = false
    /// The last record that is known to be in the tables with all before it; 0 for none.
    package private(set) var written: UInt64 = 0

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
        case .inserting(let decision): .insert(decision)
        case .erasing(let decision): .erase(decision)
        case .completing(let decision): .complete(decision)
        case .watching(let standby): .watch(block: standby.next)
        case .idling: .wait(times.look)
        case .checking: .count
        case .pausing(let pause): .wait(pause)
        case .resting: .rest
        case .stopped(let reason): .stop(reason)
        }
    }

    /// Whether somebody else writes, and this one looks on.
    package var isStandingBy: Bool {
        switch state {
        case .watching, .idling, .checking: true
        default: false
        }
    }

    // MARK: What came of it

    /// So many blocks are written.
    package mutating func counted(_ completed: UInt64) {
        switch state {
        case .counting:
            hasBegun = true
            let theirs = yielded?.decision
            if let theirs, theirs.block <= completed { yielded = nil }
            if let theirs, theirs.block == completed {
                // They have written it, so they are there.
                written = theirs.last
                isWriting = false
                state = .watching(Standby(next: completed + 1, end: theirs.last, isWhole: true))
            } else {
                state = .reading(block: completed + 1)
            }
        case .checking(var standby):
            let step = standby.counted(completed, limit: times.looksAlone)
            take(step, standby)
        default: break
        }
    }

    /// This was decided about the block that is looked for by one that stands by.
    ///
    /// - Parameters:
    ///   - highest: The sequence that the stream is known to have come to.
    ///   - isEnding: Whether it ends where everything there is is written.
    package mutating func watched(_ decision: BlockDecision?, highest: UInt64, isEnding: Bool = false) {
        guard case .watching(var standby) = state else { return }
        failures = [:]
        if let decision {
            let fault = Self.fault(of: decision, standby.next) ?? Self.fault(of: decision, behind: standby.end)
            if let fault {
                state = .stopped(fault)
                return
            }
            written = max(written, standby.end)
        }
        let step = standby.saw(decision, highest: highest, limit: times.looksAlone)
        if step == .idle, isEnding { state = .resting } else { take(step, standby) }
    }

    private mutating func take(_ step: Standby.Step, _ standby: Standby) {
        if standby.isWhole { written = max(written, standby.end) }
        switch step {
        case .look: state = .watching(standby)
        case .wait, .idle: state = .idling(standby)
        case .count: state = .checking(standby)
        case .takeOver(let block):
            // Of what is not decided nobody writes rows.
            if !standby.isWhole { abandoned = block }
            state = .reading(block: block)
        }
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
                    + "decisions was made anew. Name a database of its own behind --to, and prepare it with `trackway-cluster engine init`."
            )
            return
        }
        let next = previous.map { $0.last + 1 } ?? 1
        written = next - 1
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
        if let fault = Self.fault(of: decision, behind: next - 1) {
            state = .stopped(fault)
            return
        }
        guard isNewest, abandoned != block else {
            state = .loading(decision)
            return
        }
        let looks = yielded.flatMap { $0.decision == decision ? $0.looks : nil } ?? 0
        yielded = (decision, looks + 1)
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

    private static func fault(of decision: BlockDecision, behind end: UInt64) -> String? {
        guard decision.first != end + 1 else { return nil }
        return
            "Block \(decision.block) was decided to begin with record \(decision.first), and \(end + 1) is what follows the block before "
            + "it: somebody else writes into the stream of decisions. See who may."
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
        guard !isOurs else {
            state = .recognising(decision)
            return
        }
        // They are quicker, and go on.
        isWriting = false
        state = .watching(Standby(next: decision.block, end: decision.first - 1, isWhole: true))
    }

    /// The block's records were read.
    package mutating func loaded() {
        guard case .loading(let decision) = state else { return }
        state = .recognising(decision)
    }

    /// The block's rows were made.
    package mutating func recognised() {
        guard case .recognising(let decision) = state else { return }
        state = .inserting(decision)
    }

    /// The block's rows are in all tables but that of blocks.
    package mutating func inserted() {
        guard case .inserting(let decision) = state else { return }
        state = .erasing(decision)
    }

    /// What is erased is ordered to go.
    package mutating func erased() {
        guard case .erasing(let decision) = state else { return }
        state = .completing(decision)
    }

    /// The block counts as written.
    package mutating func completed() {
        guard case .completing(let decision) = state else { return }
        failures = [:]
        isWriting = true
        yielded = nil
        abandoned = nil
        written = decision.last
        state = .reading(block: decision.block + 1)
    }

    /// The time is over.
    package mutating func waited() {
        switch state {
        case .yielding, .pausing: state = .counting
        case .idling(let standby): state = .watching(standby)
        default: break
        }
    }

    /// The order could not be carried out.
    ///
    /// Everything that was in memory is let go of. What was decided or written stays, and is found again. Pauses grow with the failures of
    /// the part that failed: tables that were away for long do not make it wait for an engine that was away for a moment.
    ///
    /// - Parameters:
    ///   - reason: A sentence.
    ///   - part: What failed.
    ///   - isLasting: Whether it stays so until somebody does something about it.
    ///   - isFinal: Whether nothing that can be done would make it right for this process.
    package mutating func failed(
        _ reason: String,
        of part: Part = .tables,
        isLasting: Bool = false,
        isFinal: Bool = false
    ) {
        isWriting = false
        if isFinal || (isLasting && !hasBegun) {
            state = .stopped(reason)
            return
        }
        let count = failures[part, default: 0] + 1
        failures[part] = count
        let longest = part == .engine ? times.longestEnginePause : times.longestPause
        var pause = times.firstPause
        for _ in 1..<count where pause < longest { pause *= 2 }
        state = .pausing(min(pause, longest))
    }
}
