// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore

/// Decides the next step of a process that copies records into tables.
///
/// A value type: the caller reads ``nextStep``, carries it out, and passes in the result.
///
/// Another forwarder, or the next one after a crash, can determine everything that this one knows. The only cursor is
/// the list of decided blocks, compared with the table of blocks: the lowest block missing from the table is next. If
/// that block is decided, the first process to find it writes it as decided; later processes write it again, which
/// changes nothing. If it is undecided, it is cut and decided. Of several processes that do so concurrently, one
/// succeeds, and the others stand by (``Standby``).
package struct Forwarder: Sendable {
    /// The next step.
    package enum Step: Sendable, Hashable {
        /// Read the number of written blocks.
        case count
        /// Read the decisions about a block and the preceding one.
        ///
        /// No block precedes block 1, so only its own decision is read.
        case readDecisions(block: UInt64)
        /// Collect records from a sequence onward, until a block ends.
        ///
        /// A block ends when it is full or its time limit has passed.
        case collect(from: UInt64)
        /// Decide a block.
        case decide(BlockDecision)
        /// Read the records of a decided block.
        case load(BlockDecision)
        /// Determine which of the block's events are known, and make its rows.
        case makeRows(BlockDecision)
        /// Write the block's rows to all tables except the table of blocks.
        case insert(BlockDecision)
        /// Remove the rows of erased installations.
        case erase(BlockDecision)
        /// Write the block to the table of blocks.
        ///
        /// After this, the block counts as written.
        case complete(BlockDecision)
        /// Check for another process's decision about a block.
        ///
        /// This also reads the stream's highest sequence.
        case watch(block: UInt64)
        /// Wait.
        case wait(Duration)
        /// End: everything is written.
        case rest
        /// End for the given reason.
        case stop(String)
    }

    /// Intervals and numbers of attempts.
    package struct Times: Sendable, Hashable {
        /// The number of checks before writing another process's block.
        ///
        /// Until then, the process that decided the block may finish it.
        package var checksBeforeTakeover = 4
        /// The interval between two checks.
        package var checkInterval: Duration = .milliseconds(500)
        /// The number of checks without progress before a standby takes over.
        package var standbyChecks = 6
        /// The pause after the first failure.
        package var firstPause: Duration = .milliseconds(500)
        /// The maximum pause after consecutive failures of the tables.
        package var maxPause: Duration = .seconds(30)
        /// The maximum pause after consecutive failures of the engine.
        ///
        /// The engine receives few requests, and is usually available again after a leader election.
        package var maxEnginePause: Duration = .seconds(1)

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
        case makingRows(BlockDecision)
        case inserting(BlockDecision)
        /// All tables except the table of blocks are written.
        ///
        /// Erased rows are removed before the block counts as written.
        case erasing(BlockDecision)
        case completing(BlockDecision)
        /// Checks the decisions of the other process, which writes the blocks.
        case watching(Standby)
        /// Waits between two checks of the other process's decisions.
        case idling(Standby)
        /// Checks whether the blocks that the other process decided are written.
        case checking(Standby)
        case pausing(Duration)
        case resting
        case stopped(String)
    }

    /// The versions of rows that can be written.
    ///
    /// A decision with any other version requires another version of the program.
    private static let versions = 1...BlockRows.version

    private let times: Times
    private var state = State.counting
    /// The decision whose rows were not found, and the number of checks for them.
    private var deferred: (decision: BlockDecision, checks: Int)?
    /// The block to write immediately if it turns out to be decided.
    ///
    /// No process has written it for a long time.
    private var abandoned: UInt64?
    private var failures: [Part: Int] = [:]
    /// Whether this forwarder wrote the last known block and has not failed since.
    package private(set) var isWriting = false
    /// Whether the tables have ever been read successfully.
    ///
    /// Waiting does not fix a setup that was wrong from the start.
    private var hasReadTables = false
    /// The record up to which the tables are known to be complete.
    ///
    /// 0 for none.
    package private(set) var written: UInt64 = 0

    /// Creates a forwarder in its initial state.
    package init(times: Times = Times()) {
        self.times = times
    }

    /// The next step.
    package var nextStep: Step {
        switch state {
        case .counting: .count
        case .reading(let block): .readDecisions(block: block)
        case .collecting(_, let first): .collect(from: first)
        case .deciding(let decision): .decide(decision)
        case .yielding: .wait(times.checkInterval)
        case .loading(let decision): .load(decision)
        case .makingRows(let decision): .makeRows(decision)
        case .inserting(let decision): .insert(decision)
        case .erasing(let decision): .erase(decision)
        case .completing(let decision): .complete(decision)
        case .watching(let standby): .watch(block: standby.next)
        case .idling: .wait(times.checkInterval)
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
    package mutating func blocksCounted(_ completed: UInt64) {
        switch state {
        case .counting:
            hasReadTables = true
            let otherDecision = deferred?.decision
            if let otherDecision, otherDecision.block <= completed { deferred = nil }
            if let otherDecision, otherDecision.block == completed {
                // The other process has written the block, so it is active.
                written = otherDecision.last
                isWriting = false
                state = .watching(Standby(next: completed + 1, end: otherDecision.last, isComplete: true))
            } else {
                state = .reading(block: completed + 1)
            }
        case .checking(var standby):
            let step = standby.blocksCounted(completed, limit: times.standbyChecks)
            apply(step, standby)
        default: break
        }
    }

    /// Continues with the decision that a standby watches for.
    ///
    /// - Parameters:
    ///   - highest: The highest known sequence of the stream.
    ///   - isEnding: Whether to end once everything is written.
    package mutating func decisionWatched(_ decision: BlockDecision?, highest: UInt64, isEnding: Bool = false) {
        guard case .watching(var standby) = state else { return }
        failures = [:]
        if let decision {
            let fault = Self.fault(of: decision, standby.next) ?? Self.fault(of: decision, after: standby.end)
            if let fault {
                state = .stopped(fault)
                return
            }
            written = max(written, standby.end)
        }
        let step = standby.decisionChecked(decision, highest: highest, limit: times.standbyChecks)
        if step == .idle, isEnding { state = .resting } else { apply(step, standby) }
    }

    private mutating func apply(_ step: Standby.Step, _ standby: Standby) {
        if standby.isComplete { written = max(written, standby.end) }
        switch step {
        case .check: state = .watching(standby)
        case .wait, .idle: state = .idling(standby)
        case .count: state = .checking(standby)
        case .takeOver(let block):
            // No process writes rows of an undecided block, so only a decided one can be abandoned.
            if !standby.isComplete { abandoned = block }
            state = .reading(block: block)
        }
    }

    /// Continues with the decisions about the block and about the preceding one.
    ///
    /// - Parameter isNewest: Whether the block after this one is undecided. Another process may be writing the rows of
    ///   the newest block. If a later block is decided while this one is missing, the tables have lost this one, or are
    ///   being refilled.
    package mutating func decisionsRead(_ decision: BlockDecision?, previous: BlockDecision?, isNewest: Bool = true) {
        guard case .reading(let block) = state else { return }
        if block > 1, previous == nil {
            state = .stopped(
                "The tables have block \(block - 1), which was never decided: they belong to another stream, or the "
                    + "decisions were recreated. Prepare a new database with `trackway-cluster cluster init` for --clickhouse."
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
        if let fault = Self.fault(of: decision, after: next - 1) {
            state = .stopped(fault)
            return
        }
        guard isNewest, abandoned != block else {
            state = .loading(decision)
            return
        }
        let checks = deferred.flatMap { $0.decision == decision ? $0.checks : nil } ?? 0
        deferred = (decision, checks + 1)
        state = checks < times.checksBeforeTakeover ? .yielding(decision) : .loading(decision)
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

    private static func fault(of decision: BlockDecision, after end: UInt64) -> String? {
        guard decision.first != end + 1 else { return nil }
        return
            "According to its decision, block \(decision.block) starts with record \(decision.first) instead of "
            + "\(end + 1): another program writes to the stream of decisions. Check who is allowed to publish to it."
    }

    /// Continues with the last record of the collected block.
    ///
    /// The sequence `last` is nil if no records exist and none are awaited.
    package mutating func blockCollected(last: UInt64?) {
        guard case .collecting(let block, let first) = state else { return }
        guard let last else {
            state = .resting
            return
        }
        state = .deciding(BlockDecision(block: block, first: first, last: last, version: BlockRows.version))
    }

    /// Continues after the block was decided, here or by another process.
    package mutating func blockDecided(isOurs: Bool) {
        guard case .deciding(let decision) = state else { return }
        guard !isOurs else {
            state = .makingRows(decision)
            return
        }
        // The other process decided the block first, and continues writing.
        isWriting = false
        state = .watching(Standby(next: decision.block, end: decision.first - 1, isComplete: true))
    }

    /// Continues after the block's records were read.
    package mutating func blockLoaded() {
        guard case .loading(let decision) = state else { return }
        state = .makingRows(decision)
    }

    /// Continues after the block's rows were made.
    package mutating func rowsMade() {
        guard case .makingRows(let decision) = state else { return }
        state = .inserting(decision)
    }

    /// Continues after all rows were written except the one in the table of blocks.
    package mutating func rowsInserted() {
        guard case .inserting(let decision) = state else { return }
        state = .erasing(decision)
    }

    /// Continues after the removal of erased rows was requested.
    package mutating func rowsErased() {
        guard case .erasing(let decision) = state else { return }
        state = .completing(decision)
    }

    /// Continues after the block was marked as written.
    package mutating func blockCompleted() {
        guard case .completing(let decision) = state else { return }
        failures = [:]
        isWriting = true
        deferred = nil
        abandoned = nil
        written = decision.last
        state = .reading(block: decision.block + 1)
    }

    /// Continues after the wait.
    package mutating func waitFinished() {
        switch state {
        case .yielding, .pausing: state = .counting
        case .idling(let standby): state = .watching(standby)
        default: break
        }
    }

    /// Continues after a failed step.
    ///
    /// Everything in memory is discarded. Decisions and written rows remain, and are found again. Pauses grow with the
    /// consecutive failures of the part that failed: a long outage of the tables does not prolong the wait for an
    /// engine that fails briefly.
    ///
    /// - Parameters:
    ///   - reason: The reason, as one sentence.
    ///   - part: The part that failed.
    ///   - isPermanent: Whether the failure lasts until an operator fixes the cause.
    ///   - isFinal: Whether this process cannot recover from the failure.
    package mutating func stepFailed(
        _ reason: String,
        of part: Part = .tables,
        isPermanent: Bool = false,
        isFinal: Bool = false
    ) {
        isWriting = false
        if isFinal || (isPermanent && !hasReadTables) {
            state = .stopped(reason)
            return
        }
        let count = failures[part, default: 0] + 1
        failures[part] = count
        let longest = part == .engine ? times.maxEnginePause : times.maxPause
        var pause = times.firstPause
        for _ in 1..<count where pause < longest { pause *= 2 }
        state = .pausing(min(pause, longest))
    }
}
