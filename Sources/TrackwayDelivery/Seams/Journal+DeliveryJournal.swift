// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayJournal

extension Journal: DeliveryJournal {
    /// Tries to become the one process of the installation that delivers.
    package func openSource() throws(DeliverySourceError) -> (any DeliverySource)? {
        do throws(JournalError) {
            guard let consumer = try tryElection() else { return nil }
            return JournalSource(consumer, of: self)
        } catch {
            throw DeliverySourceError(error.message)
        }
    }

    /// What became of every event of the installation.
    package func counts() throws(Ledger.Uncounted) -> Ledger {
        do throws(JournalError) {
            return try ledger()
        } catch {
            throw Ledger.Uncounted(path: error.cause?.path ?? configuration.folder, reason: error.message)
        }
    }

    /// Events of this process that wait for a destination.
    package func ownWaiting(for destination: DestinationID) -> UInt64? {
        try? ownPending(for: destination)  // nil says that they cannot be counted at present.
    }

    /// How many events wait for a queue's next transfer, whoever delivers.
    package func waiting(for queue: DestinationID) -> UInt64? {
        try? countWaiting(for: queue)  // nil says that they cannot be counted at present.
    }

    /// The JSON of those events, oldest first.
    package func waitingEvents(for queue: DestinationID, most: Int) -> [[UInt8]] {
        (try? readWaiting(for: queue, most: most)) ?? []  // What cannot be read at present is not shown.
    }

    /// Asks the process that delivers to look soon.
    package func askDeliverer() {
        try? requestDelivery()  // It looks by itself too, only later.
    }
}
