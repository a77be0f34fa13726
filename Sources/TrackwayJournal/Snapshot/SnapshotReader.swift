// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Reads the events of a snapshot, one batch at a time.
///
/// Events are returned in the order of recording, and writers in the order in which they were started. Between two
/// calls, the app may record events, create other snapshots, and remove this snapshot's events; after a removal,
/// reading throws `outOfOrder`. The reader uses constant memory.
package struct SnapshotReader {
    /// The reading position in one writer's log.
    private struct Place {
        /// The cursor at which reading the log starts.
        var start: Cursor
        /// The next sequence number to read.
        var next: UInt64
        /// The reader; nil before the log is opened at `start`.
        var reader: BatchReader?
        /// Whether the log continues after the last slice.
        var isCut = true
    }

    private let snapshot: JournalSnapshot
    private let limits: (events: Int, bytes: Int)
    /// The parts that have not been read to the end.
    private var parts: ArraySlice<JournalSnapshot.Part>
    /// The position in the current part; nil before its first read.
    private var place: Place?

    init(of snapshot: JournalSnapshot, events: Int, bytes: Int) {
        self.snapshot = snapshot
        limits = (events, bytes)
        parts = snapshot.parts[...]
    }

    /// Returns the next batch; nil after the last batch or an error.
    ///
    /// - Throws: `outOfOrder` if events of the snapshot were removed or dropped after it was created, or if
    ///   everything was erased; `closed` if the journal was released; `storage` if the log currently cannot be read.
    /// - Complexity: O(bytes of the batch), plus the bytes recorded in between for other destinations.
    package mutating func next() throws(JournalError) -> EventBatch? {
        while let part = parts.first {
            do throws(JournalError) {
                if let batch = try nextBatch(of: part) { return batch }
            } catch {
                // If the log was removed unread, its remaining events were for other destinations, and maintenance
                // removed it.
                guard snapshot.isRemovedUnread(part) else {
                    parts = []
                    throw error
                }
            }
            parts.removeFirst()
            place = nil
        }
        return nil
    }

    /// Returns the next batch of one writer's events, or nil after the last one.
    private mutating func nextBatch(of part: JournalSnapshot.Part) throws(JournalError) -> EventBatch? {
        if place == nil {
            // The cursor may have advanced over events for other destinations, whose segments were then removed.
            let start = try snapshot.untouchedCursor(of: part)
            place = Place(start: start, next: start.next)
        }
        while let next = place?.next, next <= part.through {
            do throws(SnapshotReadError) {
                if let batch = try readOpenPart(of: part) { return batch }
            } catch {
                guard let next = place?.next, try snapshot.untouchedCursor(of: part).next > next else {
                    throw error.cause
                }
            }
            guard let next = place?.next, next <= part.through else { return nil }
            // The cursor may have moved past removed segments.
            let start = try snapshot.untouchedCursor(of: part)
            guard start.next > next else { return nil }
            place = Place(start: start, next: start.next)
        }
        return nil
    }

    /// Returns the next batch from the log as it was opened, or nil at its end.
    private mutating func readOpenPart(of part: JournalSnapshot.Part) throws(SnapshotReadError) -> EventBatch? {
        guard var place else { return nil }
        defer { self.place = place }
        var reader: BatchReader
        if let open = place.reader {
            reader = open
        } else {
            reader = try snapshot.reader(of: part, from: place.start)
        }
        let limits = BatchReader.Limits(
            events: limits.events,
            bytes: limits.bytes,
            throughSequence: part.through
        )
        while place.isCut, place.next <= part.through {
            let first = place.next
            let slice = try snapshot.readSlice(of: part, next: first, limits, &reader)
            place.reader = reader
            place.next = slice.next
            place.isCut = slice.isCut
            if !slice.records.isEmpty { return snapshot.batch(slice, of: part, first: first) }
        }
        return nil
    }
}
