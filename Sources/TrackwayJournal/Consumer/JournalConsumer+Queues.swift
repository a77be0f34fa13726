// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension JournalConsumer {
    /// Releases everything that waits for a queue to delivery: moves its release mark to the end of every writer's log.
    /// When this returns, that survives the death of the process.
    ///
    /// - Returns: how many events that released.
    /// - Throws: `storage` when no mark could be written: nothing is released then. What one writer's storage refuses
    ///   while another's did not waits for the next transfer.
    package func transfer(for destination: DestinationID) throws(JournalError) -> UInt64 {
        journal.drain()
        return try change { (state) throws(JournalError) in
            try state.transfer(for: destination, journal)
        }
    }

    /// How many events wait for a queue beyond its release mark, at all writers: exactly.
    ///
    /// Events that wait in memory because the storage refuses them count as soon as they are written.
    ///
    /// Waits for no disk that delivery writes to.
    ///
    /// - Complexity: O(number of writers), plus what was recorded since the last call. A queue's first call reads what waits.
    package func waiting(for destination: DestinationID) throws(JournalError) -> UInt64 {
        journal.drain()
        return try currentView().waiting(for: destination, journal, tallies)
    }

    /// How many events released to delivery a queue has not settled: 0 exactly when there are none, else at least as many
    /// as there are; events of others among them may be counted in.
    ///
    /// - Parameter leavingOutHeld: true to leave out writers whose next event was found held when it was read last.
    package func released(
        for destination: DestinationID,
        leavingOutHeld: Bool = false
    ) throws(JournalError) -> UInt64 {
        try change { (state) throws(JournalError) in
            try state.released(for: destination, leavingOutHeld: leavingOutHeld, journal)
        }
    }

    /// The canonical JSON of events that wait for a queue beyond its release mark, oldest first within each writer.
    ///
    /// - Parameter most: how many at most.
    package func waitingEvents(for destination: DestinationID, most: Int) throws(JournalError) -> [[UInt8]] {
        journal.drain()
        return try change { (state) throws(JournalError) in
            try state.waitingEvents(for: destination, most: most, journal)
        }
    }
}
