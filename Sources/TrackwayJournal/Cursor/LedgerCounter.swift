// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Finds how many events each writer has recorded, reading on from where it stopped last time.
struct LedgerCounter: Sendable {
    private var tails: [WriterID: Tail] = [:]

    private struct Tail: Sendable {
        var reader: LogReader
        var first: UInt64?
        var last: UInt64 = 0
        /// The highest number that was in the writer's memory only when it was last looked at.
        var noted: UInt64 = 0
        /// Torn tails seen up to the last record.
        var tornTails = 0
    }

    /// The numbers of a writer that is not this process's own.
    struct Extent: Sendable, Hashable {
        /// The lowest sequence number its log still accounts for.
        var first: UInt64
        /// The highest one, a torn record at the end of a dead writer's log included.
        var last: UInt64
    }

    /// - Parameter isComplete: whether the writer is known to be dead.
    /// - Complexity: O(what was written since the last call).
    mutating func extent(
        of writer: WriterID,
        folder: String,
        storage: any JournalStorage,
        isComplete: Bool
    ) throws(JournalError) -> Extent {
        var tail = tails[writer] ?? Tail(reader: LogReader(folder: folder, storage: storage))
        tail.reader.isComplete = isComplete
        defer { tails[writer] = tail }
        while let entry = try tail.reader.next() {
            if tail.first == nil {
                // The segment's opening record says what came before it.
                tail.first = entry.kind == .event ? entry.sequence : entry.sequence + 1
            }
            tail.last = max(tail.last, entry.sequence)
            // A torn tail with records behind it, in a later segment, is among the numbers before those.
            tail.tornTails = tail.reader.damage.tornTails
        }
        if !isComplete {
            // What a writer holds in memory is recorded, too; of a dead one the note is read as a record.
            do throws(StorageError) {
                tail.noted = try tail.reader.numberInMemory() ?? 0
            } catch {
                throw JournalError(error)
            }
        }
        let isTorn = tail.reader.damage.tornTails > tail.tornTails
        return Extent(first: tail.first ?? 1, last: max(tail.last + (isTorn ? 1 : 0), tail.noted))
    }

    /// The highest number that was seen of a writer so far; nil when nobody looked.
    func lastSeen(of writer: WriterID) -> UInt64? {
        tails[writer]?.last
    }

    mutating func forget(_ writer: WriterID) {
        tails[writer] = nil
    }
}
