// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What the elected deliverer knows of one writer.
struct WriterProgress: Sendable {
    let id: WriterID
    /// This process's own writer.
    let isOwn: Bool
    /// The writer's process is gone; nothing will be added.
    var isComplete = false
    /// A newer version wrote it, or it cannot be read now: left alone, the latter until it can be.
    var problem: JournalError?
    var cursors: [DestinationID: Cursor] = [:]
    /// Destinations whose cursor file was found damaged: what is kept for them begins anew once it is asked for.
    var damaged: Set<DestinationID> = []
    var readers: [DestinationID: BatchReader] = [:]
    /// The next event of a queue's own, as far as it was looked for; see ``Front``.
    var fronts: [DestinationID: Front] = [:]
    /// Where a destination was last found to be held: the first sequence number that may not leave yet.
    var held: [DestinationID: UInt64] = [:]
    /// Cursors whose newest state is not on disk yet.
    var unsaved: Set<DestinationID> = []
    /// Time deliverers have spent on this writer since its boot ended.
    var observed: Duration = .zero
    /// What its segments say of their beginnings, as far as that was asked for.
    var origins: [UInt32: SegmentOrigin] = [:]
    /// Since when there have been numbers for others that a destination has not been told of.
    var skippingSince: [DestinationID: MonotonicTime] = [:]

    /// The next event of a destination, valid while its cursor stands where it stood.
    struct Front: Sendable, Hashable {
        /// The cursor's next number when it was found.
        let next: UInt64
        /// The event's number; beyond ``next`` when numbers before it are lost.
        let event: UInt64
    }

    init(id: WriterID, isOwn: Bool) {
        self.id = id
        self.isOwn = isOwn
    }

    /// Whether the writer is left alone only until it can be read.
    var isUnreadable: Bool { problem.map { $0.code != .newerVersion } ?? false }

    /// The destinations that have a place in the writer's folder.
    var destinations: Set<DestinationID> { damaged.union(cursors.keys) }

    /// Takes a destination's cursor file in; nil for a damaged one.
    mutating func take(_ cursor: Cursor?, of destination: DestinationID) {
        if let cursor { cursors[destination] = cursor } else { damaged.insert(destination) }
    }

    /// Whether the next event for a destination may not leave, as far as was seen.
    func isHeld(_ destination: DestinationID) -> Bool {
        // Whatever moved the cursor since, the finding is about another event then.
        held[destination].map { $0 == cursors[destination]?.next } ?? false
    }

    /// The lowest segment any destination still needs.
    var firstNeededSegment: UInt32 {
        cursors.values.map(\.position.segment).min() ?? 0
    }
}
