// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector

/// Decides when whoever stands by takes over. A value: it is told what is seen at each look at the decisions.
///
/// Somebody else decides blocks and writes them. As long as decisions follow one another all is well, for none is made before the block
/// before it is whole. Taking over too early costs work, and nothing else: of two who decide a block one succeeds.
struct Standby: Sendable, Hashable {
    /// What comes next.
    enum Step: Sendable, Hashable {
        /// Look at once.
        case look
        /// Look after a while.
        case wait
        /// There is nothing to take, and everything is written.
        case idle
        /// See how many blocks are written.
        case count
        /// Write the blocks from this one on.
        case takeOver(block: UInt64)
    }

    /// After so many looks the tables are asked whether the last decided block is whole.
    private static let looksBeforeCount = 2

    /// The block whose decision is looked for.
    private(set) var next: UInt64
    /// The last record that was decided upon.
    private(set) var end: UInt64
    /// Whether all blocks before ``next`` are known to be whole.
    private(set) var isWhole: Bool
    private var looks = 0

    /// Stands by behind a block.
    init(next: UInt64, end: UInt64, isWhole: Bool) {
        self.next = next
        self.end = end
        self.isWhole = isWhole
    }

    /// This is what was decided about ``next``; nil for nothing.
    ///
    /// - Parameters:
    ///   - highest: The sequence that the stream is known to have come to.
    ///   - limit: At so many looks nothing may come on before it takes over.
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

    /// So many blocks are written.
    mutating func counted(_ completed: UInt64, limit: Int) -> Step {
        guard completed + 1 < next else {
            // Somebody has written it: that is a sign of life.
            isWhole = true
            looks = 0
            return .wait
        }
        return looks < limit ? .wait : .takeOver(block: completed + 1)
    }
}
