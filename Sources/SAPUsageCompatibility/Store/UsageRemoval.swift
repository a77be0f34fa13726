// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The changes that a removal makes to a store.
struct UsageRemoval: Sendable {
    /// The records removed from the log.
    var ranges: [RemovedRange] = []
    /// The records that leave the log but stay in the store.
    var withheld: [WithheldRecord] = []
    /// The previously withheld records that are removed.
    var removedWithheld: Set<UsagePosition> = []
    /// The session in effect at the first remaining record.
    var session: UsageSession?
    /// The session in effect before the removal.
    ///
    /// If another call has changed the session since then, that change is kept.
    var previousSession: UsageSession?
    /// The positions to which the log can advance, by writer.
    var through: [WriterID: UInt64] = [:]
}

/// Collects a removal's changes, record by record, in log order.
///
/// A log only advances. A retained record before removed records is therefore withheld while there is capacity.
/// Otherwise, the removed records after it are saved as ranges, and that writer's log does not advance.
struct UsageRemovalBuilder {
    private let from: Double?
    private let until: Double?
    private var remainingBytes: Int
    private var finishedRanges: [RemovedRange] = []
    private var currentRange: RemovedRange
    private var pendingWithheld: [WriterID: [WithheldRecord]] = [:]
    private var blockedWriters: Set<WriterID> = []
    private var withheld: [WithheldRecord] = []
    private var removedWithheld: Set<UsagePosition> = []
    private(set) var through: [WriterID: UInt64] = [:]
    private(set) var session: UsageSession?
    private let previousSession: UsageSession?
    /// Whether any record stays in the store.
    var hasRemainingRecords: Bool { !blockedWriters.isEmpty || pendingWithheld.contains { !$0.value.isEmpty } }

    /// Creates a builder without records.
    ///
    /// - Parameters:
    ///   - bounds: the dates within which records are removed.
    ///   - remainingBytes: the number of bytes that can be withheld.
    ///   - session: the session in effect at the first record.
    init(within bounds: RemovedRange = RemovedRange(), remainingBytes: Int, session: UsageSession?) {
        from = bounds.from
        until = bounds.through
        currentRange = RemovedRange(from: bounds.from, through: bounds.through)
        self.remainingBytes = remainingBytes
        self.session = session
        previousSession = session
    }

    /// Adds a record that is removed.
    ///
    /// - Parameter session: the session in effect after the record.
    mutating func remove(_ position: UsagePosition, session: UsageSession?) {
        if !blockedWriters.contains(position.writer) {
            withheld += pendingWithheld.removeValue(forKey: position.writer) ?? []
            through[position.writer] = position.sequence
        }
        currentRange.add(position)
        if !hasRemainingRecords { self.session = session }
    }

    /// Adds records that were removed or withheld earlier.
    mutating func skip(_ sequences: ClosedRange<UInt64>, of writer: WriterID) {
        guard !blockedWriters.contains(writer), pendingWithheld[writer]?.isEmpty ?? true else { return }
        through[writer] = sequences.upperBound
        currentRange.add(sequences, of: writer)
    }

    /// Adds a record that is not removed.
    mutating func retain(_ record: WithheldRecord, at position: UsagePosition) {
        guard !blockedWriters.contains(position.writer) else { return finishRange() }
        guard record.bytes <= remainingBytes else {
            remainingBytes += (pendingWithheld.removeValue(forKey: position.writer) ?? []).reduce(0) { $0 + $1.bytes }
            blockedWriters.insert(position.writer)
            return finishRange()
        }
        remainingBytes -= record.bytes
        pendingWithheld[position.writer, default: []].append(record)
    }

    /// Adds a previously withheld record that is removed.
    mutating func removeWithheld(_ position: UsagePosition) {
        removedWithheld.insert(position)
    }

    private mutating func finishRange() {
        if !currentRange.isEmpty { finishedRanges.append(currentRange) }
        currentRange = RemovedRange(from: from, through: until)
    }

    /// Returns the changes since the last call.
    ///
    /// A range that has grown since then is returned again.
    mutating func takeRemoval() -> UsageRemoval {
        var removal = UsageRemoval(session: session, previousSession: previousSession, through: through)
        removal.ranges = finishedRanges + (currentRange.isEmpty ? [] : [currentRange])
        removal.withheld = withheld
        removal.removedWithheld = removedWithheld
        finishedRanges = []
        withheld = []
        removedWithheld = []
        return removal
    }
}
