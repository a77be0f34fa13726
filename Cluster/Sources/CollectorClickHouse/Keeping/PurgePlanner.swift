// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// Decides which records of a stream are removed.
///
/// A value type: the caller reads ``order``, carries it out, and passes in the result.
///
/// A record may be removed if it is older than the cutoff by the engine's clock, if it is in a block that the tables
/// have completely, and if every collector's index that ever reported a position has read past it. Records are removed
/// in whole blocks, starting with the first, a limited number of blocks at a time. If the process is killed in between,
/// fewer are removed. The stream's last record is always kept.
package struct PurgePlanner: Sendable {
    /// The next step.
    package enum Order: Sendable, Hashable {
        /// Read the current status.
        case look
        /// Read the decision about a block, and the time of its last record.
        case date(UInt64)
        /// Count the erased installations that still have rows in the tables.
        case sweep
        /// Check that the tables have all rows of these blocks.
        case audit(ClosedRange<UInt64>)
        /// Read the current positions of the indexes.
        case hear(before: UInt64)
        /// Remove the records before this one.
        case purge(before: UInt64)
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

        /// Creates a status.
        package init(extent: StreamExtent, completed: UInt64, readers: [ReaderPosition]) {
            self.extent = extent
            self.completed = completed
            self.readers = readers
        }
    }

    /// Why no more records are removed.
    package enum Hold: Sendable, Hashable {
        /// The next records are too recent, or not in the tables yet.
        case young
        /// This index has not read the next records.
        case reader(ReaderPosition)
        /// No index has reported a position, and the absence of indexes was not confirmed.
        case unheard
        /// This number of erased installations still has rows in the tables.
        case erasing(Int)
        /// The tables lack rows of the next blocks.
        case incomplete([BlockFinding])
    }

    /// What may be removed, and how.
    package struct Wishes: Sendable, Hashable {
        /// Records that the engine stored before this time may be removed.
        package var cutoff: Timestamp
        /// Whether it is acceptable that no collector has an index.
        package var allowsNoIndex = false
        /// Whether to remove nothing, and only report.
        package var isTrial = false
        /// The number of blocks that are checked and removed at a time.
        package var stride: UInt64 = 5_000

        /// Creates the options.
        package init(cutoff: Timestamp, allowsNoIndex: Bool = false, isTrial: Bool = false) {
            self.cutoff = cutoff
            self.allowsNoIndex = allowsNoIndex
            self.isTrial = isTrial
        }
    }

    private enum State: Sendable, Hashable {
        case looking
        /// Blocks up to `purged` have no records left, and `kept` has some. Searches for the lowest block with records.
        case seekingFirst(purged: UInt64, kept: UInt64)
        /// Blocks up to `old` may be removed, and `kept` may not. Searches for the highest removable block.
        case seekingLast(old: UInt64, kept: UInt64)
        case sweeping
        case auditing(ClosedRange<UInt64>)
        case hearing(ClosedRange<UInt64>, before: UInt64)
        case purging(ClosedRange<UInt64>, before: UInt64)
        case ended
    }

    private let wishes: Wishes
    private var state = State.looking
    private var look: Look?
    private var first: UInt64 = 1
    private var last: UInt64 = 0
    /// Why no more records are removed; known once ``order`` is `end`.
    package private(set) var hold = Hold.young
    /// The sequence before which everything was or may be removed; nil for nothing.
    package private(set) var before: UInt64?
    /// The number of removed records.
    package private(set) var removed: UInt64 = 0

    /// Creates a planner in its initial state.
    package init(_ wishes: Wishes) {
        self.wishes = wishes
    }

    /// The next step.
    package var order: Order {
        switch state {
        case .looking: .look
        case .seekingFirst(let low, let high), .seekingLast(let low, let high): .date(low + (high - low) / 2)
        case .sweeping: .sweep
        case .auditing(let blocks): .audit(blocks)
        case .hearing(_, let before): .hear(before: before)
        case .purging(_, let before): .purge(before: before)
        case .ended: .end
        }
    }

    // MARK: Results of steps

    /// Continues with the current status.
    package mutating func looked(_ look: Look) {
        guard case .looking = state else { return }
        self.look = look
        if look.readers.isEmpty, !wishes.allowsNoIndex { return end(.unheard) }
        guard look.completed > 0 else { return end(.young) }
        if look.extent.first <= 1 {
            seekLast(from: 1)
        } else {
            // The block after the last one counts as kept: it has records, or will have some.
            seekFirst(purged: 0, kept: look.completed + 1)
        }
    }

    /// Continues with the last record of a block and its time; nil if the engine has none.
    package mutating func dated(last sequence: UInt64, at time: Timestamp?) {
        guard let look else { return }
        switch state {
        case .seekingFirst(let low, let high):
            let block = low + (high - low) / 2
            if sequence < look.extent.first {
                seekFirst(purged: block, kept: high)
            } else {
                seekFirst(purged: low, kept: block)
            }
        case .seekingLast(let low, let high):
            let block = low + (high - low) / 2
            if let hold = self.hold(sequence, time) {
                self.hold = hold
                seekLast(old: low, kept: block)
            } else {
                seekLast(old: block, kept: high)
            }
        default: break
        }
    }

    /// Continues with the number of erased installations that still have rows in the tables.
    package mutating func swept(_ remains: Int) {
        guard case .sweeping = state else { return }
        if remains > 0 { return end(.erasing(remains)) }
        goOn(from: first)
    }

    /// Continues with the blocks' missing rows; the last block ends with the record `sequence`.
    package mutating func audited(_ findings: [BlockFinding], last sequence: UInt64) {
        guard case .auditing(let blocks) = state else { return }
        guard findings.isEmpty else { return end(.incomplete(findings)) }
        // The stream's last record is kept: it shows late readers that earlier records were removed, not that they are
        // still to come.
        let extent = look?.extent ?? StreamExtent(first: 1, last: 0)
        let before = min(sequence + 1, extent.last)
        guard before > extent.first else { return end(.young) }
        state = .hearing(blocks, before: before)
    }

    /// Continues with the current positions of the indexes.
    package mutating func heard(_ readers: [ReaderPosition]) {
        guard case .hearing(let blocks, let before) = state else { return }
        look?.readers = readers
        // A collector may have started since the status was read.
        if let slowest, slowest.next < before { return end(.reader(slowest)) }
        if wishes.isTrial {
            self.before = before
            goOn(behind: blocks)
        } else {
            state = .purging(blocks, before: before)
        }
    }

    /// Continues with the number of removed records.
    package mutating func purged(_ count: UInt64) {
        guard case .purging(let blocks, let before) = state else { return }
        removed += count
        self.before = before
        goOn(behind: blocks)
    }

    /// The most recently read positions of the indexes.
    package var readers: [ReaderPosition] { look?.readers ?? [] }

    // MARK: Deciding

    private var slowest: ReaderPosition? { look?.readers.min { ($0.next, $0.name) < ($1.next, $1.name) } }

    /// Returns why a block that ends with this record is kept; nil if it may be removed.
    private func hold(_ sequence: UInt64, _ time: Timestamp?) -> Hold? {
        // The age of a record is unknown if no server returns it now.
        guard let time, time < wishes.cutoff else { return .young }
        if let slowest, slowest.next <= sequence { return .reader(slowest) }
        return nil
    }

    private mutating func seekFirst(purged: UInt64, kept: UInt64) {
        if kept - purged > 1 {
            state = .seekingFirst(purged: purged, kept: kept)
        } else {
            seekLast(from: kept)
        }
    }

    private mutating func seekLast(from block: UInt64) {
        first = block
        seekLast(old: block - 1, kept: (look?.completed ?? 0) + 1)
    }

    private mutating func seekLast(old: UInt64, kept: UInt64) {
        if kept > old, kept - old > 1 {
            state = .seekingLast(old: old, kept: kept)
        } else {
            last = old
            if first > last { return end(hold) }
            state = .sweeping
        }
    }

    private mutating func goOn(behind blocks: ClosedRange<UInt64>) { goOn(from: blocks.upperBound + 1) }

    private mutating func goOn(from block: UInt64) {
        guard block <= last else { return end(hold) }
        state = .auditing(block...min(last, block + wishes.stride - 1))
    }

    private mutating func end(_ hold: Hold) {
        self.hold = hold
        state = .ended
    }
}
