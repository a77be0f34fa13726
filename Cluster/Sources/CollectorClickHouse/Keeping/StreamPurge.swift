// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// Decides which records of a stream are removed. A value: it is asked for its ``order``, and told what came of it.
///
/// A record may go when it is older than is wanted by the engine's own clock, when it is in a block that the tables have as a whole, and
/// when each collector's index that was ever heard of has read past it. Records go in whole blocks, from the first one on, a limited
/// number of blocks at once: whoever is killed between has removed less. The stream's last record always stays.
package struct StreamPurge: Sendable {
    /// What is to be done next.
    package enum Order: Sendable, Hashable {
        /// See what there is.
        case look
        /// Read what was decided about a block, and when its last record came.
        case date(UInt64)
        /// See how many erased installations have rows in the tables still.
        case sweep
        /// See whether the tables have all of these blocks.
        case audit(ClosedRange<UInt64>)
        /// See how far the indexes are, now.
        case hear(before: UInt64)
        /// Remove the records before this one.
        case purge(before: UInt64)
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

        /// A look.
        package init(extent: StreamExtent, completed: UInt64, readers: [ReaderPlace]) {
            self.extent = extent
            self.completed = completed
            self.readers = readers
        }
    }

    /// Why no more is removed.
    package enum Hold: Sendable, Hashable {
        /// What follows is younger, or not in the tables yet.
        case young
        /// This index has not read what follows.
        case reader(ReaderPlace)
        /// Nobody said how far any index is, and nobody said that there is none.
        case unheard
        /// So many erased installations have rows in the tables still.
        case erasing(Int)
        /// The tables have not all rows of what follows.
        case incomplete([BlockFinding])
    }

    /// What may go, and what is to be looked at.
    package struct Wishes: Sendable, Hashable {
        /// Records that the engine took before this may go.
        package var cutoff: Timestamp
        /// Whether there may be no collector with an index.
        package var allowsNoIndex = false
        /// Whether to remove nothing, and only tell.
        package var isTrial = false
        /// So many blocks are looked at and removed at once.
        package var stride: UInt64 = 5_000

        /// Wishes.
        package init(cutoff: Timestamp, allowsNoIndex: Bool = false, isTrial: Bool = false) {
            self.cutoff = cutoff
            self.allowsNoIndex = allowsNoIndex
            self.isTrial = isTrial
        }
    }

    private enum State: Sendable, Hashable {
        case looking
        /// Blocks up to `purged` have no record any more, and `kept` has some. Which is the lowest that has?
        case seekingFirst(purged: UInt64, kept: UInt64)
        /// Blocks up to `old` may go, and `kept` may not.
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
    /// Why no more is removed; known once ``order`` is `end`.
    package private(set) var hold = Hold.young
    /// The sequence before which everything may go, or went; nil when nothing does.
    package private(set) var before: UInt64?
    /// How many records were removed.
    package private(set) var removed: UInt64 = 0

    /// One that has just begun.
    package init(_ wishes: Wishes) {
        self.wishes = wishes
    }

    /// What is to be done next.
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

    // MARK: What came of it

    /// This is there.
    package mutating func looked(_ look: Look) {
        guard case .looking = state else { return }
        self.look = look
        if look.readers.isEmpty, !wishes.allowsNoIndex { return end(.unheard) }
        guard look.completed > 0 else { return end(.young) }
        if look.extent.first <= 1 {
            seekLast(from: 1)
        } else {
            // The block behind the last one counts as kept: it has records, or will have some.
            seekFirst(purged: 0, kept: look.completed + 1)
        }
    }

    /// A block ends with a record that came then; nil when that is not there any more.
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

    /// So many erased installations have rows in the tables still.
    package mutating func swept(_ remains: Int) {
        guard case .sweeping = state else { return }
        if remains > 0 { return end(.erasing(remains)) }
        goOn(from: first)
    }

    /// The tables lack this of the blocks; the last one ends with the record `sequence`.
    package mutating func audited(_ findings: [BlockFinding], last sequence: UInt64) {
        guard case .auditing(let blocks) = state else { return }
        guard findings.isEmpty else { return end(.incomplete(findings)) }
        // The stream's last record stays: by it whoever comes late sees that what was before is gone, and not yet to come.
        let extent = look?.extent ?? StreamExtent(first: 1, last: 0)
        let before = min(sequence + 1, extent.last)
        guard before > extent.first else { return end(.young) }
        state = .hearing(blocks, before: before)
    }

    /// The indexes are so far now.
    package mutating func heard(_ readers: [ReaderPlace]) {
        guard case .hearing(let blocks, let before) = state else { return }
        look?.readers = readers
        // A collector may have begun since the first look.
        if let slowest, slowest.next < before { return end(.reader(slowest)) }
        if wishes.isTrial {
            self.before = before
            goOn(behind: blocks)
        } else {
            state = .purging(blocks, before: before)
        }
    }

    /// So many records were removed.
    package mutating func purged(_ count: UInt64) {
        guard case .purging(let blocks, let before) = state else { return }
        removed += count
        self.before = before
        goOn(behind: blocks)
    }

    /// How far the indexes are, as it was heard last.
    package var readers: [ReaderPlace] { look?.readers ?? [] }

    // MARK: Deciding

    private var slowest: ReaderPlace? { look?.readers.min { ($0.next, $0.name) < ($1.next, $1.name) } }

    /// Why a block that ends with such a record may not go; nil when it may.
    private func hold(_ sequence: UInt64, _ time: Timestamp?) -> Hold? {
        // Of a record that nobody hands out now it is not known how old it is.
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
