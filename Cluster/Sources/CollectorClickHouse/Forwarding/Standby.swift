// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector

/// Decides when a standby process takes over.
///
/// A value type: the caller passes in what each check of the decisions finds.
///
/// Another process decides blocks and writes them. While new decisions appear, it is healthy, because none is made
/// before the previous block is complete. Taking over too early only costs work: of two processes that decide a block,
/// one succeeds.
struct Standby: Sendable, Hashable {
    /// The next step.
    enum Step: Sendable, Hashable {
        /// Check immediately.
        case look
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
    private static let looksBeforeCount = 2

    /// The block whose decision is awaited.
    private(set) var next: UInt64
    /// The last record of the decided blocks.
    private(set) var end: UInt64
    /// Whether all blocks before ``next`` are known to be complete.
    private(set) var isWhole: Bool
    private var looks = 0

    /// Creates a standby that waits for the decision about `next`.
    init(next: UInt64, end: UInt64, isWhole: Bool) {
        self.next = next
        self.end = end
        self.isWhole = isWhole
    }

    /// Continues with the decision about ``next``; nil for none.
    ///
    /// - Parameters:
    ///   - highest: The highest known sequence of the stream.
    ///   - limit: The number of checks without progress before it takes over.
    mutating func saw(_ decision: BlockDecision?, highest: UInt64, limit: Int) -> Step {
        if let decision {
            next += 1
            end = decision.last
            isWhole = false
            looks = 0
            return .look
        }
        if isWhole, highest <= end {
            looks = 0
            return .idle
        }
        looks += 1
        if isWhole { return looks < limit ? .wait : .takeOver(block: next) }
        return looks < Self.looksBeforeCount ? .wait : .count
    }

    /// Continues with the number of written blocks.
    mutating func counted(_ completed: UInt64, limit: Int) -> Step {
        guard completed + 1 < next else {
            // Another process has written it, so it is active.
            isWhole = true
            looks = 0
            return .wait
        }
        return looks < limit ? .wait : .takeOver(block: completed + 1)
    }
}
