// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The journal as the delivery driver sees it.
package protocol DeliveryJournal: Sendable {
    /// Tries to become the one process of the installation that delivers.
    ///
    /// - Returns: nil while another process is.
    /// - Throws: When nobody can say, because the journal cannot be read at present.
    func openSource() throws(DeliverySourceError) -> (any DeliverySource)?

    /// What became of every event of the installation, as far as it can be counted; the ledger says what could not be.
    ///
    /// - Throws: When nothing can be counted at present.
    func counts() throws(Ledger.Uncounted) -> Ledger

    /// Events of this process that wait for a destination; nil when they cannot be counted at present.
    func ownWaiting(for destination: DestinationID) -> UInt64?

    /// How many events wait for a queue's next transfer, whoever delivers; nil when they cannot be counted at present.
    func waiting(for queue: DestinationID) -> UInt64?

    /// The JSON of those events, oldest first; none when they cannot be read at present.
    func waitingEvents(for queue: DestinationID, most: Int) -> [[UInt8]]

    /// Asks the process that delivers to look soon. Called by a process that does not deliver.
    func askDeliverer()
}
