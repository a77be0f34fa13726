// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore

/// Decides when a standby process takes over.
///
/// A value type: the caller passes in the result of each check of the decisions.
///
/// Another process decides blocks and writes them. While new decisions appear, that process is healthy, because no
/// decision is made before the previous block is complete. Taking over too early only wastes work: of two processes
/// that decide a block, one succeeds.
struct Standby: Sendable, Hashable {
    /// The next step.
    enum Step: Sendable, Hashable {
        /// Check immediately.
        case check
        /// Check after a pause.
        case wait
        /// There is nothing to take over, and everything is written.
        case idle
        /// Read the number of written blocks.
        case count
        /// Write the blocks, starting with this one.
        case takeOver(block: UInt64)
    }

    /// The number of checks before the tables are queried about the last decided block.
    private static let checksBeforeCount = 2

    /// The block whose decision is awaited.
    private(set) var next: UInt64
    /// The last record of the decided blocks.
    private(set) var end: UInt64
    /// Whether all blocks before ``next`` are known to be complete.
    private(set) var isComplete: Bool
    private var checks = 0

    /// Creates a standby that waits for the decision about `next`.
    init(next: UInt64, end: UInt64, isComplete: Bool) {
        self.next = next
        self.end = end
        self.isComplete = isComplete
    }

    /// Continues with the decision about ``next``; nil for none.
    ///
    /// - Parameters:
    ///   - highest: The highest known sequence of the stream.
    ///   - limit: The number of checks without progress before the standby takes over.
    mutating func decisionChecked(_ decision: BlockDecision?, highest: UInt64, limit: Int) -> Step {
        if let decision {
            next += 1
            end = decision.last
            isComplete = false
            checks = 0
            return .check
        }
        if isComplete, highest <= end {
            checks = 0
            return .idle
        }
        checks += 1
        if isComplete { return checks < limit ? .wait : .takeOver(block: next) }
        return checks < Self.checksBeforeCount ? .wait : .count
    }

    /// Continues with the number of written blocks.
    mutating func blocksCounted(_ completed: UInt64, limit: Int) -> Step {
        guard completed + 1 < next else {
            // Another process has written the block, so it is active.
            isComplete = true
            checks = 0
            return .wait
        }
        return checks < limit ? .wait : .takeOver(block: completed + 1)
    }
}
