// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayJournal

extension Journal: DeliveryJournal {
    /// Tries to become the one process of the installation that delivers.
    package func openSource() throws(DeliverySourceError) -> (any DeliverySource)? {
        do throws(JournalError) {
            guard let desk = try tryElection() else { return nil }
            return JournalSource(desk, of: self)
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

    /// Asks the process that delivers to look soon.
    package func askDeliverer() {
        try? requestDelivery()  // It looks by itself too, only later.
    }
}
