// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// Decides which records of a stream are removed.
///
/// A value type: the caller reads ``nextStep``, carries it out, and passes in the result.
///
/// A record may be removed if it is older than the cutoff by the engine's clock, if it is in a block that is complete
/// in the tables, and if every collector index that has ever reported a position has read past it. Records are removed
/// in whole blocks, starting with the first, a limited number of blocks at a time. If the process is killed in between,
/// fewer records are removed. The stream's last record is always kept.
package struct PurgePlanner: Sendable {
    /// The next step.
    package enum Step: Sendable, Hashable {
        /// Read the current status.
        case readStatus
        /// Read a block's decision, and the time of its last record.
        case readTime(block: UInt64)
        /// Count the erased installations that still have rows in the tables.
        case countErased
        /// Check that the tables have all rows of these blocks.
        case audit(ClosedRange<UInt64>)
        /// Read the current positions of the indexes.
        case readPositions(before: UInt64)
        /// Remove the records before this one.
        case purge(before: UInt64)
        /// End: nothing is left to do.
        case end
    }

    /// The status of the stream, the tables, and the indexes.
    package struct Snapshot: Sendable, Hashable {
        /// The range of the stream's records.
        package var extent: StreamExtent
        /// The number of consecutive blocks in the tables, starting with the first.
        package var completed: UInt64
        /// The positions of the indexes.
        package var readers: [ReaderPosition]

        /// Creates a snapshot.
        package init(extent: StreamExtent, completed: UInt64, readers: [ReaderPosition]) {
            self.extent = extent
            self.completed = completed
            self.readers = readers
        }
    }

    /// Why no more records are removed.
    package enum StopReason: Sendable, Hashable {
        /// The next records are too recent, or not in the tables yet.
        case tooRecent
        /// This index has not read the next records.
        case reader(ReaderPosition)
        /// No index has reported a position.
        ///
        /// The absence of indexes was not confirmed.
        case noReaders
        /// This number of erased installations still has rows in the tables.
        case pendingErasures(Int)
        /// The tables lack rows from the next blocks.
        case incomplete([BlockFinding])
    }

    /// The options of a purge: what may be removed, and how.
    package struct Options: Sendable, Hashable {
        /// Records that the engine stored before this time may be removed.
        package var cutoff: Timestamp
        /// Whether it is acceptable that no collector has an index.
        package var allowsNoIndex = false
        /// Whether to only report, without removing anything.
        package var isDryRun = false
        /// The number of blocks that are checked and removed together.
        package var stride: UInt64 = 5_000

        /// Creates the options.
        package init(cutoff: Timestamp, allowsNoIndex: Bool = false, isDryRun: Bool = false) {
            self.cutoff = cutoff
            self.allowsNoIndex = allowsNoIndex
            self.isDryRun = isDryRun
        }
    }

    private enum State: Sendable, Hashable {
        case readingStatus
        /// Blocks up to `purged` have no records left, and `remaining` has some. Searches for the lowest block with
        /// records.
        case seekingFirst(purged: UInt64, remaining: UInt64)
        /// Blocks up to `old` may be removed, and `remaining` may not. Searches for the highest removable block.
        case seekingLast(old: UInt64, remaining: UInt64)
        case countingErased
        case auditing(ClosedRange<UInt64>)
        case readingPositions(ClosedRange<UInt64>, before: UInt64)
        case purging(ClosedRange<UInt64>, before: UInt64)
        case ended
    }

    private let options: Options
    private var state = State.readingStatus
    private var snapshot: Snapshot?
    private var first: UInt64 = 1
    private var last: UInt64 = 0
    /// Why no more records are removed; known once ``nextStep`` is `end`.
    package private(set) var stopReason = StopReason.tooRecent
    /// The sequence before which everything was or may be removed.
    ///
    /// Nil if nothing was or may be removed.
    package private(set) var before: UInt64?
    /// The number of removed records.
    package private(set) var removed: UInt64 = 0

    /// Creates a planner in its initial state.
    package init(_ options: Options) {
        self.options = options
    }

    /// The next step.
    package var nextStep: Step {
        switch state {
        case .readingStatus: .readStatus
        case .seekingFirst(let low, let high), .seekingLast(let low, let high): .readTime(block: low + (high - low) / 2)
        case .countingErased: .countErased
        case .auditing(let blocks): .audit(blocks)
        case .readingPositions(_, let before): .readPositions(before: before)
        case .purging(_, let before): .purge(before: before)
        case .ended: .end
        }
    }

    // MARK: Results of steps

    /// Continues with the current status.
    package mutating func statusRead(_ snapshot: Snapshot) {
        guard case .readingStatus = state else { return }
        self.snapshot = snapshot
        if snapshot.readers.isEmpty, !options.allowsNoIndex { return end(.noReaders) }
        guard snapshot.completed > 0 else { return end(.tooRecent) }
        if snapshot.extent.first <= 1 {
            seekLast(from: 1)
        } else {
            // The block after the last completed one counts as kept: it has records, or will have some.
            seekFirst(purged: 0, remaining: snapshot.completed + 1)
        }
    }

    /// Continues with a block's last record and its time, which is nil if unknown.
    package mutating func blockTimeRead(last sequence: UInt64, at time: Timestamp?) {
        guard let snapshot else { return }
        switch state {
        case .seekingFirst(let low, let high):
            let block = low + (high - low) / 2
            if sequence < snapshot.extent.first {
                seekFirst(purged: block, remaining: high)
            } else {
                seekFirst(purged: low, remaining: block)
            }
        case .seekingLast(let low, let high):
            let block = low + (high - low) / 2
            if let stopReason = self.stopReason(sequence, time) {
                self.stopReason = stopReason
                seekLast(old: low, remaining: block)
            } else {
                seekLast(old: block, remaining: high)
            }
        default: break
        }
    }

    /// Continues with the number of erased installations that still have rows.
    package mutating func erasedCounted(_ remaining: Int) {
        guard case .countingErased = state else { return }
        if remaining > 0 { return end(.pendingErasures(remaining)) }
        proceed(from: first)
    }

    /// Continues with the blocks' missing rows.
    ///
    /// The last block ends with the record `sequence`.
    package mutating func blocksAudited(_ findings: [BlockFinding], last sequence: UInt64) {
        guard case .auditing(let blocks) = state else { return }
        guard findings.isEmpty else { return end(.incomplete(findings)) }
        // The stream's last record is kept: it shows late readers that the missing records were removed, rather than
        // not yet written.
        let extent = snapshot?.extent ?? StreamExtent(first: 1, last: 0)
        let before = min(sequence + 1, extent.last)
        guard before > extent.first else { return end(.tooRecent) }
        state = .readingPositions(blocks, before: before)
    }

    /// Continues with the current positions of the indexes.
    package mutating func positionsRead(_ readers: [ReaderPosition]) {
        guard case .readingPositions(let blocks, let before) = state else { return }
        snapshot?.readers = readers
        // A collector may have started since the status was read.
        if let slowest, slowest.next < before { return end(.reader(slowest)) }
        if options.isDryRun {
            self.before = before
            proceed(after: blocks)
        } else {
            state = .purging(blocks, before: before)
        }
    }

    /// Continues with the number of removed records.
    package mutating func recordsPurged(_ count: UInt64) {
        guard case .purging(let blocks, let before) = state else { return }
        removed += count
        self.before = before
        proceed(after: blocks)
    }

    /// The most recently read positions of the indexes.
    package var readers: [ReaderPosition] { snapshot?.readers ?? [] }

    // MARK: Deciding

    private var slowest: ReaderPosition? { snapshot?.readers.min { ($0.next, $0.name) < ($1.next, $1.name) } }

    /// Returns why a block that ends with this record is kept; nil if it may be removed.
    private func stopReason(_ sequence: UInt64, _ time: Timestamp?) -> StopReason? {
        // The age of a record is unknown if no server currently returns it.
        guard let time, time < options.cutoff else { return .tooRecent }
        if let slowest, slowest.next <= sequence { return .reader(slowest) }
        return nil
    }

    private mutating func seekFirst(purged: UInt64, remaining: UInt64) {
        if remaining - purged > 1 {
            state = .seekingFirst(purged: purged, remaining: remaining)
        } else {
            seekLast(from: remaining)
        }
    }

    private mutating func seekLast(from block: UInt64) {
        first = block
        seekLast(old: block - 1, remaining: (snapshot?.completed ?? 0) + 1)
    }

    private mutating func seekLast(old: UInt64, remaining: UInt64) {
        if remaining > old, remaining - old > 1 {
            state = .seekingLast(old: old, remaining: remaining)
        } else {
            last = old
            if first > last { return end(stopReason) }
            state = .countingErased
        }
    }

    private mutating func proceed(after blocks: ClosedRange<UInt64>) { proceed(from: blocks.upperBound + 1) }

    private mutating func proceed(from block: UInt64) {
        guard block <= last else { return end(stopReason) }
        state = .auditing(block...min(last, block + options.stride - 1))
    }

    private mutating func end(_ stopReason: StopReason) {
        self.stopReason = stopReason
        state = .ended
    }
}
