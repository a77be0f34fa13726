// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector

/// Decides the next step of a process that copies records into tables.
///
/// A value type: the caller reads ``order``, carries it out, and passes in the result.
///
/// Another forwarder, or the next one after a crash, can find out everything that this one knows. The only cursor is
/// the list of decided blocks, and which of them are in the table of blocks: the lowest missing one is next. If it is
/// decided, the first process to find it writes it as decided; later processes write it again, which changes nothing.
/// If it is undecided, it is cut and decided. Of several processes that do so concurrently, one succeeds, and the
/// others stand by (``Standby``).
package struct Forwarder: Sendable {
    /// The next step.
    package enum Order: Sendable, Hashable {
        /// Read the number of written blocks.
        case count
        /// Read the decisions about a block and about the one before it, unless that is 0.
        case readDecisions(block: UInt64)
        /// Collect records from a sequence onward, until a block ends.
        ///
        /// A block ends when it is full or its time limit has passed.
        case collect(from: UInt64)
        /// Decide a block.
        case decide(BlockDecision)
        /// Read the records of a decided block.
        case load(BlockDecision)
        /// Find out which of the block's events are known, and make its rows.
        case recognise(BlockDecision)
        /// Write the block's rows to all tables except the table of blocks.
        case insert(BlockDecision)
        /// Remove the rows of erased installations.
        case erase(BlockDecision)
        /// Write the block to the table of blocks, after which it counts as written.
        case complete(BlockDecision)
        /// Read whether another process has decided a block, and the stream's highest sequence.
        case watch(block: UInt64)
        /// Wait.
        case wait(Duration)
        /// End: everything is written.
        case rest
        /// End for this reason.
        case stop(String)
    }

    /// Intervals and numbers of attempts.
    package struct Times: Sendable, Hashable {
        /// The number of checks before this process writes a block decided by another.
        ///
        /// Until then, the process that decided the block may finish it.
        package var looks = 4
        /// The interval between two checks.
        package var look: Duration = .milliseconds(500)
        /// The number of checks without progress before a standby takes over.
        package var looksAlone = 6
        /// The pause after the first failure.
        package var firstPause: Duration = .milliseconds(500)
        /// The maximum pause after consecutive failures of the tables.
        package var longestPause: Duration = .seconds(30)
        /// The maximum pause after consecutive failures of the engine.
        ///
        /// It receives few requests, and is usually back after an election.
        package var longestEnginePause: Duration = .seconds(1)

        /// Creates the default values.
        package init() {}
    }

    /// The part that failed.
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
        /// Another process has decided this block, and may be writing it.
        case yielding(BlockDecision)
        case loading(BlockDecision)
        case recognising(BlockDecision)
        case inserting(BlockDecision)
        /// After all tables except the table of blocks: erased rows are removed before the block counts as written.
        case erasing(BlockDecision)
        case completing(BlockDecision)
        /// Another process writes: checks its decisions.
        case watching(Standby)
        /// Waits between two such checks.
        case idling(Standby)
        /// Checks whether its decided blocks are written.
        case checking(Standby)
        case pausing(Duration)
        case resting
        case stopped(String)
    }

    /// The versions of rows that can be written.
    ///
    /// A decision with another version is for another version of the program.
    private static let versions = 1...BlockRows.version

    private let times: Times
    private var state = State.counting
    /// The decision found without its rows, and the number of checks for them.
    private var yielded: (decision: BlockDecision, looks: Int)?
    /// The block to write immediately if it is found decided.
    ///
    /// No process has written it for a long time.
    private var abandoned: UInt64?
    private var failures: [Part: Int] = [:]
    /// Whether it wrote the last block that it knows of, without a failure since.
    package private(set) var isWriting = false
    /// Whether the tables were ever read successfully.
    ///
    /// A setup that is wrong from the start is not fixed by waiting.
    private var hasBegun = false
    /// The record up to which the tables are known complete; 0 for none.
    package private(set) var written: UInt64 = 0

    /// Creates a forwarder in its initial state.
    package init(times: Times = Times()) {
        self.times = times
    }

    /// The next step.
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

    /// Whether another process writes while this one watches.
    package var isStandingBy: Bool {
        switch state {
        case .watching, .idling, .checking: true
        default: false
        }
    }

    // MARK: Results of steps

    /// Continues with the number of written blocks.
    package mutating func counted(_ completed: UInt64) {
        switch state {
        case .counting:
            hasBegun = true
            let theirs = yielded?.decision
            if let theirs, theirs.block <= completed { yielded = nil }
            if let theirs, theirs.block == completed {
                // The other process has written it, so it is active.
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

    /// Continues with the decision that a standby watches for.
    ///
    /// - Parameters:
    ///   - highest: The highest known sequence of the stream.
    ///   - isEnding: Whether to end once everything is written.
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
            // No process writes rows of an undecided block, so only a decided one can be abandoned.
            if !standby.isWhole { abandoned = block }
            state = .reading(block: block)
        }
    }

    /// Continues with the decisions about the block and about the one before it.
    ///
    /// - Parameter isNewest: Whether the block after it is undecided. Another process may be writing the rows of the
    ///   newest block. If a later block is decided while this one is missing, the tables have lost it, or are being
    ///   refilled.
    package mutating func read(_ decision: BlockDecision?, previous: BlockDecision?, isNewest: Bool = true) {
        guard case .reading(let block) = state else { return }
        if block > 1, previous == nil {
            state = .stopped(
                "The tables have block \(block - 1), which was never decided: they belong to another stream, or the "
                    + "decisions were recreated. Prepare a new database with `trackway-cluster engine init` for --to."
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
                "Decision \(number) is about block \(decision.block): another program writes to the stream of "
                + "decisions. Check who is allowed to publish to it."
        }
        guard !versions.contains(decision.version) else { return nil }
        return
            "Block \(number) was decided by a newer version of trackway (rows of version \(decision.version); this "
            + "program supports \(versions.upperBound)). Install that version on this machine."
    }

    private static func fault(of decision: BlockDecision, behind end: UInt64) -> String? {
        guard decision.first != end + 1 else { return nil }
        return
            "Block \(decision.block) was decided to begin with record \(decision.first) instead of \(end + 1): another "
            + "program writes to the stream of decisions. Check who is allowed to publish to it."
    }

    /// Continues with the last record of the collected block.
    ///
    /// Nil if no records exist and none are awaited.
    package mutating func collected(last: UInt64?) {
        guard case .collecting(let block, let first) = state else { return }
        guard let last else {
            state = .resting
            return
        }
        state = .deciding(BlockDecision(block: block, first: first, last: last, version: BlockRows.version))
    }

    /// Continues after the block was decided, as proposed here or by another process.
    package mutating func decided(_ isOurs: Bool) {
        guard case .deciding(let decision) = state else { return }
        guard !isOurs else {
            state = .recognising(decision)
            return
        }
        // The other process is faster, and continues.
        isWriting = false
        state = .watching(Standby(next: decision.block, end: decision.first - 1, isWhole: true))
    }

    /// Continues after the block's records were read.
    package mutating func loaded() {
        guard case .loading(let decision) = state else { return }
        state = .recognising(decision)
    }

    /// Continues after the block's rows were made.
    package mutating func recognised() {
        guard case .recognising(let decision) = state else { return }
        state = .inserting(decision)
    }

    /// Continues after the rows were written to all tables except the table of blocks.
    package mutating func inserted() {
        guard case .inserting(let decision) = state else { return }
        state = .erasing(decision)
    }

    /// Continues after the removal of erased rows was ordered.
    package mutating func erased() {
        guard case .erasing(let decision) = state else { return }
        state = .completing(decision)
    }

    /// Continues after the block was marked as written.
    package mutating func completed() {
        guard case .completing(let decision) = state else { return }
        failures = [:]
        isWriting = true
        yielded = nil
        abandoned = nil
        written = decision.last
        state = .reading(block: decision.block + 1)
    }

    /// Continues after the wait.
    package mutating func waited() {
        switch state {
        case .yielding, .pausing: state = .counting
        case .idling(let standby): state = .watching(standby)
        default: break
        }
    }

    /// Continues after a failure of the order.
    ///
    /// Everything in memory is discarded. Decisions and written rows remain, and are found again. Pauses grow with the
    /// consecutive failures of the part that failed: a long outage of the tables does not prolong the wait for an
    /// engine that fails for a moment.
    ///
    /// - Parameters:
    ///   - reason: One sentence.
    ///   - part: The part that failed.
    ///   - isLasting: Whether the failure lasts until an operator fixes the cause.
    ///   - isFinal: Whether nothing can fix the failure for this process.
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
