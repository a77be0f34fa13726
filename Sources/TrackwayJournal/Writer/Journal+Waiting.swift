// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension Journal {
    /// How many events wait for a queue beyond its release mark, at all writers, whoever delivers. The deliverer's own count
    /// where this process is it; else what the files say at this moment.
    ///
    /// - Complexity: O(number of writers) for the deliverer; for others O(what waits), read from the disk with every call.
    package func countWaiting(for queue: DestinationID) throws(JournalError) -> UInt64 {
        if let consumer = heldConsumer { return try consumer.waiting(for: queue) }
        var state = try look()
        try state.takeIn(self)
        state.publish()
        var view = state.board.withLock { $0 }
        // Nobody's office, and yet all that counting needs.
        view.isOpen = true
        return try view.waiting(for: queue, self, state.tallies)
    }

    /// The canonical JSON of the events that ``countWaiting(for:)`` counts, oldest first within each writer.
    ///
    /// - Parameter most: how many at most.
    package func readWaiting(for queue: DestinationID, most: Int) throws(JournalError) -> [[UInt8]] {
        if let consumer = heldConsumer { return try consumer.waitingEvents(for: queue, most: most) }
        var view = try look()
        return try view.waitingEvents(for: queue, most: most, self)
    }

    /// What a deliverer would know, for somebody who only looks: it has no office, so nothing can be settled, released or
    /// written with it, and it is thrown away after the look.
    private func look() throws(JournalError) -> ConsumerState {
        drain()
        var view = ConsumerState(
            folder: folder,
            storage: storage,
            configuration: configuration,
            bootID: bootID,
            registry: registry,
            leased: Locked([]),
            clock: clock,
            board: Locked(ConsumerView()),
            tallies: Locked(Tallies()),
            lock: nil
        )
        do throws(StorageError) {
            view.totals = try SettledTotals.load(folder, storage, of: installation)
            try view.refresh(own: writer)
        } catch {
            throw JournalError(error)
        }
        return view
    }
}
