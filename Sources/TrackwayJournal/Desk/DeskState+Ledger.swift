// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension DeskState {
    /// A writer's highest sequence number: a cursor may know more than what is left of the log.
    static func last(_ extent: LedgerCounter.Extent, _ cursors: [Cursor]) -> UInt64 {
        max(extent.last, cursors.map { $0.next - 1 }.max() ?? 0)
    }

    /// Events that wait for a destination, without those behind a held one.
    mutating func deliverable(for destination: DestinationID, _ journal: Journal) throws(JournalError) -> UInt64 {
        do throws(StorageError) {
            try refresh(own: journal.writer)
        } catch {
            throw JournalError(error)
        }
        var waiting: UInt64 = 0
        for id in order where hasPlace(destination, at: id) {
            let cursor = try cursor(id, destination, journal)
            guard let shelf = shelves[id], shelf.problem == nil, !shelf.isHeld(destination) else { continue }
            guard let extent = try journal.readableExtent(of: id, isComplete: shelf.isComplete) else { continue }
            waiting += max(extent.last, cursor.next - 1) - (cursor.next - 1)
        }
        return waiting
    }

    mutating func ledger(_ journal: Journal) throws(JournalError) -> Ledger {
        var ledger = Ledger(recorded: totals.recorded, destinations: totals.accounts)
        let present = journal.destinations
        for destination in present where ledger.destinations[destination] == nil {
            ledger.destinations[destination] = Ledger.Account()
        }
        do throws(StorageError) {
            try refresh(own: journal.writer)
        } catch {
            throw JournalError(error)
        }
        for id in order {
            // The cursors first: whatever is recorded between the two looks is pending, never missing.
            let cursors = try destinations(of: id).map { destination throws(JournalError) in
                (destination, try cursor(id, destination, journal))
            }
            guard shelves[id]?.problem == nil else { continue }
            let isComplete = shelves[id]?.isComplete ?? false
            guard let extent = try journal.readableExtent(of: id, isComplete: isComplete) else { continue }
            ledger.recorded += Self.last(extent, cursors.map(\.1))
            for (destination, cursor) in cursors {
                var account = Ledger.Account(cursor, last: extent.last)
                // Nobody reads on for these, so what is for others would count as theirs for long.
                let isIdle = queues.contains(destination) || !present.contains(destination)
                if isIdle, let waiting = try tally(id, destination, journal)?.count {
                    account.limitPending(to: released(cursor) + waiting)
                }
                ledger.destinations[destination, default: Ledger.Account()].add(account)
            }
        }
        return ledger
    }
}
